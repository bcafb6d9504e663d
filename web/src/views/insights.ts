import { condition, effectPercent, shorten, sure, triedInChampion, untried } from "../answers";
import { asTable, badge, h, microseconds, number, percent, plural, section, table, times, type Child } from "../dom";
import type { Effect, InsightCheck, Value } from "../document";
import { to, trialLink } from "../parts";
import type { Run } from "../run";
import type { State } from "../state";
import { effectTable } from "./genes";

/** An edit of the text has a name that no gene has ("~00"), and no value where it was left out. */
const values = (genes: Record<string, Value>): string => Object.entries(genes).map(([gene, value]) => (gene.startsWith("~") ? (value === "" ? "left out" : shorten(String(value))) : `${gene} = ${value}`)).join(", ");
const checkText: Record<InsightCheck["status"], string> = { confirmed: "confirmed: it needs it", refuted: "refuted: as fast without it", inconclusive: "inconclusive", untested: "untested" };

/** What was tried rather than averaged: the champion without one of its values. */
function checks(run: Run): Child {
  const list = run.data.insight_checks ?? [], title = "What the champion needs, tried";
  if (list.length === 0) return section(title, null, h("p", { class: "dim", id: "untested" }, "No gene of the champion was put back to see what it is worth: ", h("code", {}, "budget.insight_checks"), " was 0, or the run has not come to it. What stands below are averages over trials, none of them tested by itself."));
  const kind = list[0]!.latency_kind;
  return section(title, [badge(kind, kind.toUpperCase()), " Each value of the champion went back to the one it had at first, or an edit of its text was left out; everything else stood still, and both were compared."],
    table("The champion's genes, put back", [
      { name: "the champion's value", cell: (c) => h("span", { class: "mono" }, values(c.from)) }, { name: "put back to", cell: (c) => h("span", { class: "mono" }, values(c.to)) },
      { name: "slower without it by", cell: (c) => (c.ratio === null ? c.refused || "–" : [times(c.ratio), c.interval && c.confidence !== null ? h("span", { class: "dim" }, ` [${c.interval[0].toFixed(4)}, ${c.interval[1].toFixed(4)}], ${number(100 * c.confidence)} %`) : null]), numeric: true },
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
    effects.length === 0 ? section("What is sure", null, h("p", { id: "no-effects" }, `After ${plural(known.trials, "trial")}: nothing. No gene had several values with enough right trials each; what edits of the text came to stands in the view Genes.`)) : section("What is sure", `After ${plural(known.trials, "trial")}: ${strong.length} of ${plural(effects.length, "effect")} whose 95 % interval leaves out zero. One in twenty of all would do so by chance.`,
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
