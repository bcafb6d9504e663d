import { condition, effectPercent, sure, untried } from "../answers";
import { asTable, h, percent, plural, section, table, type Child } from "../dom";
import { to } from "../parts";
import type { Run } from "../run";
import type { State } from "../state";
import { effectTable } from "./genes";

export function insights(run: Run, _rows: number[], s: State): Child {
  const known = run.data.insights;
  if (!known) return section("Insights", null, h("p", {}, "None yet: a generation has to end first."));
  const effects = known.effects.filter((e) => !s.template || e.template === s.template), failures = known.failures.filter((e) => !s.template || e.template === s.template);
  const strong = effects.filter(sure).sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
  const missing = untried(run);
  return [
    section("What the champion lacks", "Values whose trials were faster for sure, and that the champion does not have. An average over all other genes: it may not hold beside the champion's.",
      missing.length > 0 ? h("ul", { id: "untried" }, missing.slice(0, 12).map((e) => h("li", {}, to({ view: "trials", where: `${e.gene}=${e.value}`, template: e.template, page: 0 }, h("span", { class: "mono" }, `${e.gene} = ${e.value}`)),
        ` (the champion has ${run.gene(run.champion, e.gene)}): ${effectPercent(e.effect)} [${effectPercent(e.ci95[0])}, ${effectPercent(e.ci95[1])}], ${plural(e.trials, "trial")} `, h("span", { class: "dim" }, e.id)))) : h("p", {}, "Nothing.")),
    section("What is sure", `After ${plural(known.trials, "trial")}: ${strong.length} of ${plural(effects.length, "effect")} whose 95 % interval leaves out zero. One in twenty of all would do so by chance.`,
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
