// All ancestors of a trial, not those alone that are first parents, laid out in layers by dagre.
import { Graph, layout } from "@dagrejs/dagre";
import { describe } from "../chart";
import { asTable, h, microseconds, plural, section, table, type Child } from "../dom";
import { gainText, trialLink, verdict } from "../parts";
import type { Run } from "../run";
import { go } from "../state";

/** More trials than these are no picture that anybody reads. */
const most = 80;
const wide = 104, high = 38;

interface Edge { parent: number; child: number; first: boolean }

/** The trials that a trial comes from, the oldest first, and who is whose parent. Those nearest to it, where there are too many. */
export function familyOf(run: Run, target: number): { rows: number[]; edges: Edge[]; left: number } {
  const found = new Set<number>([target]), edges: Edge[] = [];
  let left = 0;
  // Breadth first: parents before grandparents. The path itself is always whole.
  for (const row of run.path(target)) found.add(row);
  const queue = [...run.path(target).reverse()], seen = new Set(queue);
  for (let at = 0; at < queue.length; ++at) {
    const child = queue[at]!, parents = [...new Set(run.parents(child).filter((parent): parent is number => typeof parent === "number" && parent < child))];
    parents.forEach((parent, i) => {
      if (!found.has(parent) && found.size >= most) { left++; return; }
      found.add(parent);
      edges.push({ parent, child, first: i === 0 });
      if (!seen.has(parent)) { seen.add(parent); queue.push(parent); }
    });
  }
  return { rows: [...found].sort((a, b) => a - b), edges, left };
}

export function family(run: Run, target: number): Child {
  if (target < 0) return null;
  const { rows, edges, left } = familyOf(run, target), path = run.path(target), onPath = new Set(path);
  // A path without a second parent anywhere is drawn above already.
  if (rows.length <= path.length) return null;
  const graph = new Graph().setGraph({ rankdir: "LR", nodesep: 12, ranksep: 46, marginx: 8, marginy: 8 }).setDefaultEdgeLabel(() => ({}));
  for (const row of rows) graph.setNode(String(row), { width: wide, height: high });
  // The path is to be the straightest line.
  for (const { parent, child } of edges) graph.setEdge(String(parent), String(child), { weight: onPath.has(parent) && onPath.has(child) ? 8 : 1 });
  layout(graph);
  const size = graph.graph() as { width: number; height: number };
  const line = ({ parent, child, first }: Edge): HTMLElement => {
    const { points } = graph.edge(String(parent), String(child)) as { points: { x: number; y: number }[] };
    const bold = first && onPath.has(parent) && onPath.has(child);
    return h("polyline", { points: points.map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`).join(" "), class: `${run.gain(parent, child).verdict}${bold ? " path" : ""}${first ? "" : " second"}` });
  };
  const node = (row: number): HTMLElement => {
    const { x, y } = graph.node(String(row)) as { x: number; y: number }, name = describe(run, row).join("\n");
    const open = () => go({ trial: run.index(row) });
    return h("g", { "data-trial": run.index(row), tabindex: 0, role: "button", "aria-label": name, class: `${run.groups[row]}${row === run.champion ? " champion" : ""}${onPath.has(row) ? " path" : ""}`, onclick: open, onkeydown: (event) => { if (["Enter", " "].includes((event as KeyboardEvent).key)) { event.preventDefault(); open(); } } },
      h("title", {}, name), h("rect", { x: (x - wide / 2).toFixed(1), y: (y - high / 2).toFixed(1), width: wide, height: high, rx: 6 }),
      h("text", { x: x.toFixed(1), y: (y - 3).toFixed(1) }, `trial ${run.index(row)}`), h("text", { x: x.toFixed(1), y: (y + 12).toFixed(1), class: "small" }, run.latency(row) === null ? run.word("reason", row).slice(0, 16) : microseconds(run.latency(row))));
  };
  const box = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Ancestors" }, h("svg", { viewBox: `0 0 ${size.width.toFixed(0)} ${size.height.toFixed(0)}`, class: "family", role: "group", "aria-label": "Lineage as a graph; the table below has its lines", style: { width: `${size.width.toFixed(0)}px` } }, edges.map(line), rows.map(node)));
  // The youngest, which the others lead to, is what people look for first.
  requestAnimationFrame(() => { box.scrollLeft = box.scrollWidth; });
  return section(run.champion === target ? "Where the champion's genes come from" : `Where the genes of trial ${run.index(target)} come from`,
    ["All its ancestors, second parents of crossovers too (dashed), the oldest at the left. Lines are coloured by what the child gained against that parent: better, a tie, worse. The bold line is the path above.", left > 0 ? ` The nearest ${rows.length}; ${plural(left, "line")} to older ones ${left === 1 ? "is" : "are"} left out.` : null],
    box,
    asTable(() => table("Ancestors and what was gained against each parent", [
      { name: "trial", cell: (e: Edge) => trialLink(run, e.child), numeric: true }, { name: "parent", cell: (e) => trialLink(run, e.parent), numeric: true }, { name: "which", cell: (e) => (e.first ? "first" : "second") },
      { name: `latency (${run.data.latency_kind})`, cell: (e) => microseconds(run.latency(e.child)), numeric: true }, { name: "against this parent", cell: (e) => gainText(run.gain(e.parent, e.child)), numeric: true }, { name: "~verdict", cell: (e) => verdict(run.gain(e.parent, e.child)) },
    ], [...edges].sort((a, b) => a.child - b.child || Number(b.first) - Number(a.first)), "family-table")));
}
