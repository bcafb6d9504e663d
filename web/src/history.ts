// Latency of each trial over the run, and the best so far.
import uPlot from "uplot";
import { axisText, base, css, describe, makeTip, remember } from "./chart";
import { h } from "./dom";
import { movable } from "./move";
import type { Run } from "./run";
import { go, state, type State } from "./state";

/** Where points go on a canvas: pixels of values, and which pixels are taken already. */
class Paper {
  readonly left: number; readonly top: number; readonly right: number; readonly bottom: number;
  readonly minX: number; readonly maxX: number;
  private readonly scaleX: number; private readonly scaleY: number; private readonly topY: number;
  constructor(private readonly u: uPlot, private readonly log: boolean) {
    const { left, top, width, height } = u.bbox, x = u.scales["x"]!, y = u.scales["y"]!, of = (value: number) => (log ? Math.log(value) : value);
    this.left = left; this.top = top; this.right = left + width; this.bottom = top + height;
    this.minX = x.min!;
    this.maxX = x.max!;
    this.scaleX = width / (x.max! - x.min! || 1);
    this.topY = of(y.max!);
    this.scaleY = height / (of(y.max!) - of(y.min!) || 1);
  }
  x(value: number): number { return this.left + (value - this.minX) * this.scaleX; }
  y(value: number): number { return this.yOf(this.log ? Math.log(value) : value); }
  /** Of a value as the axis has it: its logarithm on a logarithmic one. */
  yOf(value: number): number { return this.top + (this.topY - value) * this.scaleY; }
  within(x: number): boolean { return x >= this.left && x <= this.right; }
  get context(): CanvasRenderingContext2D { return this.u.ctx; }
}

/** The part of `rows` whose x is from `min` to `max`: rows are in the order of every axis. */
function between(rows: Int32Array, x: Float64Array, min: number, max: number): Int32Array {
  const first = (value: number): number => {
    let low = 0, high = rows.length;
    while (low < high) { const middle = (low + high) >> 1; if (x[rows[middle]!]! < value) low = middle + 1; else high = middle; }
    return low;
  };
  let end = first(max);
  while (end < rows.length && x[rows[end]!]! <= max) ++end;
  return rows.subarray(first(min), end);
}

/** A dot for each row; of many that fall on the same few pixels one is drawn. `y`: as the axis has it. */
function dots(paper: Paper, all: Int32Array, x: Float64Array, y: Float64Array, size: number, color: string, filled: boolean, background: string): void {
  const context = paper.context, rows = between(all, x, paper.minX, paper.maxX), many = all.length > 2000, step = Math.max(1, rows.length > 20000 ? size : size / 2);
  const across = Math.ceil((paper.right - paper.left) / step) + 2, taken = new Uint8Array(many ? across * (Math.ceil((paper.bottom - paper.top) / step) + 2) : 0);
  context.fillStyle = filled ? color : background;
  context.strokeStyle = color;
  context.lineWidth = devicePixelRatio;
  context.beginPath();
  for (const row of rows) {
    const px = paper.x(x[row]!), py = paper.yOf(y[row]!);
    if (py < paper.top || py > paper.bottom) continue;
    if (many) {
      const place = Math.round((px - paper.left) / step) + across * Math.round((py - paper.top) / step);
      if (taken[place]) continue;
      taken[place] = 1;
    }
    // One by one: a path of tens of thousands of squares takes long to fill.
    if (many && filled) context.fillRect(px - size / 2, py - size / 2, size, size);
    else if (many) context.rect(px - size / 2, py - size / 2, size, size);
    else { context.moveTo(px + size / 2, py); context.arc(px, py, size / 2, 0, 7); }
  }
  context.fill();
  if (!filled) context.stroke();
}

/** Ticks at the foot, one a pixel. */
function ticks(paper: Paper, all: Int32Array, x: Float64Array, color: string): void {
  const rows = between(all, x, paper.minX, paper.maxX), context = paper.context, ratio = devicePixelRatio;
  let last = -1;
  context.fillStyle = color;
  for (const row of rows) {
    const px = Math.round(paper.x(x[row]!));
    if (px === last || !paper.within(px)) continue;
    last = px;
    context.fillRect(px - ratio / 2, paper.bottom - 9 * ratio, 1.5 * ratio, 9 * ratio);
  }
}

function arrows(paper: Paper, rows: Int32Array, x: Float64Array, color: string): void {
  const context = paper.context, size = 4 * devicePixelRatio;
  let last = -Infinity;
  context.fillStyle = color;
  for (const row of rows) {
    const px = paper.x(x[row]!);
    if (!paper.within(px) || px - last < 1) continue;
    last = px;
    context.beginPath();
    context.moveTo(px, paper.top + 1);
    context.lineTo(px - size, paper.top + 1.6 * size);
    context.lineTo(px + size, paper.top + 1.6 * size);
    context.fill();
  }
}

/** Generations, as many as the width has place for, legible over the grid. */
function generations(paper: Paper, starts: [number, number][]): void {
  const context = paper.context, ratio = devicePixelRatio, names: [string, number][] = [];
  context.strokeStyle = css("--line");
  context.fillStyle = css("--dim");
  context.font = `${11 * ratio}px system-ui, sans-serif`;
  context.textAlign = "left";
  context.setLineDash([3 * ratio, 3 * ratio]);
  let drawn = -Infinity;
  for (const [generation, x] of starts) {
    const at = Math.round(paper.x(x));
    if (!paper.within(at) || at - drawn < 34 * ratio) continue;
    drawn = at;
    context.beginPath();
    context.moveTo(at, paper.top);
    context.lineTo(at, paper.bottom);
    context.stroke();
    names.push([`g${generation}`, at + 3 * ratio]);
  }
  context.setLineDash([]);
  context.lineWidth = 5 * ratio;
  context.lineJoin = "round";
  context.strokeStyle = css("--bg");
  for (const [name, at] of names) {
    context.strokeText(name, at, paper.top + 14 * ratio);
    context.fillText(name, at, paper.top + 14 * ratio);
  }
}

/** Where a person has zoomed to, by run and axis: a filter or a newer state of the run leaves it there. */
const zoomed = new Map<string, [number, number]>();

export function history(run: Run, rows: number[], s: State): HTMLElement {
  const box = h("div", { class: "chart", role: "group", tabindex: 0, "aria-label": `Latency of ${rows.length} trials and the best so far; the table below has the numbers. Arrow keys move, plus and minus zoom, 0 shows all` });
  const all = Array.from({ length: run.count }, (_, row) => row), x = Float64Array.from(all, (row) => run.xOf(row, s.x));
  const y = Float64Array.from(all, (row) => { const latency = run.latency(row) ?? NaN; return s.log ? Math.log(latency) : latency; });
  // A line changes at few rows only.
  const turns = all.filter((row) => row === 0 || row === run.count - 1 || run.best[row] !== run.best[row - 1]);
  const best = turns.map((row) => (run.best[row]! < 0 ? null : run.latency(run.best[row]!)));
  const band = run.data.latency_kind === "measured" ? run.data.timing.drift : 0;
  const upper = best.map((value) => (value === null ? null : value * (1 + band)));
  const of = (want: (row: number) => boolean): Int32Array => Int32Array.from(rows.filter(want));
  const correct = (row: number) => run.groups[row] === "correct" && run.latency(row) !== null;
  const kinds = {
    failed: of((row) => run.groups[row] === "failed"), duplicate: of((row) => run.groups[row] === "duplicate"), tie: of((row) => correct(row) && run.status(row) === "tie"),
    better: of((row) => correct(row) && ["better", "proven"].includes(run.status(row))), slower: of((row) => correct(row) && !["better", "tie", "proven"].includes(run.status(row))),
  };
  const starts = all.filter((row) => row === 0 || run.data.columns.generation[row] !== run.data.columns.generation[row - 1]).map((row): [number, number] => [run.data.columns.generation[row]!, x[row]!]);
  // A few very slow trials would press everything else together: they stand at the upper edge, as arrows.
  const latencies = Float64Array.from(rows.filter(correct), (row) => run.latency(row)!).sort();
  const fastest = upper.reduce<number>((low, value) => (value === null ? low : Math.min(low, value)), latencies[0] ?? 1), start = run.baseline < 0 ? 0 : (run.latency(run.baseline) ?? 0);
  const ceiling = Math.max(start, latencies[Math.floor(0.97 * (latencies.length - 1))] ?? 2 * fastest) * 1.06;
  const beyond = of((row) => correct(row) && run.latency(row)! > ceiling);
  const whole: [number, number] = s.log ? [fastest / (1.12 * (ceiling / fastest) ** 0.06), ceiling] : [0, ceiling];
  const stepped = uPlot.paths.stepped!({ align: 1 });

  /** Zoomed in: what is seen there. */
  const rangeOf = (min: number, max: number): [number, number] => {
    if (min <= x[0]! && max >= x[x.length - 1]!) return whole;
    let low = Infinity, high = 0;
    for (const list of [kinds.better, kinds.tie, kinds.slower]) for (const row of between(list, x, min, max)) {
      const latency = run.latency(row)!;
      if (latency < low) low = latency;
      if (latency > high) high = latency;
    }
    return low < Infinity ? [s.log ? low / (1.05 * (high / low) ** 0.08) : 0, Math.min(high, ceiling) * 1.05] : whole;
  };
  const near = (u: uPlot): number => {
    const left = u.cursor.left ?? -1, top = u.cursor.top ?? -1;
    if (left < 0 || top < 0) return -1;
    const from = u.posToVal(left - 20, "x"), until = u.posToVal(left + 20, "x");
    // The first row at or behind `from`: rows are in the order of every axis.
    let low = 0, high = rows.length;
    while (low < high) { const middle = (low + high) >> 1; if (x[rows[middle]!]! < from) low = middle + 1; else high = middle; }
    let found = -1, distance = 20 * 20;
    for (let i = low; i < rows.length && x[rows[i]!]! <= until; ++i) {
      const row = rows[i]!, latency = correct(row) ? run.latency(row)! : null;
      const dx = u.valToPos(x[row]!, "x") - left, dy = (latency === null ? u.over.clientHeight - 4 : Math.max(4, u.valToPos(latency, "y"))) - top;
      if (dx * dx + dy * dy < distance) { distance = dx * dx + dy * dy; found = row; }
    }
    return found;
  };
  requestAnimationFrame(() => {
    if (!box.isConnected) return;
    const first = x[0] ?? 0, last = x[x.length - 1] ?? 1, name = `${run.data.run} ${s.x}`;
    let range = whole;
    const plain = base(Math.max(box.clientWidth, 280), s.log, axisText[s.x], `latency, µs (${run.data.latency_kind})`), ratio = devicePixelRatio;
    const chart = new uPlot({
      ...plain,
      scales: { ...plain.scales, y: { ...plain.scales!["y"], range: () => range } },
      series: [{}, { label: "tie up to", paths: stepped, points: { show: false }, stroke: "transparent" }, { label: "best so far", paths: stepped, points: { show: false }, stroke: css("--better"), width: 2 }],
      bands: band > 0 ? [{ series: [1, 2], fill: css("--band") }] : [],
      hooks: {
        drawAxes: [(u) => { u.ctx.save(); generations(new Paper(u, s.log), starts); u.ctx.restore(); }],
        draw: [(u) => {
          // What the axes reach, for those who look at pixels.
          for (const axis of ["x", "y"] as const) box.dataset[axis] = `${u.scales[axis]!.min} ${u.scales[axis]!.max}`;
          const paper = new Paper(u, s.log), background = css("--bg"), many = rows.length > 2000 ? 0.6 : 1;
          u.ctx.save();
          dots(paper, kinds.slower, x, y, 5 * ratio * many, css("--slower"), true, background);
          dots(paper, kinds.tie, x, y, 6 * ratio * many, css("--tie"), false, background);
          dots(paper, kinds.better, x, y, 8 * ratio, css("--better"), true, background);
          ticks(paper, kinds.duplicate, x, css("--duplicate"));
          ticks(paper, kinds.failed, x, css("--failed"));
          arrows(paper, beyond, x, css("--slower"));
          const selected = run.row(state().trial), latency = selected < 0 ? null : run.latency(selected);
          if (selected >= 0 && latency !== null && paper.within(paper.x(x[selected]!))) {
            u.ctx.strokeStyle = css("--text");
            u.ctx.lineWidth = 2 * ratio;
            u.ctx.beginPath();
            u.ctx.arc(paper.x(x[selected]!), Math.max(paper.top + 6, paper.y(latency)), 8 * ratio, 0, 7);
            u.ctx.stroke();
          }
          u.ctx.restore();
        }],
        setScale: [(u, key) => {
          if (key !== "x") return;
          const min = u.scales["x"]!.min ?? first, max = u.scales["x"]!.max ?? last, next = rangeOf(min, max);
          if (min <= first && max >= last) zoomed.delete(name);
          else zoomed.set(name, [min, max]);
          if (next[0] === range[0] && next[1] === range[1]) return;
          range = next;
          u.setScale("y", { min: next[0], max: next[1] });
        }],
        setCursor: [(u) => {
          const row = near(u);
          u.over.style.setProperty("cursor", row < 0 ? "crosshair" : "pointer");
          if (row < 0) return tip.hide();
          const latency = run.latency(row);
          tip.show(u.valToPos(x[row]!, "x") + u.over.offsetLeft, (latency === null || !correct(row) ? u.over.clientHeight - 8 : Math.max(4, u.valToPos(latency, "y"))) + u.over.offsetTop, describe(run, row));
        }],
      },
    }, [turns.map((row) => x[row]!), upper, best] as uPlot.AlignedData, box);
    const tip = makeTip(box);
    chart.over.addEventListener("click", () => {
      const row = near(chart);
      if (row >= 0) go({ trial: run.index(row) });
    });
    chart.over.addEventListener("mouseleave", () => tip.hide());
    // Both scales at once: one drawing.
    const show = (min: number, max: number) => chart.batch(() => {
      range = rangeOf(min, max);
      chart.setScale("x", { min, max });
      chart.setScale("y", { min: range[0], max: range[1] });
    });
    movable(chart, box, first, last, show);
    const before = zoomed.get(name);
    if (before && before[1] > first && before[0] < last) show(...before);
    remember(chart, box);
  });
  return box;
}
