// Elements from values. Whatever comes out of a run reaches the page as text nodes only: nothing here parses markup.

export type Child = Node | string | number | null | undefined | false | Child[];
type Handler = (event: Event) => void;
export type Attributes = Record<string, string | number | boolean | null | undefined | Handler | Record<string, string>>;

const svgTags = new Set(["svg", "g", "line", "rect", "circle", "path", "polyline", "text", "title", "tspan"]);

export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const element = svgTags.has(tag)
    ? (document.createElementNS("http://www.w3.org/2000/svg", tag) as unknown as HTMLElement)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "object") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else element.append(shown(String(child)));
  }
}

/** Control characters and direction overrides, which could make a text look like another one, as their symbols. */
export function shown(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, (c) => {
    const code = c.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
  });
}

/** A whole number with commas between thousands. Not by Intl: its first call takes as long as the whole page. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  if (size >= 1000) return grouped(Math.round(value));
  return String(Number(value.toPrecision(digits)));
}

export const microseconds = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : `${value.toFixed(3)} µs`;

export const times = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : `${value.toFixed(value < 10 ? 3 : 2)}×`;

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;

export function seconds(value: number): string {
  if (value < 120) return `${number(value, 3)} s`;
  if (value < 7200) return `${number(value / 60, 3)} min`;
  return `${number(value / 3600, 3)} h`;
}

export const plural = (count: number, word: string): string => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

export interface Column<Row> {
  name: string; // with "~" in front: heard, not seen
  numeric?: boolean;
  cell: (row: Row) => Child;
}

const heading = (name: string): Child => (name.startsWith("~") ? h("span", { class: "heard" }, name.slice(1)) : name);

export function table<Row>(caption: string, columns: Column<Row>[], rows: readonly Row[], id?: string): HTMLElement {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", { id },
      h("caption", {}, caption),
      h("thead", { class: columns.every((c) => c.name.startsWith("~")) && "heard" }, h("tr", {}, columns.map((c) => h("th", { scope: "col", class: c.numeric && "n" }, heading(c.name))))),
      h("tbody", {}, rows.map((row) => h("tr", {}, columns.map((c) => h("td", { class: c.numeric && "n" }, c.cell(row))))))));
}

/** A chart's numbers, made when they are asked for. */
export function asTable(make: () => HTMLElement, label = "Show as table"): HTMLElement {
  const details = h("details", { class: "as-table" }, h("summary", {}, label)) as HTMLDetailsElement;
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(make());
  });
  return details;
}

export function section(title: string, note: Child, ...children: Child[]): HTMLElement {
  return h("section", {}, h("h2", {}, title), note ? h("p", { class: "note" }, note) : null, ...children);
}

export function badge(kind: string, text = kind): HTMLElement {
  return h("span", { class: `badge ${kind}` }, text);
}
