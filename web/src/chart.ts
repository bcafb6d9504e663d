// Series over trials or time, on uPlot: canvas, so that 100,000 points are no burden.
import uPlot from "uplot";
import { grouped, h, microseconds, number, seconds, shown } from "./dom";
import type { Run } from "./run";
import type { State } from "./state";
import type { WorkBin } from "./work";

/** Colours and such of the page's style, kept until they change. */
const styles = new Map<string, string>();
export function css(name: string): string {
  let value = styles.get(name);
  if (value === undefined) styles.set(name, (value = getComputedStyle(document.documentElement).getPropertyValue(name).trim()));
  return value;
}
export const forgetStyles = (): void => styles.clear();

/** Charts of the shown view: destroyed with it, drawn again when the width or the colours change. */
let alive: { chart: uPlot; box: HTMLElement }[] = [];
export function remember(chart: uPlot, box: HTMLElement): void {
  alive.push({ chart, box });
}
export function forgetCharts(): void {
  for (const { chart } of alive) chart.destroy();
  alive = [];
}
/** What they mark has changed, their data has not. */
export function redrawCharts(): void {
  for (const { chart } of alive) chart.redraw(false, false);
}
export function resizeCharts(): void {
  for (const { chart, box } of alive) if (box.clientWidth > 0) chart.setSize({ width: box.clientWidth, height: chart.height });
}

export const axisText: Record<State["x"], string> = { trial: "trial", time: "wall time, s", device: "device time, s" };

/** A text that follows the pointer. */
export function makeTip(box: HTMLElement): { show: (x: number, y: number, lines: string[]) => void; hide: () => void } {
  const tip = h("div", { class: "tip", role: "status" });
  tip.hidden = true;
  box.append(tip);
  return {
    show(x, y, lines) {
      tip.replaceChildren(...lines.map((line) => h("div", {}, line)));
      tip.hidden = false;
      const left = Math.min(x + 14, box.clientWidth - tip.offsetWidth - 4);
      tip.style.setProperty("left", `${Math.max(0, left)}px`);
      tip.style.setProperty("top", `${Math.max(0, y - tip.offsetHeight - 10)}px`);
    },
    hide() { tip.hidden = true; },
  };
}

export function describe(run: Run, row: number): string[] {
  const interval = run.interval(row), reason = run.word("reason", row);
  const lines = [`trial ${run.index(row)} · generation ${run.data.columns.generation[row]} · ${run.variant(row)}`];
  const latency = run.latency(row);
  if (latency !== null) lines.push(`${microseconds(latency)} ${run.data.latency_kind}${interval ? ` [${interval[0].toFixed(3)}, ${interval[1].toFixed(3)}]` : ""}`);
  lines.push(`${run.status(row)}${reason ? `: ${reason}` : ""} · ${run.word("template", row)} · ${run.word("operator", row)}`);
  return lines;
}

/** Ticks of a logarithmic axis: 1, 2, 5, 10, ...; where fewer than four of these are in reach, even steps. */
export function ticks(low: number, high: number): number[] {
  const list: number[] = [];
  if (!(low > 0) || !(high > low)) return [low];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high); ++decade) for (const digit of [1, 2, 5]) list.push(Number(`${digit}e${decade}`));
  const inside = list.filter((tick) => tick >= low && tick <= high);
  if (inside.length >= 4) return inside;
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough)), step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
  return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(9)));
}

/** Steps of an axis of whole numbers. */
const whole = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));

export function base(width: number, log: boolean, xLabel: string, yLabel: string): Omit<uPlot.Options, "series"> {
  const axis = { stroke: css("--dim"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
  return {
    width, height: width < 500 ? 260 : 340,
    legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { show: false } },
    scales: { x: { time: false, range: (u, low, high) => (u.data[0].length === 1 ? [u.data[0][0]! - 1, u.data[0][0]! + 1] : [low, high]) }, y: log ? { distr: 3 } : {} },
    axes: [
      { ...axis, label: xLabel, labelSize: 22, ...(xLabel === "trial" ? { incrs: whole } : {}), values: (_: uPlot, values: (number | null)[]) => values.map((v) => (v === null || v < 0 ? "" : Number.isInteger(v) ? grouped(v) : xLabel === "trial" ? "" : number(v, 6))) },
      { ...axis, label: yLabel, size: 62, labelSize: 22, values: (_: uPlot, values: (number | null)[]) => values.map((v) => (v === null ? "" : number(v, 4))),
        ...(log ? { splits: (_: uPlot, __: number, low: number, high: number) => ticks(low, high), filter: (_: uPlot, values: number[]) => values } : {}) },
    ],
  };
}

export const runColors = ["#2563eb", "#b45309", "#15803d", "#9333ea", "#be123c", "#0e7490", "#4d7c0f", "#a21caf"];
const runColorsDark = ["#7cb0ff", "#f0b05c", "#62d48a", "#c9a2ff", "#ff8fa3", "#5fd0e6", "#a9d65c", "#f09bff"];
export const runColor = (i: number): string => (css("--dark") === "1" ? runColorsDark : runColors)[i % runColors.length]!;

/** The best so far of several runs over one axis. */
export function overlay(runs: Run[], s: State): HTMLElement {
  const best = new Map(runs.map((run) => [run, run.bestOf(run.filtered(s))]));
  const box = h("div", { class: "chart", role: "img", "aria-label": "Best so far of each run; the table below has the numbers" });
  const xs = [...new Set(runs.flatMap((run) => run.data.columns.index.map((_, row) => run.xOf(row, s.x))))].sort((a, b) => a - b);
  const at = new Map(xs.map((value, i) => [value, i]));
  const lines = runs.map((run) => {
    const line: (number | null | undefined)[] = new Array(xs.length).fill(undefined);
    for (let row = 0; row < run.count; ++row) line[at.get(run.xOf(row, s.x))!] = best.get(run)![row]! < 0 ? null : run.latency(best.get(run)![row]!);
    return line;
  });
  requestAnimationFrame(() => {
    if (!box.isConnected) return;
    const stepped = uPlot.paths.stepped!({ align: 1 });
    const chart = new uPlot({
      ...base(Math.max(box.clientWidth, 280), s.log, axisText[s.x], `best so far, µs (${[...new Set(runs.map((run) => run.data.latency_kind))].join(" and ")})`),
      series: [{}, ...runs.map((run, i) => ({ label: run.data.name, stroke: runColor(i), width: 2 + 2 * Math.min(3, runs.length - 1 - i), paths: stepped, points: { show: false } }))],
      hooks: { setCursor: [(u) => {
        if (u.cursor.idx === null || u.cursor.idx === undefined || (u.cursor.left ?? -1) < 0) return tip.hide();
        const here = xs[u.cursor.idx]!;
        const texts = runs.map((run) => {
          let row = -1;
          for (let i = 0; i < run.count && run.xOf(i, s.x) <= here; ++i) row = best.get(run)![i]!;
          return `${shown(run.data.name)}: ${row < 0 ? "–" : microseconds(run.latency(row))}`;
        });
        tip.show(u.cursor.left! + u.over.offsetLeft, u.cursor.top! + u.over.offsetTop, [s.x === "trial" ? `trial ${here}` : seconds(here), ...texts]);
      }] },
    }, [xs, ...lines] as unknown as uPlot.AlignedData, box);
    const tip = makeTip(box);
    chart.over.addEventListener("mouseleave", () => tip.hide());
    alive.push({ chart, box });
  });
  return box;
}

/** Work over the run's time: trials in their gates, and below it the share of the device's time. */
export function overTime(bins: WorkBin[], busy: string, device: string): HTMLElement {
  const box = h("div", { class: "chart", role: "img", "aria-label": "Trials in their gates over the run's time; the table below has the numbers" });
  requestAnimationFrame(() => {
    if (!box.isConnected) return;
    const stepped = uPlot.paths.stepped!({ align: 1 }), ends = [...bins.map((bin) => bin.from), bins.at(-1)!.until];
    const line = (value: (bin: WorkBin) => number) => [...bins.map(value), value(bins.at(-1)!)];
    const frame = base(Math.max(box.clientWidth, 280), false, "wall time, s", "trials in their gates");
    const chart = new uPlot({
      ...frame, height: 220,
      scales: { x: { time: false }, y: { range: (_, __, high) => [0, Math.max(high * 1.1, 1)] }, share: { range: [0, 1] } },
      axes: [...frame.axes!, { ...frame.axes![0]!, label: "device", scale: "share", side: 1, size: 56, grid: { show: false }, values: (_: uPlot, values: (number | null)[]) => values.map((v) => (v === null ? "" : `${Math.round(100 * v)} %`)) }],
      series: [{}, { label: "busy", paths: stepped, points: { show: false }, stroke: busy, width: 2, fill: `${busy}33` }, { label: "device", scale: "share", paths: stepped, points: { show: false }, stroke: device, width: 2 }],
      hooks: { setCursor: [(u) => {
        const x = u.posToVal(u.cursor.left ?? -1, "x"), bin = bins.find((b) => b.from <= x && x < b.until);
        if (!bin || (u.cursor.left ?? -1) < 0) return tip.hide();
        tip.show(u.cursor.left! + u.over.offsetLeft, u.cursor.top! + u.over.offsetTop, [`${seconds(bin.from)} to ${seconds(bin.until)}`, `${number(bin.busy)} in their gates`, `device ${(100 * bin.device).toFixed(1)} %`, `${bin.trials} trials ended`]);
      }] },
    }, [ends, line((bin) => bin.busy), line((bin) => Math.min(1, bin.device))], box);
    const tip = makeTip(box);
    chart.over.addEventListener("mouseleave", () => tip.hide());
    alive.push({ chart, box });
  });
  return box;
}
