// Ways to lay out the champion's ancestors, beside each other: lines that cross, the way of the champion's path, time.
//   evo report RUN --json > run.json; node web/layouts.mjs run.json
// elkjs, which the page does not use, is compared where it is installed (npm install --no-save elkjs, in any folder above).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Graph, layout } from "@dagrejs/dagre";

const { columns: c, champion_trial, name } = JSON.parse(readFileSync(process.argv[2])).runs[0], wide = 104, high = 38;
const champion = c.index.indexOf(champion_trial), path = [];
for (let at = champion; at >= 0 && !path.includes(at); at = typeof c.parents[at][0] === "number" ? c.parents[at][0] : -1) path.unshift(at);
const queue = [...path].reverse(), found = new Set(queue), edges = [];
for (let i = 0; i < queue.length; ++i) for (const parent of new Set(c.parents[queue[i]].filter((p) => typeof p === "number" && p < queue[i]))) {
  if (!found.has(parent)) { if (found.size >= 80) continue; found.add(parent); queue.push(parent); }
  edges.push([parent, queue[i]]);
}
const rows = [...found].sort((a, b) => a - b);

const side = ([ax, ay], [bx, by], [x, y]) => Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));
const cross = (a, b, p, q) => side(a, b, p) * side(a, b, q) < 0 && side(p, q, a) * side(p, q, b) < 0;
/** Pairs of lines that cross, nodes that lie on one another, and how far the path is from a straight line. */
function judge(lines, places) {
  let crossings = 0, covered = 0;
  lines.forEach((a, i) => lines.slice(i + 1).forEach((b, k) => {
    if (edges[i].some((row) => edges[i + 1 + k].includes(row))) return;
    if (a.slice(1).some((_, m) => b.slice(1).some((_, n) => cross(a[m], a[m + 1], b[n], b[n + 1])))) crossings++;
  }));
  rows.forEach((a, i) => rows.slice(i + 1).forEach((b) => { if (Math.abs(places.get(a)[0] - places.get(b)[0]) < wide && Math.abs(places.get(a)[1] - places.get(b)[1]) < high) covered++; }));
  return { crossings, covered };
}
async function timed(label, make) {
  await make();
  const began = performance.now(), { lines, places } = await make(), ms = performance.now() - began, { crossings, covered } = judge(lines, places);
  console.log(`| ${label} | ${crossings} | ${covered} | ${ms.toFixed(1)} ms |`);
}

console.log(`${name}: ${rows.length} ancestors, ${edges.length} lines\n\n| layout | lines that cross | boxes that cover one another | time |\n|---|---|---|---|`);
await timed("by trial and latency (1200 x 400)", () => {
  const known = rows.filter((row) => c.latency_us[row] !== null).map((row) => Math.log(c.latency_us[row])), low = Math.min(...known), span = Math.max(...known) - low || 1;
  const places = new Map(rows.map((row) => [row, [(1200 * c.index[row]) / c.index[champion], c.latency_us[row] === null ? 400 : 380 - (360 * (Math.log(c.latency_us[row]) - low)) / span]]));
  return { places, lines: edges.map(([a, b]) => [places.get(a), places.get(b)]) };
});
await timed("dagre", () => {
  const graph = new Graph().setGraph({ rankdir: "LR", nodesep: 12, ranksep: 46 }).setDefaultEdgeLabel(() => ({}));
  for (const row of rows) graph.setNode(String(row), { width: wide, height: high });
  for (const [a, b] of edges) graph.setEdge(String(a), String(b), { weight: path.includes(a) && path.includes(b) ? 8 : 1 });
  layout(graph);
  return { places: new Map(rows.map((row) => [row, [graph.node(String(row)).x, graph.node(String(row)).y]])), lines: edges.map(([a, b]) => graph.edge(String(a), String(b)).points.map((p) => [p.x, p.y])) };
});
try {
  const Elk = createRequire(`${process.cwd()}/`)("elkjs/lib/elk.bundled.js");
  const elk = new Elk();
  await timed("ELK, layered", async () => {
    const made = await elk.layout({ id: "root", layoutOptions: { "elk.algorithm": "layered", "elk.direction": "RIGHT", "elk.edgeRouting": "POLYLINE" }, children: rows.map((row) => ({ id: String(row), width: wide, height: high })), edges: edges.map(([a, b], i) => ({ id: `e${i}`, sources: [String(a)], targets: [String(b)] })) });
    return { places: new Map(made.children.map((node) => [Number(node.id), [node.x + wide / 2, node.y + high / 2]])), lines: made.edges.map(({ sections: [s] }) => [s.startPoint, ...(s.bendPoints ?? []), s.endPoint].map((p) => [p.x, p.y])) };
  });
} catch (error) {
  console.log(`| ELK | not installed here (${error.code ?? error}) | | |`);
}
