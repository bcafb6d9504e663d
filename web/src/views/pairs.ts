// Two genes together: the latency of each pair of values, which a plain effect of one gene does not show.
import { css } from "../chart";
import { h, microseconds, plural, section, times, type Child } from "../dom";
import type { Value } from "../document";
import { choice, to } from "../parts";
import type { Run } from "../run";
import { go, type State } from "../state";

export interface Cell { trials: number; mean: number; best: number; row: number }

/** Geometric means and the fastest of the correct rows with each pair of values. */
export function pairCells(run: Run, rows: number[], a: string, b: string): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    const latency = run.latency(row)!, key = JSON.stringify([run.gene(row, a), run.gene(row, b)]);
    const cell = cells.get(key) ?? { trials: 0, mean: 0, best: Infinity, row: -1 };
    cell.mean = (cell.mean * cell.trials + Math.log(latency)) / (cell.trials + 1);
    cell.trials++;
    if (latency < cell.best) { cell.best = latency; cell.row = row; }
    cells.set(key, cell);
  }
  for (const cell of cells.values()) cell.mean = Math.exp(cell.mean);
  return cells;
}

const ordered = (values: Iterable<Value | undefined>): Value[] =>
  [...new Set(values)].filter((v): v is Value => v !== undefined).sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))));

export function pairs(run: Run, correct: number[], template: string, s: State): Child {
  const title = "Pairs of genes";
  const varied = run.geneNames(template).filter((gene) => new Set(correct.map((row) => run.gene(row, gene))).size > 1);
  if (varied.length < 2) return section(title, null, h("p", {}, "Fewer than two genes have several values in the correct trials that the filters leave."));
  const strength = new Map<string, number>();
  for (const e of run.data.insights?.effects ?? []) if (e.template === template) strength.set(e.gene, Math.max(strength.get(e.gene) ?? 0, Math.abs(e.effect)));
  const strongest = [...varied].sort((a, b) => (strength.get(b) ?? 0) - (strength.get(a) ?? 0));
  const [wantedA = "", wantedB = ""] = s.pair.split("~");
  const a = varied.includes(wantedA) ? wantedA : strongest[0]!, b = varied.includes(wantedB) && wantedB !== a ? wantedB : strongest.find((gene) => gene !== a)!;
  const cells = pairCells(run, correct, a, b), valuesA = ordered(correct.map((row) => run.gene(row, a))), valuesB = ordered(correct.map((row) => run.gene(row, b)));
  const means = [...cells.values()].map((cell) => cell.mean), low = Math.min(...means), high = Math.max(...means);
  const cellOf = (x: Value, y: Value): HTMLElement => {
    const cell = cells.get(JSON.stringify([x, y]));
    if (!cell) return h("td", { class: "n dim" }, "–");
    const share = high > low ? Math.log(high / cell.mean) / Math.log(high / low) : 0;
    return h("td", { class: "n" }, h("div", { class: "heat", style: { background: `color-mix(in oklab, ${css("--better")} ${(20 * share).toFixed(0)}%, transparent)` } },
      microseconds(cell.mean), h("div", { class: "dim" }, plural(cell.trials, "trial"), ", best"), h("div", { class: "dim" }, to({ trial: run.index(cell.row) }, microseconds(cell.best)))));
  };
  return section(title, `Geometric mean of the latency (${run.data.latency_kind}) of the correct trials with both values, and the fastest of them: ${times(high / low)} between the best and the worst pair. Greener is faster. A plain mean: other genes vary with it.`,
    h("div", { class: "filters" }, choice("down", a, varied.map((gene) => [gene, gene] as const), (gene) => go({ pair: `${gene}~${gene === b ? a : b}` })),
      choice("across", b, varied.filter((gene) => gene !== a).map((gene) => [gene, gene] as const), (gene) => go({ pair: `${a}~${gene}` }))),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Pairs of values" }, h("table", { id: "pairs" },
      h("caption", {}, `${a} (down) and ${b} (across)`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `${a} \\ ${b}`), valuesB.map((y) => h("th", { scope: "col", class: "n" }, String(y))))),
      h("tbody", {}, valuesA.map((x) => h("tr", {}, h("th", { scope: "row" }, String(x)), valuesB.map((y) => cellOf(x, y))))))));
}
