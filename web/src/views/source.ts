import "../prism_manual";
import Prism from "prismjs/components/prism-core";
import "prismjs/components/prism-clike";
import "prismjs/components/prism-c";
import "prismjs/components/prism-cpp";
import { diffArrays } from "diff";
import { h, plural, section, type Child } from "../dom";
import type { Evidence } from "../document";
import { choice } from "../parts";
import type { Run } from "../run";
import { go, type State } from "../state";

const cuda = Prism.languages.extend("cpp", {
  "cuda": /\b(?:__global__|__device__|__shared__|__constant__|__restrict__|__launch_bounds__|__syncthreads|__syncwarp|threadIdx|blockIdx|blockDim|gridDim|half2?|uint32_t|uint4|float[24])\b/,
});

/** Lines of coloured text nodes. */
function highlighted(source: string[]): Node[][] {
  const lines: Node[][] = [[]];
  const add = (text: string, kind: string) => {
    text.split("\n").forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part) lines.at(-1)!.push(kind ? h("span", { class: `t-${kind}` }, part) : document.createTextNode(part));
    });
  };
  const walk = (token: string | Prism.Token, kind: string): void => {
    if (typeof token === "string") add(token, kind);
    else if (Array.isArray(token.content)) token.content.forEach((inner) => walk(inner, token.type));
    else walk(token.content, token.type);
  };
  const text = source.join("\n");
  for (const token of text.length < 300_000 ? Prism.tokenize(text, cuda) : [text]) walk(token, "");
  return lines;
}

interface Line { number: number; file: string; fileLine: number }
/** Which line of which file each line is, by #line. */
function places(source: string[]): Line[] {
  let file = "", fileLine = 0;
  return source.map((text, i) => {
    const directive = /^\s*#\s*line\s+(\d+)(?:\s+"([^"]*)")?/.exec(text);
    if (directive) {
      fileLine = Number(directive[1]) - 1;
      file = directive[2] ?? file;
      return { number: i + 1, file: "", fileLine: 0 };
    }
    ++fileLine;
    return { number: i + 1, file, fileLine };
  });
}
const same = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);

interface Pair { a: number; b: number } // line numbers from 0; -1: none on this side
function aligned(a: string[], b: string[]): Pair[] {
  const pairs: Pair[] = [];
  let i = 0, j = 0;
  for (const part of diffArrays(a, b)) {
    const count = part.value.length;
    if (!part.added && !part.removed) for (let k = 0; k < count; ++k) pairs.push({ a: i++, b: j++ });
    else if (part.removed) for (let k = 0; k < count; ++k) pairs.push({ a: i++, b: -1 });
    else {
      // Beside the lines that were removed just before, where there are any.
      let first = pairs.length;
      while (first > 0 && pairs[first - 1]!.b < 0) --first;
      for (let k = 0; k < count; ++k) {
        if (first + k < pairs.length) pairs[first + k]!.b = j++;
        else pairs.push({ a: -1, b: j++ });
      }
    }
  }
  return pairs;
}

function findings(run: Run, row: number, source: string[]): Map<number, Evidence[]> {
  const found = new Map<number, Evidence[]>(), where = places(source);
  const put = (file: string, number: number, item: Evidence) => {
    if (!file || number <= 0) return;
    const at = where.findIndex((line) => line.file !== "" && same(line.file, file) && line.fileLine === number);
    if (at >= 0) found.set(at, [...(found.get(at) ?? []), item]);
  };
  for (const item of run.evidence(row)) {
    put(item.file, item.line, item);
    const file = String(item["other_file"] ?? ""), line = Number(item["other_line"] ?? 0);
    if (line !== item.line) put(file, line, { ...item, kind: `${item.kind}, the other access` });
  }
  return found;
}

function sideBySide(run: Run, rowA: number, rowB: number): Child {
  const a = rowA >= 0 ? run.source(rowA) : null, b = rowB >= 0 ? run.source(rowB) : null;
  if (!b) return h("p", {}, "This page has no source of that trial: it holds those of the champion's ancestors, the fastest, and the first of each way to fail. ", h("code", {}, `evo export ${run.data.run} VARIANT -o DIR`), " writes any.");
  const pairs = a ? aligned(a, b) : b.map((_, i) => ({ a: -1, b: i }));
  const textA = a ? highlighted(a) : [], textB = highlighted(b), placesA = a ? places(a) : [], placesB = places(b);
  const found = findings(run, rowB, b);
  const keep = new Set<number>();
  pairs.forEach((pair, i) => {
    const differs = a && (pair.a < 0 || pair.b < 0 || a[pair.a] !== b[pair.b]);
    if (differs || (pair.b >= 0 && found.has(pair.b))) for (let k = i - 4; k <= i + 4; ++k) keep.add(k);
  });
  if (keep.size === 0) pairs.forEach((_, i) => keep.add(i));
  const changed = pairs.filter((pair) => a && (pair.a < 0 || pair.b < 0 || a[pair.a] !== b[pair.b])).length;
  const body = h("tbody", {});
  const cell = (lines: Node[][], where: Line[], at: number, kind: string): Child => [
    h("td", { class: "ln", title: at >= 0 && where[at]!.file ? `${where[at]!.file}:${where[at]!.fileLine}` : null }, at >= 0 ? where[at]!.number : ""),
    h("td", { class: `code ${kind}` }, at >= 0 ? lines[at] ?? "" : "")];
  const lineOf = (pair: Pair): HTMLElement => {
    const differs = a !== null && (pair.a < 0 || pair.b < 0 || a[pair.a] !== b[pair.b]);
    return h("tr", {}, a && cell(textA, placesA, pair.a, pair.a < 0 ? "none" : differs ? "removed" : ""), cell(textB, placesB, pair.b, pair.b < 0 ? "none" : a && differs ? "added" : ""));
  };
  const hidden = (from: number, until: number): HTMLElement => {
    const row = h("tr", { class: "fold" }, h("td", { colspan: a ? 4 : 2 }, h("button", { type: "button", onclick: () => row.replaceWith(...pairs.slice(from, until).map(lineOf)) }, `${plural(until - from, "equal line")}`)));
    return row;
  };
  for (let i = 0; i < pairs.length;) {
    if (!keep.has(i)) {
      let until = i;
      while (until < pairs.length && !keep.has(until)) ++until;
      body.append(hidden(i, until));
      i = until;
      continue;
    }
    body.append(lineOf(pairs[i]!));
    for (const item of found.get(pairs[i]!.b) ?? []) body.append(h("tr", { class: "finding" }, a && [h("td", {}), h("td", {})], h("td", {}, "▲"), h("td", {}, h("strong", {}, item.kind), `: ${item.message}`)));
    ++i;
  }
  const elsewhere = run.evidence(rowB).filter((item) => ![...found.values()].flat().some((other) => other.message === item.message));
  const head = (row: number) => `trial ${run.index(row)} · ${run.variant(row)} · ${run.word("template", row)}`;
  return [
    a ? h("p", { role: "status", id: "changed" }, changed === 0 ? "The two sources are the same." : `${plural(changed, "line")} ${changed === 1 ? "differs" : "differ"}.`) : null,
    elsewhere.length > 0 && h("ul", {}, elsewhere.slice(0, 8).map((item) => h("li", {}, h("strong", {}, item.kind), ` ${item.file ? `${item.file}:${item.line} ` : ""}${item.message}`))),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Sources" }, h("table", { class: "source", id: "source" },
      h("colgroup", {}, a && [h("col", { class: "ln" }), h("col", {})], h("col", { class: "ln" }), h("col", {})), h("thead", {}, h("tr", {}, a && [h("th", { scope: "col" }, "line"), h("th", { scope: "col" }, head(rowA))], h("th", { scope: "col" }, "line"), h("th", { scope: "col" }, head(rowB)))), body)),
  ];
}

export function source(run: Run, _rows: number[], s: State): Child {
  const have = run.rowsWithSource();
  if (have.length === 0) return section("Source", null, h("p", {}, "This page holds no sources: the problem's files were not there, or have changed since the run."));
  const wanted = run.row(s.b ?? s.trial), right = wanted >= 0 ? wanted : run.champion >= 0 ? run.champion : have[0]!;
  const parent = run.firstParent(right);
  const left = s.a === -1 ? -1 : s.a !== null ? run.row(s.a) : run.sourceRow(parent) >= 0 ? parent : run.baseline !== right && run.sourceRow(run.baseline) >= 0 && run.word("template", run.baseline) === run.word("template", right) ? run.baseline : -1;
  const path = new Set(run.path(run.champion));
  const name = (row: number): string => `trial ${run.index(row)}${row === run.champion ? " (champion)" : row === run.baseline ? " (baseline)" : path.has(row) ? " (champion's ancestor)" : ""} · ${run.word("template", row)} · ${run.groups[row] === "right" ? `${run.latency(row)?.toFixed(3)} µs` : run.word("reason", row)}`;
  const options = (current: number) => [...new Set([...(current >= 0 ? [current] : []), ...have])].map((row) => [String(run.index(row)), name(row)] as const);
  const ancestors = run.path(right).slice(0, -1).reverse();
  return section("Source side by side", "What the compiler got: the genes as macros, then the template. Equal lines are folded; findings stand at their lines.",
    h("div", { class: "filters" },
      choice("left", left < 0 ? "-1" : String(run.index(left)), [["-1", "nothing"] as const, ...options(left)], (a) => go({ a: Number(a) })),
      choice("right", String(run.index(right)), options(right), (b) => go({ b: Number(b) })),
      ancestors.length > 0 && h("span", {}, "ancestors: ", ancestors.slice(0, 6).map((row, i) => [h("button", { type: "button", class: "toggle", "aria-pressed": String(row === left), onclick: () => go({ a: run.index(row) }) }, i === 0 ? "parent" : `${i + 1} back`), " "]))),
    sideBySide(run, left, right));
}
