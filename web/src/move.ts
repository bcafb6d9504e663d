// Moving along a chart, and nearer: shift and drag or a sideways wheel, the arrow keys, plus and minus, a pinch.
import type uPlot from "uplot";

export function movable(chart: uPlot, box: HTMLElement, first: number, last: number, set: (min: number, max: number) => void): void {
  let wanted: [number, number] | null = null;
  /** Once a frame, however many events there are. */
  const show = (min: number, max: number): void => {
    const width = Math.min(max - min, last - first), from = Math.max(first, Math.min(min, last - width));
    if (!wanted) requestAnimationFrame(() => { const [a, b] = wanted!; wanted = null; if (box.isConnected) set(a, b); });
    wanted = [from, from + width];
  };
  const now = (): [number, number] => wanted ?? [chart.scales["x"]!.min ?? first, chart.scales["x"]!.max ?? last];
  const by = (share: number): void => { const [min, max] = now(), step = share * (max - min); show(min + step, max + step); };
  const zoom = (factor: number, at = 0.5): void => {
    const [min, max] = now(), width = Math.max((max - min) * factor, (last - first) / 1e5), middle = min + at * (max - min);
    show(middle - at * width, middle + (1 - at) * width);
  };
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const act: Record<string, () => void> = { ArrowLeft: () => by(-0.15), ArrowRight: () => by(0.15), "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), "0": () => show(first, last) };
    if (!act[event.key]) return;
    event.preventDefault();
    act[event.key]!();
  });
  box.addEventListener("wheel", (event) => {
    const width = chart.over.clientWidth || 1;
    if (event.ctrlKey) zoom(Math.exp(event.deltaY / 200), Math.max(0, Math.min(1, (event.clientX - chart.over.getBoundingClientRect().left) / width)));
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) by(event.deltaX / width);
    else return;
    event.preventDefault();
  }, { passive: false });
  // Before the chart's own, which would select what to zoom into.
  box.addEventListener("mousedown", (event) => {
    if (!event.shiftKey || event.button !== 0) return;
    event.stopPropagation();
    event.preventDefault();
    const [min, max] = now(), from = event.clientX, scale = (max - min) / (chart.over.clientWidth || 1);
    const move = (moved: MouseEvent) => show(min - (moved.clientX - from) * scale, max - (moved.clientX - from) * scale);
    const end = () => {
      removeEventListener("mousemove", move);
      removeEventListener("mouseup", end);
      // The click that a release makes opens no trial.
      box.addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", end);
  }, true);
}
