import { effectPercent, sure } from "../answers";
import { css } from "../chart";
import { asTable, h, microseconds, plural, section, table, type Child } from "../dom";
import type { Effect, Value } from "../document";
import { to, trialLink } from "../parts";
import type { Run } from "../run";
import { go, type State } from "../state";
import { pairs } from "./pairs";

export function effectTable(effects: Effect[], latencyKind: string): HTMLElement {
  return table(`Effect of each value on the latency (${latencyKind}) against the mean of the template's correct trials`, [
    { name: "insight", cell: (e) => e.id },
    { name: "template", cell: (e) => e.template },
    { name: "value", cell: (e) => to({ view: "trials", where: `${e.gene}=${e.value}`, template: e.template, page: 0 }, h("span", { class: "mono" }, `${e.gene} = ${e.value}`)) },
    { name: "effect", cell: (e) => effectPercent(e.effect), numeric: true },
    { name: "95 % interval", cell: (e) => `[${effectPercent(e.ci95[0])}, ${effectPercent(e.ci95[1])}]`, numeric: true },
    { name: "trials", cell: (e) => e.trials, numeric: true },
    { name: "~what it says", cell: (e) => (sure(e) ? (e.effect < 0 ? "faster" : "slower") : "not significant") },
  ], effects);
}

/** Intervals on one axis: the left of the middle line is faster. */
function forest(effects: Effect[]): HTMLElement {
  // Most intervals whole; the widest, which say least, run off the edge.
  const ends = effects.map((e) => Math.max(Math.abs(e.ci95[0]), Math.abs(e.ci95[1]))).sort((a, b) => a - b);
  const limit = Math.max(0.02, ends[Math.floor(0.75 * ends.length)] ?? 0, ...effects.filter(sure).map((e) => Math.abs(e.effect) * 1.1));
  const at = (value: number) => `${(50 + (50 * Math.max(-limit, Math.min(limit, value))) / limit).toFixed(2)}%`;
  return h("div", {}, h("div", { class: "forest-head dim", "aria-hidden": "true" }, h("span", {}), h("span", {}, h("span", {}, "◂ faster"), h("span", {}, "slower ▸")), h("span", {})), h("ul", { class: "forest", id: "forest" }, effects.map((e) => h("li", { class: sure(e) ? (e.effect < 0 ? "good" : "bad") : "", title: `${e.id}: ${effectPercent(e.effect)} [${effectPercent(e.ci95[0])}, ${effectPercent(e.ci95[1])}], ${plural(e.trials, "trial")}` },
    h("span", { class: "mono name" }, `${e.gene} = ${e.value}`),
    h("span", { class: "axis" }, h("i", { style: { left: at(e.ci95[0]), width: `calc(${at(e.ci95[1])} - ${at(e.ci95[0])})` } }), h("b", { style: { left: at(e.effect) } })),
    h("span", { class: "n" }, effectPercent(e.effect))))));
}

interface Axis { name: string; text: (row: number) => string; at: (row: number) => number; ends: [string, string] }

function axesOf(run: Run, rows: number[], template: string): Axis[] {
  const strength = new Map<string, number>();
  for (const e of run.data.insights?.effects ?? []) if (e.template === template) strength.set(e.gene, Math.max(strength.get(e.gene) ?? 0, Math.abs(e.effect)));
  const genes = run.geneNames(template).map((gene) => ({ gene, values: [...new Set(rows.map((row) => run.gene(row, gene)))].filter((v): v is Value => v !== undefined) }))
    .filter((entry) => entry.values.length > 1).sort((a, b) => (strength.get(b.gene) ?? 0) - (strength.get(a.gene) ?? 0)).slice(0, 10);
  const axes = genes.map(({ gene, values }): Axis => {
    const sorted = values.sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))));
    return { name: gene, text: (row) => `${gene} = ${run.gene(row, gene)}`, at: (row) => sorted.indexOf(run.gene(row, gene)!) / (sorted.length - 1), ends: [String(sorted[0]), String(sorted.at(-1))] };
  });
  const latencies = rows.map((row) => run.latency(row)!), low = Math.min(...latencies), high = Math.max(...latencies);
  axes.push({ name: "latency, µs", text: (row) => microseconds(run.latency(row)), at: (row) => (high > low ? (run.latency(row)! - low) / (high - low) : 0), ends: [low.toFixed(3), high.toFixed(3)] });
  return axes;
}

function parallel(run: Run, rows: number[], template: string, s: State): Child {
  if (rows.length < 2) return h("p", { class: "dim" }, "Fewer than two correct trials.");
  const axes = axesOf(run, rows, template);
  if (axes.length < 2) return h("p", { class: "dim" }, "All of them have the same genes.");
  const width = Math.max(760, axes.length * 105), height = 320;
  const x = (i: number) => 50 + ((width - 100) * i) / Math.max(axes.length - 1, 1), y = (value: number) => height - 40 - (height - 80) * value;
  const last = axes.at(-1)!;
  const tip = h("p", { class: "dim mono", role: "status", id: "parallel-tip" }, "Point at a line, or go to it with the tab key.");
  const tell = (row: number) => tip.replaceChildren(`trial ${run.index(row)}: ${axes.map((axis) => axis.text(row)).join(", ")}`);
  const order = [...rows].sort((a, b) => run.latency(b)! - run.latency(a)!);
  const svg = h("svg", { viewBox: `0 0 ${width} ${height}`, class: "parallel", role: "group", "aria-label": `Genes of ${rows.length} trials; the table below has the numbers`, style: { "min-width": `${width * 0.8}px` } },
    order.map((row) => {
      const points = axes.map((axis, i) => `${x(i).toFixed(1)},${y(axis.at(row)).toFixed(1)}`).join(" ");
      const chosen = run.index(row) === s.trial;
      const line = h("polyline", { "data-trial": run.index(row), points, class: chosen ? "chosen" : row === run.champion ? "champion" : "", tabindex: 0, role: "button", "aria-label": `trial ${run.index(row)}, ${microseconds(run.latency(row))}`,
        style: { stroke: `color-mix(in oklab, ${css("--better")} ${(100 * (1 - last.at(row))).toFixed(0)}%, ${css("--slower")})` } });
      for (const kind of ["mouseenter", "focus"]) line.addEventListener(kind, () => tell(row));
      line.addEventListener("click", () => go({ trial: run.index(row) }));
      line.addEventListener("keydown", (event) => { if (["Enter", " "].includes((event as KeyboardEvent).key)) { event.preventDefault(); go({ trial: run.index(row) }); } });
      return line;
    }),
    axes.map((axis, i) => [h("line", { x1: x(i), x2: x(i), y1: y(0), y2: y(1) }),
      h("text", { x: x(i), y: y(1) - 8, class: "end" }, axis.ends[1].slice(0, 14)), h("text", { x: x(i), y: y(0) + 15, class: "end" }, axis.ends[0].slice(0, 14)),
      h("text", { x: x(i), y: height - (i % 2 ? 2 : 12), class: "end name" }, axis.name.slice(0, 22))]));
  return [h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Parallel coordinates" }, svg), tip];
}

/** What each edit of the text came to, whatever else stood beside it. */
function edits(run: Run, rows: number[], template: string): Child {
  const found = new Map<string, { edit: string; tried: number; correct: number; better: number; fastest: number }>();
  for (const row of rows) {
    if (run.word("template", row) !== template || run.groups[row] === "duplicate") continue;
    for (const edit of new Set(run.edits(row))) {
      const entry = found.get(edit) ?? { edit, tried: 0, correct: 0, better: 0, fastest: -1 };
      entry.tried++;
      if (run.groups[row] === "correct") {
        entry.correct++;
        if (run.status(row) === "better") entry.better++;
        const latency = run.latency(row);
        if (latency !== null && (entry.fastest < 0 || latency < run.latency(entry.fastest)!)) entry.fastest = row;
      }
      found.set(edit, entry);
    }
  }
  if (found.size === 0) return null;
  const champion = new Set(run.champion < 0 ? [] : run.edits(run.champion));
  const list = [...found.values()].sort((a, b) => Number(champion.has(b.edit)) - Number(champion.has(a.edit)) || b.correct - a.correct || b.tried - a.tried);
  return section("Edits of the text", `${plural(list.length, "edit")} in the trials that the filters leave, those of the champion first. An edit never stands alone: its trials have others too.`,
    table("Edits", [
      { name: "edit", cell: (e) => [to({ view: "trials", where: `edit=${e.edit}`, template, page: 0 }, h("span", { class: "mono" }, e.edit.length > 160 ? `${e.edit.slice(0, 160)} …` : e.edit)), champion.has(e.edit) ? [" ", h("strong", {}, "champion's")] : null] },
      { name: "tried", cell: (e) => e.tried, numeric: true }, { name: "correct", cell: (e) => e.correct, numeric: true }, { name: "better", cell: (e) => e.better, numeric: true },
      { name: "fastest with it", cell: (e) => (e.fastest < 0 ? "–" : [microseconds(run.latency(e.fastest)), " ", trialLink(run, e.fastest)]), numeric: true }], list.slice(0, 60), "edits"));
}

export function genes(run: Run, rows: number[], s: State): Child {
  const template = s.template || (run.champion >= 0 ? run.word("template", run.champion) : run.templates()[0] ?? "");
  const effects = (run.data.insights?.effects ?? []).filter((e) => e.template === template);
  const ordered = effects.slice().sort((a, b) => Number(sure(b)) - Number(sure(a)) || Math.abs(b.effect) - Math.abs(a.effect));
  // Of both kinds, so that many harmful values do not hide the few that help.
  const faster = ordered.filter((e) => e.effect < 0), slower = ordered.filter((e) => e.effect >= 0), few = Math.min(faster.length, Math.max(15, 30 - slower.length));
  const shownEffects = [...faster.slice(0, few), ...slower.slice(0, 30 - few)].sort((a, b) => a.effect - b.effect);
  const correct = rows.filter((row) => run.groups[row] === "correct" && run.latency(row) !== null && run.word("template", row) === template).sort((a, b) => run.latency(a)! - run.latency(b)!);
  const best = correct.slice(0, s.top > 0 ? s.top : 20);
  return [
    h("div", { class: "filters of-view", role: "group", "aria-label": "Template" }, run.templates().map((name) => h("button", { type: "button", class: "toggle", "aria-pressed": String(name === template), onclick: () => go({ template: name }) }, name))),
    section(`Effects in the template ${template}`, "How much faster (left) or slower (right) trials with a value are than the template's average, with the 95 % interval. A plain mean: other genes vary with it. Coloured where the interval leaves out zero.",
      effects.length > 0 ? [forest(shownEffects), effects.length > 30 && h("p", { class: "dim" }, `The strongest of both kinds, ${shownEffects.length} of ${effects.length}; the table has all.`), asTable(() => effectTable(ordered, run.data.latency_kind))] : h("p", {}, "None: no gene of this template had several values with enough correct trials each.")),
    edits(run, rows, template),
    pairs(run, correct, template, s),
    section(`The ${best.length} fastest`, "A line is a trial; the genes with the strongest effects, the latency at the right. Genes that are the same in all are left out.",
      parallel(run, best, template, s),
      best.length > 0 && asTable(() => {
        const names = run.geneNames(template).filter((gene) => new Set(best.map((row) => run.gene(row, gene))).size > 1);
        return table("The fastest and their genes", [{ name: "trial", numeric: true, cell: (row: number) => trialLink(run, row) }, { name: "latency", numeric: true, cell: (row) => microseconds(run.latency(row)) },
          ...names.map((gene) => ({ name: gene, cell: (row: number) => String(run.gene(row, gene) ?? "") }))], best);
      })),
  ];
}
