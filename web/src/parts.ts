// What several views share: links to trials, gains as text, the filters, the axis.
import { badge, grouped, h, number, plural, times, type Child } from "./dom";
import type { Gain } from "./document";
import type { Run } from "./run";
import { go, link, state, type State } from "./state";

/** A link that only changes the state. */
export function to(change: Partial<State>, text: Child, attributes: Record<string, string> = {}): HTMLElement {
  const a = h("a", { href: link(change), ...attributes }, text);
  a.addEventListener("click", (event) => {
    const mouse = event as MouseEvent;
    if (mouse.ctrlKey || mouse.metaKey || mouse.shiftKey) return;
    event.preventDefault();
    go(change);
  });
  return a;
}

export const trialLink = (run: Run, row: number): Child =>
  row < 0 ? "–" : to({ trial: run.index(row) }, `trial ${run.index(row)}`, { class: "trial" });

export const intervalText = (interval: [number, number] | null, unit = ""): string =>
  interval ? `[${interval[0].toFixed(3)}, ${interval[1].toFixed(3)}]${unit}` : "";

export function gainText(gain: Gain | null): Child {
  if (!gain || gain.speedup === null) return "–";
  return [times(gain.speedup), gain.interval ? h("span", { class: "dim", title: `${100 * (gain.confidence ?? 0)} % interval` }, ` ${intervalText(gain.interval)}`) : null];
}

const methodText: Record<Gain["method"], string> = {
  modelled: "a number of the model: it has no interval, and is no measurement",
  in_turn: "both timed in turn on the device",
  intervals: "from both 95 % intervals, far ends against each other; the two were timed at different moments",
  unknown: "no latency to compare",
};

/** How a gain's interval came about. */
export const how = (gain: Gain | null): string =>
  methodText[gain?.method ?? "unknown"] + (gain?.method === "in_turn" && gain.confidence ? `, ${number(100 * gain.confidence)} % interval` : "");

export const verdict = (gain: Gain | null): Child => (gain ? badge(gain.verdict) : null);

export const kindBadge = (run: Run): HTMLElement => badge(run.data.latency_kind, run.data.latency_kind.toUpperCase());

export function choice<T extends string>(label: string, value: T, options: readonly (readonly [T, string])[], set: (value: T) => void): HTMLElement {
  const select = h("select", { "aria-label": label }, options.map(([key, text]) => h("option", { value: key, selected: key === value }, text))) as HTMLSelectElement;
  select.addEventListener("change", () => set(select.value as T));
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

export function toggle(label: string, on: boolean, set: (on: boolean) => void, kind = ""): HTMLElement {
  return h("button", { type: "button", class: `toggle ${kind}`, "aria-pressed": String(on), onclick: () => set(!on) }, label);
}

/** The filters: they hold for every view. */
export function filters(run: Run, left: number): HTMLElement {
  const s = state();
  const count = { correct: 0, failed: 0, duplicate: 0 };
  for (const group of run.groups) ++count[group];
  const states = ([["r", "correct", "correct"], ["f", "failed", "failed"], ["d", "duplicate", "duplicates"]] as const).map(([letter, group, text]) =>
    toggle(`${text} ${grouped(count[group])}`, s.show.includes(letter), (on) => {
      const show = [..."rfd"].filter((l) => (l === letter ? on : s.show.includes(l))).join("");
      go({ show: show || "-", page: 0 });
    }, group));
  const templates = run.templates();
  return h("div", { class: "filters", role: "group", "aria-label": "Filters of all views" },
    states,
    templates.length > 1 && choice("template", s.template, [["", "all"], ...templates.map((name) => [name, name] as const)], (template) => go({ template, page: 0 })),
    choice("fastest", String(s.top), [["0", "all"], ["10", "10"], ["20", "20"], ["50", "50"], ["200", "200"]], (top) => go({ top: Number(top), page: 0 })),
    s.reason && h("button", { type: "button", class: "toggle", onclick: () => go({ reason: "", page: 0 }), "aria-label": `Remove the filter ${s.reason}` }, s.reason.replace(/\/$/, "").replace("/", ": "), " ✕"),
    s.where && h("button", { type: "button", class: "toggle", onclick: () => go({ where: "", page: 0 }), "aria-label": `Remove the filter ${s.where}` }, s.where, " ✕"),
    h("span", { class: "dim", id: "left", role: "status" }, left === run.count ? (run.data.columns.left_out > 0 ? `all ${grouped(run.count)} listed of ${plural(run.data.trials, "trial")}` : `all ${plural(run.count, "trial")}`) : `${grouped(left)} of ${plural(run.count, "trial")}`));
}

export function axes(withLog = true): HTMLElement {
  const s = state();
  return h("div", { class: "filters" },
    choice("over", s.x, [["trial", "trials"], ["time", "wall time"], ["device", "device time"]], (x) => go({ x })),
    withLog && toggle("log axis", s.log, (log) => go({ log })));
}

export function legend(items: readonly (readonly [string, string])[]): HTMLElement {
  return h("ul", { class: "legend" }, items.map(([color, text]) => h("li", {}, h("i", { style: { background: color } }), text)));
}
