// Who was busy when, from when trials were committed and how long their gates took.
import type { Run } from "./run";

export interface WorkBin {
  from: number; // seconds of the run
  until: number;
  trials: number; // committed in it
  busy: number; // trials in their gates, on average
  device: number; // share of the device's time
}

/** Even parts of the run's time. What a trial's gates took is shared out over the time before its commit. */
export function workOverTime(run: Run, some: number[], most = 60): WorkBin[] {
  const c = run.data.columns, rows = run.count, end = run.data.elapsed_seconds;
  if (rows === 0 || !(end > 0)) return [];
  const count = Math.min(most, Math.max(1, rows)), width = end / count;
  const bins = Array.from({ length: count }, (_, i): WorkBin => ({ from: i * width, until: (i + 1) * width, trials: 0, busy: 0, device: 0 }));
  const gates = Object.values(c.gate_ms), at = (second: number) => Math.min(count - 1, Math.max(0, Math.floor(second / width)));
  // A run that lists a share of its trials: each stands for several.
  const weight = run.data.trials / rows;
  for (const row of some) {
    const done = c.elapsed_seconds[row]!, took = gates.reduce((sum, gate) => sum + (gate[row] ?? 0), 0) / 1000, first = Math.max(0, done - took);
    bins[at(done)]!.trials += weight;
    const spread = done - first;
    for (let i = at(first); i <= at(done); ++i) {
      const bin = bins[i]!, share = spread > 0 ? Math.max(0, Math.min(done, bin.until) - Math.max(first, bin.from)) / spread : i === at(done) ? 1 : 0;
      bin.busy += (weight * share * took) / width;
      bin.device += (weight * share * c.device_seconds[row]!) / width;
    }
  }
  for (const bin of bins) bin.trials = Math.round(bin.trials);
  return bins;
}
