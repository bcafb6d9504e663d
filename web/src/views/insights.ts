import { condition, effectPercent, shorten, sure, triedInChampion, untried } from "../answers";
import { asTable, badge, h, microseconds, number, percent, plural, section, table, times, type Child } from "../dom";
import type { Effect, InsightCheck, Value } from "../document";
import { to, trialLink } from "../parts";
import type { Run } from "../run";
import type { State } from "../state";
import { effectTable } from "./genes";

/** What a check took away and what it put there. The name of an edit ("~00") is its place in a list: the same edit at
 *  another place is no change, and one without a value was left out. */
function changed(check: InsightCheck): [string[], string[]] {
  const edits = (genes: Record<string, Value>) => Object.entries(genes).filter(([gene, value]) => gene.startsWith("~") && value !== "").map(([, value]) => String(value));
  const genes = (some: Record<string, Value>) => Object.entries(some).filter(([gene]) => !gene.startsWith("~")).map(([gene, value]) => `${gene} = ${value}`);
  const had = edits(check.from), has = edits(check.to), lost = had.filter((edit) => !has.includes(edit)), came = has.filter((edit) => !had.includes(edit));
  return [[...genes(check.from), ...lost.map((edit) => shorten(edit))], [...genes(check.to), ...(came.length > 0 ? came.map((edit) => shorten(edit)) : lost.length > 0 ? ["left out"] : had.length > 0 ? ["the same edits in another order"] : [])]];
}
const lines = (texts: string[]): Child => h("div", { class: "mono lines" }, texts.map((text) => h("div", {}, text)));
const checkText: Record<InsightCheck["status"], string> = { confirmed: "confirmed: slower without it", refuted: "refuted: as fast without it", inconclusive: "inconclusive", untested: "untested" };

/** What was tried rather than averaged: the champion without one of its values. */
function checks(run: Run): Child {
  const list = run.data.insight_checks ?? [], title = "What the champion needs, tried";
  if (list.length === 0) return section(title, null, h("p", { class: "dim", id: "untested" }, "No gene of the champion was put back to see what it is worth: ", h("code", {}, "budget.insight_checks"), " was 0, or the run has not come to it. What stands below are averages over trials, none of them tested by itself."));
  const kind = list[0]!.latency_kind;
  return section(title, [badge(kind, kind.toUpperCase()), " Values of the champion went back to what they were at first, or became what an average promised or what failed elsewhere; edits of its text were left out or others took their place. Everything else stood still, and both were compared."],
    table("The champion with one change", [
      { name: "the champion has", cell: (c) => lines(changed(c)[0]) }, { name: "tried instead", cell: (c) => lines(changed(c)[1]) },
      { name: "then slower by", cell: (c) => (c.ratio === null ? c.refused || "–" : [times(c.ratio), c.interval && c.confidence !== null ? h("span", { class: "dim" }, ` [${c.interval[0].toFixed(4)}, ${c.interval[1].toFixed(4)}], ${number(100 * c.confidence)} %`) : null]), numeric: true },
      { name: "evidence", cell: (c) => (c.pairs > 1 ? `${plural(c.pairs, "pair")} timed in turn` : c.ratio === null ? "not timed" : "one number of the model") },
      { name: "status", cell: (c) => badge(c.status === "confirmed" ? "better" : c.status === "refuted" ? "worse" : "tie", checkText[c.status] ?? c.status) }], list, "checks"));
}

/** The champion with this value, where a trial was just that. */
function tried(run: Run, e: Effect): Child {
  const row = triedInChampion(run, e.gene, e.value);
  return row < 0 ? null : [" · the champion with it was tried: ", trialLink(run, row), ` ${run.latency(row) === null ? run.word("reason", row) || run.status(row) : `${run.status(row).replace("_", " ")}, ${microseconds(run.latency(row))}`}`];
}

export function insights(run: Run, _rows: number[], s: State): Child {
  const known = run.data.insights;
  if (!known) return section("Insights", null, h("p", {}, "None yet: a generation has to end first."));
  const effects = known.effects.filter((e) => !s.template || e.template === s.template), failures = known.failures.filter((e) => !s.template || e.template === s.template);
  const strong = effects.filter(sure).sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
  const missing = untried(run);
  return [
    checks(run),
    section("What the champion lacks", "Values whose trials were faster for sure, and that the champion does not have. An average over all other genes: it may not hold beside the champion's.",
      missing.length > 0 ? h("ul", { id: "untried" }, missing.slice(0, 12).map((e) => h("li", {}, to({ view: "trials", where: `${e.gene}=${e.value}`, template: e.template, page: 0 }, h("span", { class: "mono" }, `${e.gene} = ${e.value}`)),
        ` (the champion has ${run.gene(run.champion, e.gene)}): ${effectPercent(e.effect)} [${effectPercent(e.ci95[0])}, ${effectPercent(e.ci95[1])}], ${plural(e.trials, "trial")} `, h("span", { class: "dim" }, e.id), tried(run, e)))) : h("p", {}, "Nothing.")),
    effects.length === 0 ? section("What is sure", null, h("p", { id: "no-effects" }, `After ${plural(known.trials, "trial")}: nothing. No gene had several values with enough correct trials each; what edits of the text came to stands in the view Genes.`)) : section("What is sure", `After ${plural(known.trials, "trial")}: ${strong.length} of ${plural(effects.length, "effect")} whose 95 % interval leaves out zero. One in twenty of all would do so by chance.`,
      h("ul", { id: "sure" }, strong.slice(0, 20).map((e) => h("li", {}, to({ view: "trials", where: `${e.gene}=${e.value}`, template: e.template, page: 0 }, h("span", { class: "mono" }, `${e.template}: ${e.gene} = ${e.value}`)),
        ` is ${e.effect < 0 ? "faster" : "slower"} than average: ${effectPercent(e.effect)} [${effectPercent(e.ci95[0])}, ${effectPercent(e.ci95[1])}], ${plural(e.trials, "trial")} `, h("span", { class: "dim" }, e.id)))),
      asTable(() => effectTable(effects, run.data.latency_kind), "All effects as table")),
    section("Where candidates fail", "Gene values under which trials end in the same way more often than not.",
      failures.length > 0 ? table("Failure patterns", [
        { name: "insight", cell: (p) => p.id }, { name: "template", cell: (p) => p.template },
        { name: "when", cell: (p) => h("span", { class: "mono" }, condition(p)) },
        { name: "ends with", cell: (p) => to({ view: "trials", reason: `${p.status}/${p.reason}`, template: p.template, page: 0 }, `${p.status}: ${p.reason}`) },
        { name: "trials", cell: (p) => `${p.count} of ${p.of}`, numeric: true }, { name: "share", cell: (p) => percent(p.count / p.of, 0), numeric: true },
      ], failures.slice().sort((a, b) => b.count - a.count), "patterns") : h("p", {}, "No pattern.")),
  ];
}
