// What the search was worth: a run beside one of the same task that only drew at random.
import { taskOf } from "../answers";
import { grouped, h, microseconds, plural, section, table, times, type Child } from "../dom";
import { to } from "../parts";
import type { Run } from "../run";

const task = (run: Run): string => JSON.stringify([taskOf(run), run.data.target, run.data.latency_kind, run.data.device.name]);
const isRandom = (run: Run): boolean => run.data.environment["strategy"] === "random";

/** The best so far after so many trials; null before the first correct one. */
export function bestAfter(run: Run, trials: number): number | null {
  let row = -1;
  for (let i = 0; i < run.count && run.index(i) < trials; ++i) row = run.best[i]!;
  return row < 0 ? null : run.latency(row);
}
/** How many trials a run needed for a latency of at most this; null: it never had it. */
export function trialsUntil(run: Run, latency: number): number | null {
  for (let i = 0; i < run.count; ++i) {
    const best = run.best[i]! < 0 ? null : run.latency(run.best[i]!);
    if (best !== null && best <= latency) return run.index(i) + 1;
  }
  return null;
}

export function againstRandom(runs: Run[]): Child {
  const pairs = runs.filter((run) => !isRandom(run)).flatMap((run) => runs.filter((other) => isRandom(other) && task(other) === task(run)).map((other) => ({ run, other })));
  if (pairs.length === 0) return section("Search against random", null, h("p", { class: "dim" }, "None of these runs drew at random only (strategy: random) for the task of another one: the same problem, target, device and workloads."));
  return section("Search against random", "Each run beside the one that only drew at random for the same task. Equal trials: the best of both after as many trials as the shorter one has. One pair of runs is one draw of each: it says nothing of other seeds.",
    table("Search against random", [
      { name: "run", cell: (p) => to({ view: "overview", run: runs.indexOf(p.run), trial: null }, p.run.data.name) }, { name: "random run", cell: (p) => to({ view: "overview", run: runs.indexOf(p.other), trial: null }, p.other.data.name) },
      { name: "trials", cell: (p) => grouped(Math.min(p.run.data.trials, p.other.data.trials)), numeric: true },
      { name: "search, best", cell: (p) => microseconds(bestAfter(p.run, Math.min(p.run.data.trials, p.other.data.trials))), numeric: true },
      { name: "random, best", cell: (p) => microseconds(bestAfter(p.other, Math.min(p.run.data.trials, p.other.data.trials))), numeric: true },
      { name: "search is faster by", numeric: true, cell: (p) => { const n = Math.min(p.run.data.trials, p.other.data.trials), a = bestAfter(p.run, n), b = bestAfter(p.other, n); return a === null || b === null ? "–" : times(b / a); } },
      { name: "search had random's best after", numeric: true, cell: (p) => { const best = bestAfter(p.other, Infinity), needed = best === null ? null : trialsUntil(p.run, best); return best === null ? "–" : needed === null ? "never" : plural(needed, "trial"); } },
      { name: "random needed", numeric: true, cell: (p) => { const best = bestAfter(p.other, Infinity); return best === null ? "–" : plural(trialsUntil(p.other, best)!, "trial"); } },
    ], pairs, "random"));
}
