// Money and time: what was spent, what is left, where it went, what a percent of gain cost, and who was busy when.
import { gateSums } from "../answers";
import { css, overTime } from "../chart";
import { asTable, grouped, h, microseconds, number, percent, plural, seconds, section, table, times, type Child } from "../dom";
import { ofListed } from "../funnel";
import { kindBadge, legend } from "../parts";
import type { Run } from "../run";
import { workOverTime } from "../work";

function economics(run: Run): Child {
  const e = run.data.economics, longest = Math.max(1e-9, ...e.phases.map((p) => p.seconds)), m = run.data.models.reduce((sum, model) => sum + model.money, 0);
  return section("What a gain cost", null,
    h("ul", { id: "economics" },
      h("li", {}, e.gain_percent === null ? "There is no gain to price: the baseline or a champion is missing." : [h("strong", {}, `${e.gain_percent.toFixed(1)} %`), " of the baseline's latency saved ", kindBadge(run)]),
      e.device_seconds_per_percent !== null && h("li", {}, `A percent took ${number(e.device_seconds_per_percent)} s of the device${e.money_per_percent === null ? "" : ` and ${number(e.money_per_percent)} in money`}.`),
      h("li", {}, `Cost: ${number(e.money)} for the device${run.data.workers.length > 0 ? " and what a farm's workers did, at their own prices" : ""}${m > 0 ? `, ${number(m)} for language models` : ""}${run.data.budget.hourly_price > 0 ? `, at ${number(run.data.budget.hourly_price)} a device hour` : "; the experiment names no price of a device hour"}.`),
      h("li", {}, run.data.budget.stop_if ? `It stops by itself when there is ${run.data.budget.stop_if}. ` : null, e.stopped ? `Why it ended: ${e.stopped}.` : "It has not come to its end.")),
    table("Cost of each part of the ladder", [
      { name: "part", cell: (p) => p.phase }, { name: "in the gates", cell: (p) => seconds(p.seconds), numeric: true },
      { name: "~bar", cell: (p) => h("div", { class: "meter" }, h("i", { style: { width: `${(100 * p.seconds) / longest}%` } })) },
      { name: "device", cell: (p) => seconds(p.device_seconds), numeric: true }, { name: "cost", cell: (p) => number(p.money), numeric: true }], e.phases, "phases"));
}

/** How many were busy follows from when trials ended and how long their gates took. */
function work(run: Run, rows: number[]): Child {
  const bins = workOverTime(run, rows);
  if (bins.length === 0) return section("Workers over time", null, h("p", { class: "dim" }, "No trial has a time yet."));
  return section("Workers over time", `Of ${ofListed(run, rows)}${run.data.columns.left_out > 0 ? ", scaled up to all" : ""}: how many were in their gates at a time, on average: each trial's gates are counted back from its commit. A trial that waited for an earlier one to be committed stands later than it ran. The green line is the share of the time that the device worked.`,
    overTime(bins, css("--tie"), css("--better")),
    legend([[css("--tie"), "trials in their gates"], [css("--better"), "share of the device's time"]]),
    asTable(() => table("Work over time", [
      { name: "from", cell: (b) => seconds(b.from), numeric: true }, { name: "until", cell: (b) => seconds(b.until), numeric: true }, { name: "trials ended", cell: (b) => b.trials, numeric: true },
      { name: "trials a second", cell: (b) => number(b.trials / (b.until - b.from), 3), numeric: true }, { name: "in the gates, on average", cell: (b) => b.busy.toFixed(3), numeric: true }, { name: "device's time", cell: (b) => percent(b.device), numeric: true }], bins, "work")));
}

/** A line a worker of a farm: what it did, and when. */
function workers(run: Run): Child {
  const list = run.data.workers, most = Math.max(1, ...list.flatMap((w) => w.tenths));
  if (list.length === 0) return null;
  return section("Workers of the farm", `Who did which of all ${grouped(run.data.trials)} trials; the rest this machine did. The bars are each worker's trials in tenths of the run's time, ${plural(most, "trial")} at most.`,
    table("Workers of the farm", [
      { name: "worker", cell: (w) => h("span", { class: "mono" }, w.worker) }, { name: "device", cell: (w) => w.device }, { name: "trials", cell: (w) => w.trials, numeric: true }, { name: "correct", cell: (w) => w.right, numeric: true },
      { name: "device time", cell: (w) => seconds(w.device_seconds), numeric: true }, { name: "from", cell: (w) => seconds(w.first_s), numeric: true }, { name: "until", cell: (w) => seconds(w.last_s), numeric: true },
      { name: "~over time", cell: (w) => h("div", { class: "tenths", title: w.tenths.join(", ") }, w.tenths.map((trials) => h("i", { style: { height: `${(100 * trials) / most}%` } }))) }], list, "workers"));
}

export function cost(run: Run, rows: number[]): Child {
  const d = run.data, sums = gateSums(run, rows), b = d.budget;
  const used: { what: string; used: number; of: number; text: (value: number) => string }[] = [
    { what: "trials", used: d.trials, of: b.planned_trials ?? 0, text: (v) => grouped(v) }, { what: "wall time", used: d.elapsed_seconds, of: b.wall_seconds, text: seconds },
    { what: "device time", used: d.device_seconds, of: b.device_seconds, text: seconds }, { what: "cost", used: d.money, of: b.money, text: (v) => number(v) }];
  const c = d.columns, ends = new Map(rows.map((row) => [c.generation[row]!, c.elapsed_seconds[row]!])); // the last one stays
  const generations = d.generations.map((g) => ({ ...g, end: ends.get(g.generation) ?? null }));
  const longest = Math.max(1e-9, ...sums.map((e) => e.seconds));
  return [
    section("What it cost", null, table("Budget", [
      { name: "~what", cell: (e) => e.what }, { name: "used", cell: (e) => e.text(e.used), numeric: true }, { name: "budget", cell: (e) => (e.of > 0 ? e.text(e.of) : "no limit"), numeric: true },
      { name: "~bar", cell: (e) => e.of > 0 && h("div", { class: "meter" }, h("i", { style: { width: `${Math.min(100, (100 * e.used) / e.of)}%` } })) },
      { name: "left", cell: (e) => (e.of > 0 ? e.text(Math.max(0, e.of - e.used)) : "–"), numeric: true }], used, "budget"),
      h("p", { class: "note" }, `${number(d.trials_per_second, 3)} trials a second${d.warm_trials_per_second === null ? "" : `; ${number(d.warm_trials_per_second, 3)} after generation 0`}.`)),
    economics(run),
    section("Where the time went", `Of ${ofListed(run, rows)}. Sums of each gate's own time: they may exceed the wall time, since trials run in parallel.`, table("Time by gate", [
      { name: "gate", cell: (e) => e.gate }, { name: "trials", cell: (e) => e.trials, numeric: true }, { name: "time", cell: (e) => seconds(e.seconds), numeric: true }, { name: "share", cell: (e) => percent(e.share), numeric: true },
      { name: "~bar", cell: (e) => h("div", { class: "meter" }, h("i", { style: { width: `${(100 * e.seconds) / longest}%` } })) },
      { name: "a trial", cell: (e) => (e.trials > 0 ? `${number((1000 * e.seconds) / e.trials, 3)} ms` : "–"), numeric: true }], sums, "gate-times")),
    work(run, rows),
    workers(run),
    section("Generations", `Did it converge: the best after each, and how much the genomes of a generation still differ (0: all alike). ${plural(generations.length, "generation")}.`, generations.length === 0 ? h("p", { class: "dim" }, "None has ended yet.") : table("Generations", [
      { name: "generation", cell: (g) => g.generation, numeric: true }, { name: "trials", cell: (g) => g.trials, numeric: true }, { name: `best (${d.latency_kind})`, cell: (g) => microseconds(g.best_us), numeric: true },
      { name: "gained", cell: (g) => { const before = generations[g.generation - 1]; return before && before.best_us > 0 ? times(before.best_us / g.best_us) : "–"; }, numeric: true },
      { name: "diversity", cell: (g) => g.diversity.toFixed(2), numeric: true },
      { name: "~bar", cell: (g) => h("div", { class: "meter" }, h("i", { style: { width: `${100 * g.diversity}%` } })) },
      { name: "ended at", cell: (g) => (g.end === null ? "–" : seconds(g.end)), numeric: true }, { name: "device time", cell: (g) => seconds(g.device_seconds), numeric: true }, { name: "cost", cell: (g) => number(g.money), numeric: true },
      { name: "states", cell: (g) => Object.entries(g.counts).map(([status, count]) => `${status} ${count}`).join(", ") }], generations, "generations")),
  ];
}
