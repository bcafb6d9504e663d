// Series over trials or time, on uPlot: canvas, so that 100,000 points are no burden.
import uPlot from "uplot";
import { h, microseconds, number, seconds, shown } from "./dom";
import type { Run } from "./run";
import { go, state, type State } from "./state";
import type { WorkBin } from "./work";

export const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Charts of the shown view: destroyed with it, drawn again when the width or the colours change. */
let alive: { chart: uPlot; box: HTMLElement }[] = [];
export function forgetCharts(): void {
  for (const { chart } of alive) chart.destroy();
  alive = [];
}
export function resizeCharts(): void {
  for (const { chart, box } of alive) if (box.clientWidth > 0) chart.setSize({ width: box.clientWidth, height: chart.height });
}

const axisText: Record<State["x"], string> = { trial: "trial", time: "wall time, s", device: "device time, s" };

/** A text that follows the pointer. */
function makeTip(box: HTMLElement): { show: (x: number, y: number, lines: string[]) => void; hide: () => void } {
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

function base(width: number, log: boolean, xLabel: string, yLabel: string): Omit<uPlot.Options, "series"> {
  const axis = { stroke: css("--dim"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
  return {
    width, height: width < 500 ? 260 : 340,
    legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { show: false } },
    scales: { x: { time: false }, y: log ? { distr: 3 } : {} },
    axes: [
      { ...axis, label: xLabel, labelSize: 22 },
      { ...axis, label: yLabel, size: 62, labelSize: 22, values: (_: uPlot, values: (number | null)[]) => values.map((v) => (v === null ? "" : number(v, 4))),
        // A scale of less than a decade has no power of ten to name.
        ...(log ? { filter: (u: uPlot, values: number[]) => ((u.scales.y!.max ?? 1) / (u.scales.y!.min ?? 1) < 3 ? values : values.map((v) => (/^[1235]/.test(v.toExponential()) ? v : null as unknown as number))) } : {}) },
    ],
  };
}

const dots = (color: string, size: number, filled: boolean): Partial<uPlot.Series> => ({
  paths: () => null, points: { show: true, size, stroke: color, fill: filled ? color : css("--bg"), width: 1 },
});

/** Latency of each trial, the best so far, generations, failures at the foot. */
export function history(run: Run, rows: number[], s: State): HTMLElement {
  const box = h("div", { class: "chart", role: "img", "aria-label": `Latency of ${rows.length} trials and the best so far; the table below has the numbers` });
  const all = Array.from({ length: run.count }, (_, row) => row);
  const kept = new Set(rows);
  const x = all.map((row) => run.xOf(row, s.x));
  const only = (want: (row: number) => boolean) => all.map((row) => (kept.has(row) && run.groups[row] === "right" && want(row) ? run.latency(row) : null));
  const best = all.map((row) => (run.best[row]! < 0 ? null : run.latency(run.best[row]!)));
  const measured = run.data.latency_kind === "measured";
  const band = measured ? run.data.timing.drift : 0;
  const upper = best.map((value) => (value === null ? null : value * (1 + band)));
  const stepped = uPlot.paths.stepped!({ align: 1 });
  const frame = () => {
    const options: uPlot.Options = {
      ...base(Math.max(box.clientWidth, 280), s.log, axisText[s.x], `latency, µs (${run.data.latency_kind})`),
      series: [
        {},
        { label: "tie up to", paths: stepped, points: { show: false }, stroke: "transparent" },
        { label: "best so far", paths: stepped, points: { show: false }, stroke: css("--better"), width: 2 },
        { label: "slower", ...dots(css("--slower"), 5, true) },
        { label: "tie", ...dots(css("--tie"), 6, false) },
        { label: "better", ...dots(css("--better"), 8, true) },
      ],
      bands: band > 0 ? [{ series: [1, 2], fill: css("--band") }] : [],
      hooks: {
        drawClear: [(u) => {
          // Generations, as many as the width has place for.
          const { left, top, width, height } = u.bbox, context = u.ctx;
          context.save();
          context.strokeStyle = css("--line");
          context.fillStyle = css("--dim");
          context.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
          context.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
          let last = -1, drawn = -Infinity;
          for (const row of all) {
            const generation = run.data.columns.generation[row]!;
            if (generation === last) continue;
            last = generation;
            const at = Math.round(u.valToPos(x[row]!, "x", true));
            if (at < left || at > left + width || at - drawn < 34 * devicePixelRatio) continue;
            drawn = at;
            context.beginPath();
            context.moveTo(at, top);
            context.lineTo(at, top + height);
            context.stroke();
            context.fillText(`g${generation}`, at + 3, top + 11 * devicePixelRatio);
          }
          context.restore();
        }],
        draw: [(u) => {
          // Failures have no latency: ticks at the foot.
          const { left, top, width, height } = u.bbox, context = u.ctx;
          context.save();
          for (const row of rows) {
            if (run.groups[row] === "right") continue;
            const at = u.valToPos(x[row]!, "x", true);
            if (at < left || at > left + width) continue;
            context.fillStyle = css(run.groups[row] === "failed" ? "--failed" : "--duplicate");
            context.fillRect(at - devicePixelRatio / 2, top + height - 9 * devicePixelRatio, 1.5 * devicePixelRatio, 9 * devicePixelRatio);
          }
          const selected = run.row(state().trial), latency = selected < 0 ? null : run.latency(selected);
          if (selected >= 0 && latency !== null) {
            context.strokeStyle = css("--text");
            context.lineWidth = 2 * devicePixelRatio;
            context.beginPath();
            context.arc(u.valToPos(x[selected]!, "x", true), u.valToPos(latency, "y", true), 8 * devicePixelRatio, 0, 7);
            context.stroke();
          }
          context.restore();
        }],
        setCursor: [(u) => {
          const near = nearest(u);
          if (near < 0) tip.hide();
          else {
            const latency = run.latency(near);
            tip.show(u.valToPos(x[near]!, "x") + u.over.offsetLeft, (latency === null ? u.over.clientHeight - 8 : u.valToPos(latency, "y")) + u.over.offsetTop, describe(run, near));
          }
          u.over.style.setProperty("cursor", near < 0 ? "crosshair" : "pointer");
        }],
      },
    };
    return options;
  };
  const nearest = (u: uPlot): number => {
    const left = u.cursor.left ?? -1, top = u.cursor.top ?? -1;
    if (left < 0 || top < 0) return -1;
    let found = -1, distance = 20 * 20;
    for (const row of rows) {
      const latency = run.groups[row] === "right" ? run.latency(row) : null;
      const dx = u.valToPos(x[row]!, "x") - left;
      if (Math.abs(dx) > 20) continue;
      const dy = (latency === null ? u.over.clientHeight - 4 : u.valToPos(latency, "y")) - top;
      if (dx * dx + dy * dy < distance) {
        distance = dx * dx + dy * dy;
        found = row;
      }
    }
    return found;
  };
  let tip: ReturnType<typeof makeTip>;
  requestAnimationFrame(() => {
    if (!box.isConnected) return;
    const chart = new uPlot(frame(), [x, upper, best, only((row) => !["better", "tie", "proven"].includes(run.status(row))), only((row) => run.status(row) === "tie"), only((row) => ["better", "proven"].includes(run.status(row)))], box);
    tip = makeTip(box);
    chart.over.addEventListener("click", () => {
      const near = nearest(chart);
      if (near >= 0) go({ trial: run.index(near) });
    });
    chart.over.addEventListener("mouseleave", () => tip.hide());
    alive.push({ chart, box });
  });
  return box;
}

export const runColors = ["#2563eb", "#b45309", "#15803d", "#9333ea", "#be123c", "#0e7490", "#4d7c0f", "#a21caf"];
const runColorsDark = ["#7cb0ff", "#f0b05c", "#62d48a", "#c9a2ff", "#ff8fa3", "#5fd0e6", "#a9d65c", "#f09bff"];
export const runColor = (i: number): string => (css("--dark") === "1" ? runColorsDark : runColors)[i % runColors.length]!;

/** The best so far of several runs over one axis. */
export function overlay(runs: Run[], s: State): HTMLElement {
  const box = h("div", { class: "chart", role: "img", "aria-label": "Best so far of each run; the table below has the numbers" });
  const xs = [...new Set(runs.flatMap((run) => run.data.columns.index.map((_, row) => run.xOf(row, s.x))))].sort((a, b) => a - b);
  const at = new Map(xs.map((value, i) => [value, i]));
  const lines = runs.map((run) => {
    const line: (number | null | undefined)[] = new Array(xs.length).fill(undefined);
    for (let row = 0; row < run.count; ++row) line[at.get(run.xOf(row, s.x))!] = run.best[row]! < 0 ? null : run.latency(run.best[row]!);
    return line;
  });
  requestAnimationFrame(() => {
    if (!box.isConnected) return;
    const stepped = uPlot.paths.stepped!({ align: 1 });
    const chart = new uPlot({
      ...base(Math.max(box.clientWidth, 280), s.log, axisText[s.x], "best so far, µs"),
      series: [{}, ...runs.map((run, i) => ({ label: run.data.name, stroke: runColor(i), width: 2, paths: stepped, points: { show: false } }))],
      hooks: { setCursor: [(u) => {
        if (u.cursor.idx === null || u.cursor.idx === undefined || (u.cursor.left ?? -1) < 0) return tip.hide();
        const here = xs[u.cursor.idx]!;
        const texts = runs.map((run) => {
          let row = -1;
          for (let i = 0; i < run.count && run.xOf(i, s.x) <= here; ++i) row = run.best[i]!;
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
