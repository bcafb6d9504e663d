// The weights of operators and language models where the search has a bandit: what it learned, generation by generation.
import { asTable, h, number, percent, plural, section, table, times, type Child } from "../dom";
import type { BanditArm } from "../document";
import type { Run } from "../run";

/** How often an arm is asked: its part of all weights. */
export function share(arm: BanditArm, arms: readonly BanditArm[]): number {
  const all = arms.reduce((sum, each) => sum + each.weight * each.factor, 0);
  return all > 0 ? (arm.weight * arm.factor) / all : 0;
}

export function bandit(run: Run): Child {
  const history = run.data.bandit, last = history.at(-1);
  if (!last) return section("What the bandit learned", null, h("p", { class: "dim", id: "no-bandit" }, "The weights stood still: ", h("code", {}, "search.bandit"), " was off."));
  const first = history[0]!, arms = last.arms.slice().sort((a, b) => b.weight * b.factor - a.weight * a.factor), most = Math.max(1e-9, ...arms.map((arm) => share(arm, last.arms)));
  return section("What the bandit learned", `Weights of generation ${last.generation}: what brought gains over its parent is asked more often. A gain counts where it is significant; trials, gains and their mean are those of the last 256 that the generation saw.`,
    table("Weights", [
      { name: "operator", cell: (arm) => arm.name }, { name: "share", cell: (arm) => percent(share(arm, last.arms)), numeric: true },
      { name: "~bar", cell: (arm) => h("div", { class: "meter" }, h("i", { class: arm.factor >= 1 ? "better" : "slower", style: { width: `${((100 * share(arm, last.arms)) / most).toFixed(2)}%` } })) },
      { name: "at first", cell: (arm) => { const before = first.arms.find((each) => each.name === arm.name); return before ? percent(share(before, first.arms)) : "–"; }, numeric: true },
      { name: "factor", cell: (arm) => times(arm.factor), numeric: true }, { name: "trials", cell: (arm) => arm.trials, numeric: true }, { name: "gains", cell: (arm) => arm.gains, numeric: true },
      { name: "mean gain", cell: (arm) => (arm.trials > 0 ? `${number(100 * arm.reward)} %` : "–"), numeric: true },
    ], arms, "bandit"),
    asTable(() => table(`Shares of ${plural(history.length, "generation")}`, [
      { name: "generation", cell: (entry: (typeof history)[number]) => entry.generation, numeric: true },
      ...arms.map((arm) => ({ name: arm.name, numeric: true, cell: (entry: (typeof history)[number]): Child => { const found = entry.arms.find((each) => each.name === arm.name); return found ? percent(share(found, entry.arms)) : "–"; } })),
    ], history, "bandit-generations"), "Share by generation"));
}
