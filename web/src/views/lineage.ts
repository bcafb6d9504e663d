import { finalGain } from "../answers";
import { css, describe, runColor, ticks } from "../chart";
import { asTable, grouped, h, microseconds, number, section, table, times, type Child } from "../dom";
import { choice, gainText, intervalText, legend, how, to, toggle, trialLink, verdict } from "../parts";
import type { Run } from "../run";
import { go, type State } from "../state";
import { family } from "./family";
import { roofline } from "./roofline";

function stepCard(run: Run, row: number, before: number, changes: string[], isChampion: boolean): Child {
  const gain = before < 0 ? null : run.gain(before, row), turn = run.data.columns.paired.find((entry) => entry.row === row);
  const total = run.gain(run.baseline, row);
  return [
    gain && h("li", { class: `edge ${gain.verdict}` },
      h("div", {}, verdict(gain), " ", h("strong", {}, gainText(gain)), " ", h("span", { class: "dim" }, gain.method === "modelled" ? "modelled" : how(gain))),
      h("div", { class: "mono changes" }, changes.length > 0 ? changes.map((change) => h("div", {}, change)) : "the same genes")),
    h("li", { class: isChampion ? "node champion" : "node" },
      h("div", {}, trialLink(run, row), " ", h("span", { class: "mono dim" }, run.variant(row)), isChampion ? " champion" : null),
      h("div", {}, h("strong", {}, microseconds(run.latency(row))), ` ${intervalText(run.interval(row))} `, h("span", { class: "dim" }, `${run.word("template", row)} · ${run.word("operator", row)} · generation ${run.data.columns.generation[row]}`)),
      run.baseline >= 0 && row !== run.baseline && total.speedup !== null ? h("div", { class: "dim" }, `${times(total.speedup)} against the baseline${isChampion && finalGain(run) ? ` in its own trial; ${times(finalGain(run)!.speedup)} by the final verdict` : ""}`) : null,
      turn ? h("div", { class: "dim" }, `timed in turn with ${turn.incumbent}: ${turn.ratio.toFixed(4)} of its latency [${turn.interval[0].toFixed(4)}, ${turn.interval[1].toFixed(4)}], ${turn.rounds} rounds, ${100 * turn.confidence} %`) : null),
  ];
}

/** What differs between two rows' genes, as `evo lineage` says it. */
export function changesOf(run: Run, before: number, after: number): string[] {
  if (before < 0) return [];
  if (run.word("template", before) !== run.word("template", after)) return [`template ${run.word("template", before)} -> ${run.word("template", after)}`];
  const old = run.edits(before), now = run.edits(after);
  return [...run.genes(after).filter(([gene, value]) => run.gene(before, gene) !== undefined && run.gene(before, gene) !== value).map(([gene, value]) => `${gene} ${run.gene(before, gene)} -> ${value}`),
    ...now.filter((edit) => !old.includes(edit)).map((edit) => `+${edit}`), ...old.filter((edit) => !now.includes(edit)).map((edit) => `-${edit}`)];
}

function pathTable(run: Run, path: number[]): HTMLElement {
  return table("The path step by step", [
    { name: "trial", cell: (row) => trialLink(run, row), numeric: true },
    { name: "variant", cell: (row) => h("span", { class: "mono" }, run.variant(row)) },
    { name: "operator", cell: (row) => run.word("operator", row) },
    { name: "changed", cell: (row) => changesOf(run, run.firstParent(row), row).join(", ") },
    { name: `latency (${run.data.latency_kind})`, cell: (row) => microseconds(run.latency(row)), numeric: true },
    { name: "against its parent", cell: (row) => gainText(run.gain(run.firstParent(row), row)), numeric: true },
    { name: "~verdict", cell: (row) => verdict(run.firstParent(row) < 0 ? null : run.gain(run.firstParent(row), row)) },
  ], path, "path-table");
}

const mostInTree = 1000; // rows that a browser lays out at once

function treeTable(run: Run, rows: number[]): HTMLElement {
  return h("div", {}, rows.length > mostInTree && h("p", { class: "dim" }, `The first ${grouped(mostInTree)}; the view Trials has all, page by page.`), table("Trials and their parents", [
    { name: "trial", cell: (row) => trialLink(run, row), numeric: true },
    { name: "parents", cell: (row) => run.parents(row).map((parent) => [typeof parent === "number" ? trialLink(run, parent) : parent, " "]) },
    { name: "template", cell: (row) => run.word("template", row) }, { name: "operator", cell: (row) => run.word("operator", row) }, { name: "status", cell: (row) => run.status(row) },
    { name: `latency (${run.data.latency_kind})`, cell: (row) => microseconds(run.latency(row)), numeric: true },
  ], rows.slice(0, mostInTree), "tree-table"));
}

/** All trials by proposal order and latency, with lines to their parents. */
function tree(run: Run, rows: number[], s: State): HTMLElement {
  const canvas = h("canvas", { role: "img", "aria-label": "All trials with lines to their parents; the table below has them" }) as HTMLCanvasElement;
  const tip = h("div", { class: "tip" });
  tip.hidden = true;
  const box = h("div", { class: "chart tree" }, canvas, tip);
  const latencies = rows.map((row) => run.latency(row)).filter((value): value is number => value !== null);
  const low = Math.log(Math.min(...minmax(latencies)) * 0.97), high = Math.log(Math.max(...minmax(latencies)) * 1.03);
  const words = s.color === "status" || s.color === "latency" ? [] : [...new Set(rows.map((row) => run.word(s.color === "template" ? "template" : "operator", row)))].sort();
  const color = (row: number): string => {
    if (s.color === "latency") {
      const latency = run.latency(row);
      if (latency === null || run.groups[row] === "failed") return css("--failed");
      return shades[Math.floor((shades.length - 1) * (rank.get(latency) ?? 0) / Math.max(rank.size - 1, 1))]!;
    }
    if (s.color !== "status") return runColor(words.indexOf(run.word(s.color === "template" ? "template" : "operator", row)));
    return css(run.groups[row] === "failed" ? "--failed" : run.groups[row] === "duplicate" ? "--duplicate" : run.status(row) === "correct_slower" ? "--slower" : run.status(row) === "tie" ? "--tie" : "--better");
  };
  // By rank: a few slow trials would leave all others one colour.
  const rank = new Map([...new Set(latencies)].sort((a, b) => a - b).map((latency, i) => [latency, i]));
  const shades = Array.from({ length: 16 }, (_, i) => (i < 8 ? mixed(css("--better"), css("--tie"), i / 7.5) : mixed(css("--tie"), css("--slower"), (i - 7.5) / 7.5)));
  let place = (_row: number): [number, number] => [0, 0];
  const draw = () => {
    const width = Math.max(box.clientWidth, 280), height = 460, ratio = devicePixelRatio;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.setProperty("width", `${width}px`);
    canvas.style.setProperty("height", `${height}px`);
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    const last = Math.max(run.index(run.count - 1), 1);
    place = (row) => {
      const latency = run.latency(row), x = 54 + ((width - 70) * run.index(row)) / last;
      return [x, latency === null || run.groups[row] === "failed" ? height - 14 : 12 + (height - 60) * (1 - (Math.log(latency) - low) / (high - low || 1))];
    };
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = css("--dim");
    for (const latency of ticks(Math.exp(low), Math.exp(high))) {
      const y = 12 + (height - 60) * (1 - (Math.log(latency) - low) / (high - low || 1));
      context.fillText(number(latency), 4, y + 4);
      context.strokeStyle = css("--line");
      context.beginPath();
      context.moveTo(50, y);
      context.lineTo(width, y);
      context.stroke();
    }
    context.fillText("failed", 4, height - 10);
    const kept = new Set(rows);
    context.strokeStyle = css("--edge");
    context.globalAlpha = Math.max(0.06, Math.min(0.6, 60 / Math.sqrt(rows.length + 1) / 4));
    context.beginPath();
    for (const row of rows) for (const parent of run.parents(row)) {
      if (typeof parent !== "number" || !kept.has(parent)) continue;
      context.moveTo(...place(parent));
      context.lineTo(...place(row));
    }
    context.stroke();
    context.globalAlpha = 1;
    const size = rows.length > 5000 ? 1.5 : rows.length > 1000 ? 2.5 : 4;
    for (const row of rows) {
      const [x, y] = place(row);
      context.fillStyle = color(row);
      context.fillRect(x - size / 2, y - size / 2, size, size);
    }
    const selected = run.row(s.trial);
    const path = run.path(selected >= 0 ? selected : run.champion);
    context.strokeStyle = css("--text");
    context.lineWidth = 2.5;
    context.beginPath();
    path.forEach((row, i) => (i === 0 ? context.moveTo(...place(row)) : context.lineTo(...place(row))));
    context.stroke();
    for (const row of path) {
      context.beginPath();
      context.arc(...place(row), 5, 0, 7);
      context.fillStyle = color(row);
      context.fill();
      context.stroke();
    }
  };
  const near = (event: MouseEvent): number => {
    const area = canvas.getBoundingClientRect(), x = event.clientX - area.left, y = event.clientY - area.top;
    let found = -1, distance = 14 * 14;
    for (const row of rows) {
      const [px, py] = place(row), d = (px - x) ** 2 + (py - y) ** 2;
      if (d < distance) { distance = d; found = row; }
    }
    return found;
  };
  canvas.addEventListener("mousemove", (event) => {
    const row = near(event);
    tip.hidden = row < 0;
    canvas.style.setProperty("cursor", row < 0 ? "default" : "pointer");
    if (row < 0) return;
    tip.replaceChildren(...describe(run, row).map((line) => h("div", {}, line)));
    const [x, y] = place(row);
    tip.style.setProperty("left", `${Math.max(0, Math.min(x + 12, box.clientWidth - tip.offsetWidth - 4))}px`);
    tip.style.setProperty("top", `${Math.max(0, y - tip.offsetHeight - 8)}px`);
  });
  canvas.addEventListener("mouseleave", () => (tip.hidden = true));
  canvas.addEventListener("click", (event) => {
    const row = near(event);
    if (row >= 0) go({ trial: run.index(row) });
  });
  requestAnimationFrame(() => { if (box.isConnected) draw(); });
  new ResizeObserver(() => { if (box.isConnected) draw(); }).observe(box);
  return h("div", {}, box, s.color === "status"
    ? legend([[css("--better"), "better"], [css("--tie"), "tie"], [css("--slower"), "slower"], [css("--failed"), "failed"], [css("--duplicate"), "duplicate"], [css("--text"), "path to the selected trial, or to the champion"]])
    : s.color === "latency" ? legend([[shades[0]!, "fastest"], [shades[8]!, "half of them faster"], [shades[15]!, "slowest"], [css("--failed"), "failed"]])
    : legend(words.slice(0, 12).map((word, i) => [runColor(i), word] as const)));
}

/** A colour between two of the form #rgb or #rrggbb. */
function mixed(from: string, until: string, share: number): string {
  const parts = (color: string): number[] => { const hex = color.replace("#", ""), step = hex.length / 3; return [0, 1, 2].map((i) => parseInt(hex.slice(i * step, (i + 1) * step).repeat(step === 1 ? 2 : 1), 16)); };
  const a = parts(from), b = parts(until);
  return `#${a.map((value, i) => Math.round(value + (b[i]! - value) * share).toString(16).padStart(2, "0")).join("")}`;
}

function minmax(values: number[]): number[] {
  let low = Infinity, high = -Infinity;
  for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
  return Number.isFinite(low) ? [low, high] : [1, 2];
}

export function lineage(run: Run, rows: number[], s: State): Child {
  const selected = run.row(s.trial), target = selected >= 0 && run.groups[selected] === "correct" ? selected : run.champion;
  const path = run.path(target), start = path[0] ?? -1;
  const first: Child = run.baseline >= 0 && start >= 0 && start !== run.baseline
    ? stepCard(run, run.baseline, -1, [], false) : null;
  const jump: Child = first ? h("li", { class: `edge ${run.gain(run.baseline, start).verdict}` }, h("div", {}, verdict(run.gain(run.baseline, start)), " ", h("strong", {}, gainText(run.gain(run.baseline, start))), h("span", { class: "dim" }, ` another start, no descendant of the baseline: ${run.word("rationale", start)}`)), h("div", { class: "mono changes" }, (changesOf(run, run.baseline, start)[0] ?? "").startsWith("template ") ? changesOf(run, run.baseline, start) : null)) : null;
  return [
    section(target === run.champion ? "The champion's path" : `The path of trial ${run.index(target)}`, "From the oldest ancestor down, first parents only. The edge says what changed, what it gained against its parent, and whether that is better, a tie or worse.",
      target !== run.champion && h("p", {}, to({ trial: null }, "the champion's path")),
      path.length > 0 ? h("ol", { class: "path", id: "path" }, first, jump, path.map((row, i) => stepCard(run, row, i > 0 ? path[i - 1]! : -1, i > 0 ? changesOf(run, path[i - 1]!, row) : [], row === run.champion))) : h("p", {}, "There is no champion."),
      asTable(() => pathTable(run, path))),
    family(run, target),
    roofline(run, s),
    section("The whole tree", "Across: the order of the trials. Up: latency, on a logarithmic axis. Lines lead to parents.",
      h("div", { class: "filters" }, toggle(s.tree ? "hide the tree" : `draw all ${grouped(rows.length)} trials`, s.tree, (on) => go({ tree: on }), "primary"),
        s.tree && choice("colour", s.color, [["status", "status"], ["template", "template"], ["operator", "operator"], ["latency", "latency"]], (color) => go({ color }))),
      s.tree && rows.length > 0 && [tree(run, rows, s), asTable(() => treeTable(run, rows))]),
  ];
}
