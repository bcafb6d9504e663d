import "../prism_manual";
import "prismjs/components/prism-core";
import "prismjs/components/prism-clike";
import "prismjs/components/prism-c";
import "prismjs/components/prism-cpp";
import { aligned, codeOf, findings, type Code, type Pair } from "../code";
import { grouped, h, plural, section, type Child } from "../dom";
import { quote } from "../answers";
import { choice, toggle } from "../parts";
import type { Run } from "../run";
import { go, type State } from "../state";

/** More lines at once make a page that does not scroll. */
const mostLines = 1200;

function sideBySide(run: Run, rowA: number, rowB: number, kind: State["code"]): Child {
  const a = codeOf(run, kind, rowA), b = codeOf(run, kind, rowB);
  if (!b) return kind === "ptx"
    ? h("p", { id: "no-code" }, "This page has no PTX of that trial: it takes it from the artifact cache of the machine where the page is made, as far as there is room. ", h("code", {}, `evo replay ${quote(run.data.run)}`), " compiles every variant again; a page made after that has it.")
    : h("p", { id: "no-code" }, "This page has no source of that trial: it holds those of the champion's ancestors, the fastest, and the first of each way to fail. ", h("code", {}, `evo export ${quote(run.data.run)} ${run.variant(rowB)} -o DIR`), " writes any that is proven.");
  const pairs = a ? aligned(a.keys, b.keys) : b.keys.map((_, i) => ({ a: -1, b: i }));
  const differs = (pair: Pair): boolean => a !== null && (pair.a < 0 || pair.b < 0 || a.keys[pair.a] !== b.keys[pair.b]);
  const found = findings(run, rowB, b), foundA = a ? findings(run, rowA, a) : new Map<number, never[]>();
  const marked = (pair: Pair): boolean => (pair.b >= 0 && found.has(pair.b)) || (pair.a >= 0 && foundA.has(pair.a));
  const keep = new Set<number>();
  pairs.forEach((pair, i) => {
    if (differs(pair) || marked(pair)) for (let k = i - 4; k <= i + 4; ++k) keep.add(k);
  });
  if (keep.size === 0) pairs.forEach((_, i) => keep.add(i));
  const changed = pairs.filter(differs).length;
  const body = h("tbody", {});
  const cell = (code: Code, at: number, mark: string): Child => [
    h("td", { class: "ln", title: at >= 0 && code.where[at]!.file ? `${code.where[at]!.file}:${code.where[at]!.fileLine}` : null }, at >= 0 ? code.where[at]!.number : ""),
    h("td", { class: `code ${mark}` }, at >= 0 ? code.nodes[at] ?? "" : "")];
  const lineOf = (pair: Pair): HTMLElement =>
    h("tr", { class: a && (differs(pair) ? "changed" : "same") }, a && cell(a, pair.a, pair.a < 0 ? "none" : differs(pair) ? "removed" : ""), cell(b, pair.b, pair.b < 0 ? "none" : differs(pair) ? "added" : ""));
  const hidden = (from: number, until: number, what: string): HTMLElement => {
    const row = h("tr", { class: "fold" }, h("td", { colspan: a ? 4 : 2 }, h("button", { type: "button", onclick: () => row.replaceWith(...pairs.slice(from, until).map(lineOf)) }, plural(until - from, what))));
    return row;
  };
  const told = (items: { kind: string; message: string }[], left: boolean): void => {
    for (const item of items) {
      const text = [h("td", {}, "▲"), h("td", {}, h("strong", {}, item.kind), `: ${item.message}`)], empty = [h("td", {}), h("td", {})];
      body.append(h("tr", { class: "finding" }, left ? [text, empty] : [a && empty, text]));
    }
  };
  let drawn = 0;
  for (let i = 0; i < pairs.length;) {
    if (!keep.has(i)) {
      let until = i;
      while (until < pairs.length && !keep.has(until)) ++until;
      body.append(hidden(i, until, "equal line"));
      i = until;
      continue;
    }
    if (++drawn > mostLines && !pairs.slice(i).some(marked)) {
      body.append(hidden(i, pairs.length, "further line"));
      break;
    }
    body.append(lineOf(pairs[i]!));
    told(foundA.get(pairs[i]!.a) ?? [], true);
    told(found.get(pairs[i]!.b) ?? [], false);
    ++i;
  }
  const elsewhere = run.evidence(rowB).filter((item) => ![...found.values()].flat().some((other) => other.message === item.message));
  const head = (row: number) => `trial ${run.index(row)} · ${run.variant(row)} · ${run.word("template", row)}`;
  return [
    rowA >= 0 && !a && h("p", { class: "dim" }, `This page has no ${kind === "ptx" ? "PTX" : "source"} of trial ${run.index(rowA)}: the other stands alone.`),
    a ? h("p", { role: "status", id: "changed" }, changed === 0 ? `The two are the same${kind === "ptx" ? " but for the numbers of registers and labels" : ""}.` : `${plural(changed, "line")} ${changed === 1 ? "differs" : "differ"}, of ${grouped(a.keys.length)} and ${grouped(b.keys.length)}.`) : null,
    elsewhere.length > 0 && h("ul", {}, elsewhere.slice(0, 8).map((item) => h("li", {}, h("strong", {}, item.kind), ` ${item.file ? `${item.file}:${item.line} ` : ""}${item.message}`))),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": kind === "ptx" ? "PTX" : "Sources" }, h("table", { class: "source", id: "source" },
      h("colgroup", {}, a && [h("col", { class: "ln" }), h("col", {})], h("col", { class: "ln" }), h("col", {})), h("thead", {}, h("tr", {}, a && [h("th", { scope: "col", class: "ln" }, "line"), h("th", { scope: "col" }, head(rowA))], h("th", { scope: "col", class: "ln" }, "line"), h("th", { scope: "col" }, head(rowB)))), body)),
  ];
}

export function source(run: Run, _rows: number[], s: State): Child {
  const have = run.rowsWith(s.code), title = s.code === "ptx" ? "PTX side by side" : "Source side by side";
  const kinds = h("div", { class: "filters", role: "group", "aria-label": "What to compare" }, toggle("source", s.code === "source", () => go({ code: "source" })), toggle("PTX", s.code === "ptx", () => go({ code: "ptx" })));
  if (have.length === 0 && s.code === "source") return section(title, null, kinds, h("p", { id: "no-code" }, "This page holds no sources: the problem's files were not there, or have changed since the run."));
  const wanted = run.row(s.b ?? s.trial), right = wanted >= 0 ? wanted : run.champion >= 0 ? run.champion : have[0] ?? 0;
  const parent = run.firstParent(right), has = (row: number) => run.rowWith(s.code, row) >= 0;
  const left = s.a === -1 ? -1 : s.a !== null ? run.row(s.a) : has(parent) ? parent : run.baseline !== right && has(run.baseline) && run.word("template", run.baseline) === run.word("template", right) ? run.baseline : -1;
  const path = new Set(run.path(run.champion));
  const name = (row: number): string => `trial ${run.index(row)}${row === run.champion ? " (champion)" : row === run.baseline ? " (baseline)" : path.has(row) ? " (champion's ancestor)" : ""} · ${run.word("template", row)} · ${run.groups[row] === "correct" ? `${run.latency(row)?.toFixed(3)} µs` : run.word("reason", row)}`;
  const options = (current: number) => [...new Set([...(current >= 0 ? [current] : []), ...have])].map((row) => [String(run.index(row)), name(row)] as const);
  const ancestors = run.path(right).slice(0, -1).reverse();
  const note = s.code === "ptx"
    ? "What NVRTC made of it, without line tables and empty lines: point at a number for the line of the source that it comes from. The numbers of registers and labels do not count as a difference. Equal lines are folded; findings stand at the first instruction of their line."
    : "What the compiler got: the genes as macros, then the template. Equal lines are folded; findings stand at their lines.";
  return section(title, note, kinds,
    h("div", { class: "filters" },
      choice("left", left < 0 ? "-1" : String(run.index(left)), [["-1", "nothing"] as const, ...options(left)], (a) => go({ a: Number(a) })),
      choice("right", String(run.index(right)), options(right), (b) => go({ b: Number(b) })),
      ancestors.length > 0 && h("span", {}, "ancestors: ", ancestors.slice(0, 6).map((row, i) => [h("button", { type: "button", class: "toggle", "aria-pressed": String(row === left), onclick: () => go({ a: run.index(row) }) }, i === 0 ? "parent" : `${i + 1} back`), " "]))),
    sideBySide(run, left, right, s.code));
}
