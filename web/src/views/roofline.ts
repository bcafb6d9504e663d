// The champion's path under the roofs of the target's rates.
import { css } from "../chart";
import { asTable, h, microseconds, number, percent, section, table, type Child } from "../dom";
import { choice, kindBadge, legend, trialLink } from "../parts";
import type { RooflinePoint } from "../document";
import type { Run } from "../run";
import { go, type State } from "../state";

const width = 760, height = 400, left = 70, right = 20, top = 16, bottom = 46;
const decades = (from: number, until: number): number[] => { const list: number[] = []; for (let e = Math.ceil(Math.log10(from)); e <= Math.floor(Math.log10(until)); ++e) list.push(10 ** e); return list; };

function chart(run: Run, points: RooflinePoint[]): HTMLElement {
  const { roofs } = run.data.roofline!, dram = roofs.dram_gb_per_s / 1000, l2 = roofs.l2_gb_per_s / 1000, peak = roofs.tensor_fp16_tflops;
  const at = points.map((p) => p.intensity), ridge = peak ? peak / dram : Math.max(...at) * 4;
  const xs = [Math.min(...at, ridge) / 4, Math.max(...at, ridge) * 4] as const;
  const ys = [Math.min(...points.map((p) => p.tflops)) / 3, Math.max(peak ?? 0, ...points.map((p) => p.limit_tflops), ...points.map((p) => p.tflops)) * 2] as const;
  const x = (v: number) => left + ((width - left - right) * Math.log(v / xs[0])) / Math.log(xs[1] / xs[0]);
  const y = (v: number) => height - bottom - ((height - top - bottom) * Math.log(Math.max(v, ys[0]) / ys[0])) / Math.log(ys[1] / ys[0]);
  const roof = (rate: number): string => {
    const end = peak ? Math.min(peak / rate, xs[1]) : xs[1], start = Math.max(xs[0], ys[0] / rate);
    return `${x(start).toFixed(1)},${y(start * rate).toFixed(1)} ${x(end).toFixed(1)},${y(end * rate).toFixed(1)}${peak && end < xs[1] ? ` ${x(xs[1]).toFixed(1)},${y(peak).toFixed(1)}` : ""}`;
  };
  const onPath = points.filter((p) => p.trial !== run.index(run.baseline) || run.path(run.champion).includes(run.baseline));
  const dot = (p: RooflinePoint): HTMLElement => {
    const row = run.row(p.trial), name = `trial ${p.trial}${row === run.champion ? ", the champion" : row === run.baseline ? ", the baseline" : ""}: ${number(p.tflops)} TFLOP/s, ${percent(p.of_limit)} of the limit`;
    const circle = h("circle", { "data-trial": p.trial, cx: x(p.intensity), cy: y(p.tflops), r: row === run.champion ? 7 : 5, tabindex: 0, role: "button", "aria-label": name, class: row === run.champion ? "champion" : row === run.baseline ? "baseline" : "" }, h("title", {}, name));
    circle.addEventListener("click", () => go({ trial: p.trial }));
    circle.addEventListener("keydown", (event) => { if (["Enter", " "].includes((event as KeyboardEvent).key)) { event.preventDefault(); go({ trial: p.trial }); } });
    return circle;
  };
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Roofline" }, h("svg", { viewBox: `0 0 ${width} ${height}`, class: "roofline", role: "group", "aria-label": "Roofline; the table below has the numbers" },
    decades(...xs).map((v) => [h("line", { x1: x(v), x2: x(v), y1: top, y2: height - bottom, class: "grid" }), h("text", { x: x(v), y: height - bottom + 16, class: "middle" }, number(v))]),
    decades(...ys).map((v) => [h("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid" }), h("text", { x: left - 6, y: y(v) + 4, class: "end" }, number(v))]),
    h("text", { x: (left + width) / 2, y: height - 8, class: "middle" }, "operations a byte (work model)"), h("text", { x: left + 6, y: top + 12 }, `TFLOP/s, ${run.data.latency_kind} latency`),
    h("polyline", { points: roof(l2), class: "roof l2" }), h("polyline", { points: roof(dram), class: "roof" }),
    h("polyline", { points: onPath.map((p) => `${x(p.intensity).toFixed(1)},${y(p.tflops).toFixed(1)}`).join(" "), class: "path" }),
    points.map(dot)));
}

export function roofline(run: Run, s: State): Child {
  const title = "Roofline of the champion's path", known = run.data.roofline;
  if (!known) return section(title, null, h("p", {}, "None: the problem has no work model, the target no rates, or no trial of the path a latency."));
  const names = [...new Set(known.points.map((p) => p.workload))], workload = names.includes(s.workload) ? s.workload : names[0]!;
  const points = known.points.filter((p) => p.workload === workload), modelled = run.data.latency_kind === "modelled", { roofs } = known;
  return section(title, [kindBadge(run), ` ${modelled ? "The rates come from the model's latencies: nothing here was measured. " : ""}Operations and bytes are those of the problem's work model (what has to be done at least), not counts of the kernel; the roofs are the data sheet's rates of the target ${run.data.target}: DRAM ${number(roofs.dram_gb_per_s)} GB/s, L2 ${number(roofs.l2_gb_per_s)} GB/s, tensor cores ${roofs.tensor_fp16_tflops === null ? "unknown" : `${number(roofs.tensor_fp16_tflops)} TFLOP/s in FP16`}. What fits the L2 may pass DRAM's roof.`],
    names.length > 1 && h("div", { class: "filters" }, choice("workload", workload, names.map((name) => [name, name] as const), (name) => go({ workload: name }))),
    chart(run, points),
    legend([[css("--better"), "the champion"], [css("--tie"), "its ancestors"], [css("--slower"), "the baseline"], [css("--text"), "roof: DRAM, tensor cores"], [css("--edge"), "roof: L2"]]),
    asTable(() => table("Rates of the champion's path", [
      { name: "trial", cell: (p: RooflinePoint) => trialLink(run, run.row(p.trial)), numeric: true }, { name: "workload", cell: (p) => p.workload },
      { name: `latency (${run.data.latency_kind})`, cell: (p) => { const entry = run.data.columns.workloads.find((w) => w.name === p.workload); return microseconds(entry?.latency_us[run.row(p.trial)] ?? null); }, numeric: true },
      { name: "operations a byte", cell: (p) => number(p.intensity), numeric: true }, { name: "TFLOP/s", cell: (p) => number(p.tflops), numeric: true }, { name: "GB/s", cell: (p) => number(p.gb_per_s), numeric: true },
      { name: "limit, TFLOP/s", cell: (p) => number(p.limit_tflops), numeric: true }, { name: "of the limit", cell: (p) => percent(p.of_limit), numeric: true }], known.points, "roofline-table")));
}
