// What screening by a model did: which proposals went to the device, and whether the model was a good judge.
import { h, number, percent, plural, section, table, type Child } from "../dom";
import type { Interval, Screening } from "../document";
import type { Run } from "../run";

const interval = (range: Interval, text: (value: number) => string): string => (range ? ` [${text(range[0])}, ${text(range[1])}]` : "");
const whole = (share: number): string => `${(100 * share).toFixed(0)}`;
const plain = (value: number): string => value.toFixed(2);

const slotText: [keyof Screening["slots"], string][] = [
  ["best", "the model's fastest of its pool"], ["explored", "another one, to see what the model misses"], ["alone", "nothing to choose from"],
  ["rested", "not screened: the model ranked nothing"], ["not_modelled", "not screened: the model cannot do it"], ["failed", "all of the pool failed before a device"]];

export function screening(run: Run): Child {
  const s = run.data.screening;
  if (!s) return null;
  const slots = slotText.map(([key, text]) => ({ text, count: s.slots[key] })).filter((slot) => slot.count > 0), all = slots.reduce((sum, slot) => sum + slot.count, 0), r = s.regret;
  const judged: { what: string; value: string; of: string }[] = [
    ...s.correlations.map((c) => ({ what: `ranks of model and ${run.data.latency_kind} latency go together, template ${c.template}`, value: c.spearman === null ? "–" : `${plain(c.spearman)}${interval(c.ci95, plain)}`, of: plural(c.variants, "variant") })),
    ...([["an explored one became the best", r.explored_better], ["the model's fastest became the best", r.best_better]] as const).map(([what, rate]) => ({ what, value: rate.of > 0 ? `${whole(rate.count / rate.of)} %${interval(rate.ci95, whole)}` : "–", of: `${rate.count} of ${rate.of}` })),
    ...(r.explored_gain === null ? [] : [{ what: "by how much, on average", value: percent(r.explored_gain), of: "" }]),
    ...([["share of the model's fastest of its generation that an explored one beats", r.explored_beats], ["time of an explored one over theirs", r.explored_over_best]] as const).flatMap(([what, mean]) => (mean ? [{ what, value: `${plain(mean.mean)}${interval(mean.ci95, plain)}`, of: `${mean.explored} explored` }] : []))];
  return section("Screening by a model", `Of ${plural(s.candidates, "candidate")} in all pools the model ${s.model} saw ${s.modelled}; ${s.left_out} were left out, ${s.failed} failed before a device. A candidate took ${number(s.model_cpu_ms, 3)} ms of CPU in the model and ${number(s.prepare_ms, 3)} ms in the gates before.${s.why_not_modelled ? ` Why some were not modelled: ${s.why_not_modelled}.` : ""}`,
    table("What went to the device", [{ name: "which", cell: (slot: (typeof slots)[number]) => slot.text }, { name: "trials", cell: (slot) => slot.count, numeric: true },
      { name: "~bar", cell: (slot) => h("div", { class: "meter" }, h("i", { style: { width: `${((100 * slot.count) / all).toFixed(2)}%` } })) }, { name: "share", cell: (slot) => percent(slot.count / all), numeric: true }], slots, "screening-slots"),
    table("Whether the model judges well: 1 is the same order, 0 is none", [{ name: "what", cell: (e: (typeof judged)[number]) => e.what }, { name: "value, 95 % interval", cell: (e) => e.value, numeric: true }, { name: "of", cell: (e) => e.of, numeric: true }], judged, "screening-judged"));
}
