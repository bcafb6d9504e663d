// The six questions that people ask first, answered from the document's numbers alone.
import type { Child } from "./dom";
import { grouped, h, microseconds, number, percent, plural, seconds, times } from "./dom";
import type { Effect, Gain, Pattern, Value, VariantSummary } from "./document";
import { reasonsOf } from "./funnel";
import { gainText, intervalText, kindBadge, how, to, trialLink } from "./parts";
import type { Run } from "./run";
import type { State } from "./state";

export interface Answer {
  id: string;
  question: string;
  answer: Child;
  more: Partial<State>;
  moreText: string;
}

/** An edit of the text is a value under a name that no gene has ("~00"): it is said as what it does. */
export const condition = (pattern: Pattern): string => Object.entries(pattern.when).map(([gene, value]) => (gene.startsWith("~") ? `edited: ${shorten(String(value), 60)}` : `${gene} = ${shorten(String(value), 60)}`)).join(" and ") || "anything";
export const effectPercent = (effect: number): string => `${effect < 0 ? "−" : "+"}${Math.abs(100 * (Math.exp(effect) - 1)).toFixed(1)} %`;
export const sure = (effect: Effect): boolean => effect.ci95[0] > 0 || effect.ci95[1] < 0;

const withInterval = (variant: VariantSummary | null): string => [microseconds(variant?.latency_us), intervalText(variant?.ci95 ?? null)].filter(Boolean).join(" ");

function what(run: Run): Child {
  const { champion, baseline, gain } = run.data;
  const refused = refusedBaseline(run);
  if (refused) return [h("strong", {}, "Nothing"), `: the baseline itself was refused, at the gate ${refused.gate} (${refused.reason}), and a search begins from one that is correct: `, trialLink(run, 0), "."];
  if (lostChampion(run)) return "The run has a champion, but its trial is not among what could be read of the ledger.";
  if (!champion || run.champion < 0) return run.data.counts["proven"] || run.baseline >= 0 ? "No champion: every finalist was refused, or the run has not come to one." : "Nothing: no variant is proven correct.";
  if (run.champion === run.baseline) return [h("strong", {}, "The baseline"), `, ${microseconds(champion.latency_us)}: ${noneBetter(run)}`];
  return [h("strong", { class: "mono" }, champion.variant), ` (${trialLinkText(run)}), `, h("strong", {}, gainText(gain)), ` as fast as the baseline: ${withInterval(champion)} against ${withInterval(baseline)}. `,
    kindBadge(run), ` ${how(gain)}.`, putBack(run)];
}
/** What is timed: the problem's files, its accuracy class and the workloads with their sizes and weights. */
export const taskOf = (run: Run): string => JSON.stringify(["problem_hash", "accuracy_class", "workloads"].map((key) => run.data.environment[key]));
/** The champion's gain as the final verdict measured it; null where the run has only what its own trial had. */
export function finalGain(run: Run): Gain | null {
  const { final_verdict: verdict, gain } = run.data;
  return verdict && verdict.decision !== "not_valid" && verdict.latency_kind === "measured" && gain?.method === "in_turn" ? gain : null;
}
/** A trial that was correct in the search and did not pass as a champion: it is not exported. */
export const refusedAtTheEnd = (run: Run, row: number): boolean => run.data.events.some((event) => event.kind === "champion_refused" && event.trial === run.index(row));
/** A ledger that was cut off before the champion's trial: its last word on champions is of one that stood. */
export const lostChampion = (run: Run): boolean => run.champion < 0 && run.data.events.filter((event) => event.kind === "champion_proven" || event.kind === "champion_refused").at(-1)?.kind === "champion_proven";
/** Of a run that ends with its baseline: how far the others came. */
export function noneBetter(run: Run): string {
  const count = (status: string): number => run.data.counts[status] ?? 0, repeats = count("no_op"), others = run.data.trials - 1 - repeats;
  const correct = count("better") + count("tie") + count("correct_slower"), better = count("better");
  const beside = repeats > 0 ? ` ${plural(repeats, "trial")} repeated code that was known.` : "";
  if (others <= 0) return `nothing else was tried.${beside}`;
  if (correct === 0) return `none of ${plural(others, "other trial")} was correct.${beside}`;
  return `of ${plural(others, "other trial")} ${grouped(correct)} ${correct === 1 ? "was" : "were"} correct, ${better > 0 ? `and the ${better === 1 ? "one" : grouped(better)} that seemed faster did not stand at the end` : "and none was better"}.${beside}`;
}
/** Where the run ended before it began: the first trial, which everything is compared with, is wrong. */
export function refusedBaseline(run: Run): { gate: string; reason: string } | null {
  return run.count > 0 && run.index(0) === 0 && run.groups[0] === "failed" ? { gate: run.word("gate", 0), reason: run.word("reason", 0) || run.status(0) } : null;
}
/** The champion without the genes that do nothing is no trial of its own. */
function putBack(run: Run): string | null {
  const reduced = run.data.reduced;
  if (!reduced?.stands) return null;
  const all = Object.entries(reduced.genes), genes = all.filter(([gene]) => !gene.startsWith("~")).map(([gene, value]) => `${gene} = ${value.now} (was ${value.was})`), edits = all.filter(([gene]) => gene.startsWith("~")).map(([, value]) => shorten(String(value.was), 60));
  const how = [genes.length > 0 ? `with ${genes.join(", ")}` : "", edits.length > 0 ? `without ${edits.length === 1 ? "the edit" : "the edits"} ${edits.join("; ")}` : ""].filter(Boolean).join(", ");
  return ` It is what that trial found (${reduced.from}) ${how}: a verdict of its own is a tie${reduced.ratio === null || reduced.ratio === undefined ? "" : ` (${reduced.ratio.toFixed(4)} of its latency)`}. Lineage and source show the trial.`;
}
/** A path as a word of a shell. */
export const quote = (text: string): string => (/^[\w./:=+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
const trialLinkText = (run: Run): string => `trial ${run.index(run.champion)}, template ${run.word("template", run.champion)}`;

function why(run: Run): Child {
  const steps = run.data.path.filter((step) => step.against_parent?.speedup);
  const first = run.data.path[0], start = first ? run.row(first.trial) : -1;
  if (run.champion < 0 || run.champion === run.baseline) return "There is no faster variant to explain.";
  const parts: Child[] = [];
  if (start >= 0 && start !== run.baseline && run.baseline >= 0)
    parts.push(h("li", {}, times(run.gain(run.baseline, start).speedup), ` by another start: template ${run.word("template", start)} (${run.word("operator", start)}, `, trialLink(run, start), ")"));
  for (const step of [...steps].sort((a, b) => b.against_parent!.speedup! - a.against_parent!.speedup!).slice(0, 3))
    parts.push(h("li", {}, times(step.against_parent!.speedup), " by ", h("span", { class: "mono" }, shorten(step.changes)), " (", trialLink(run, run.row(step.trial)), ")"));
  return parts.length > 0 ? h("ul", {}, parts) : "Its lineage has no step with a latency.";
}
export const shorten = (changes: string, length = 110): string => (changes.length > length ? `${changes.slice(0, length)} …` : changes || "the same genes");

function failed(run: Run): Child {
  const list = reasonsOf(run.data.funnel), worst = list[0];
  if (!worst) return "Nothing failed.";
  const total = list.reduce((sum, entry) => sum + entry.count, 0);
  const pattern = run.data.insights?.failures.filter((entry) => entry.reason === worst.reason).sort((a, b) => b.count - a.count)[0];
  const example = run.data.columns.index.findIndex((_, row) => run.word("reason", row) === worst.reason && run.evidence(row).length > 0);
  const evidence = example < 0 ? undefined : run.evidence(example)[0];
  return [h("strong", {}, worst.reason || worst.status), ` at the gate ${worst.gate}: ${worst.count} of ${plural(total, "failed trial")}, ${percent(worst.count / run.data.trials)} of all. `,
    pattern ? [`Mostly where ${condition(pattern)} (${pattern.count} of ${pattern.of}). `] : null,
    evidence ? [evidence.file ? h("span", { class: "mono" }, `${evidence.file}:${evidence.line} `) : null, `${shorten(evidence.message, 150)}`] : null];
}

/** Values that make a kernel faster for sure and that the champion lacks. */
export function untried(run: Run): Effect[] {
  if (run.champion < 0 || !run.data.insights) return [];
  const template = run.word("template", run.champion);
  return run.data.insights.effects.filter((effect) => effect.template === template && effect.ci95[1] < 0 && run.gene(run.champion, effect.gene) !== undefined && run.gene(run.champion, effect.gene) !== effect.value)
    .sort((a, b) => a.effect - b.effect);
}

/** The trial that is the champion with this value instead of its own; -1 where none was tried. */
export function triedInChampion(run: Run, gene: string, value: Value): number {
  const c = run.data.columns, template = run.word("template", run.champion), space = c.space[template] ?? {}, at = Object.keys(space).indexOf(gene), number = (space[gene] ?? []).indexOf(value);
  const own = c.genomes[run.champion] ?? [], word = c.template.of[run.champion];
  for (let row = 0; row < run.count; ++row) {
    const genome = c.genomes[row]!;
    if (c.template.of[row] === word && genome[at] === number && run.groups[row] !== "duplicate" && own.every((one, i) => i === at || genome[i] === one)) return row;
  }
  return -1;
}

export interface Convergence { last: number; since: number; share: number; generations: number }
export function convergence(run: Run): Convergence | null {
  const last = run.count > 0 ? run.best[run.count - 1]! : -1;
  if (last < 0) return null;
  const since = run.index(run.count - 1) - run.index(last);
  return { last, since, share: since / Math.max(run.data.trials, 1), generations: run.data.columns.generation[run.count - 1]! - run.data.columns.generation[last]! };
}

function next(run: Run): Child {
  const list: Child[] = [];
  const converged = convergence(run), refused = refusedBaseline(run);
  if (refused) return h("ul", {}, h("li", {}, "Mend the baseline, or its oracle and tolerance if it is correct: what it was refused for stands at ", trialLink(run, 0), "."));
  if (run.data.state === "stopped") list.push(h("li", {}, "Continue it: ", h("code", {}, `evo resume ${quote(run.data.run)}`)));
  const space = run.data.economics.stopped_by === "space", others = run.data.trials - 1, wrong = reasonsOf(run.data.funnel), lost = wrong.reduce((sum, entry) => sum + entry.count, 0);
  if (others > 0 && lost / others >= 0.5) list.push(h("li", {}, `Look at the failures first: ${grouped(lost)} of ${plural(others, "candidate")} failed, ${grouped(wrong[0]!.count)} of them with ${wrong[0]!.reason || wrong[0]!.status}.`));
  if (space) list.push(h("li", {}, "Widen the space: every legal genome was tried. More genes, more values, or edits of the text (", h("code", {}, "search.mutators.source_edits"), ") give it more to try."));
  else if (run.data.trials === 1 && run.data.state === "finished") list.push(h("li", {}, "Search: one trial is the baseline alone; ", h("code", {}, "budget.trials"), " says how many there are."));
  if (run.data.latency_kind === "modelled" && run.champion >= 0 && run.champion !== run.baseline) list.push(h("li", {}, "Measure it: the latencies are a model's. On a machine with a GPU: ", h("code", {}, `evo bench ${quote(run.data.run)} --device cuda:0`)));
  if (converged && !space && converged.share < 0.25 && converged.last > 0) list.push(h("li", {}, `Search on: the best came ${plural(converged.since, "trial")} before the end; a larger budget.trials may pay.`));
  for (const effect of untried(run).filter((one) => triedInChampion(run, one.gene, one.value) < 0).slice(0, 2))
    list.push(h("li", {}, h("span", { class: "mono" }, `${effect.gene} = ${effect.value}`), ` in the champion: ${effectPercent(effect.effect)} on average over ${plural(effect.trials, "trial")} (${effect.id}).`));
  const worst = run.data.insights?.failures.slice().sort((a, b) => b.count - a.count)[0];
  if (worst && worst.count === worst.of) list.push(h("li", {}, `Forbid ${condition(worst)}: all ${plural(worst.of, "trial")} ended with ${worst.reason} (${worst.id}).`));
  return list.length > 0 ? h("ul", {}, list.slice(0, 4)) : "Nothing in the data asks for more.";
}

function converged(run: Run): Child {
  const c = convergence(run);
  if (!c) return "There is no proven variant yet.";
  const generation = run.data.generations.at(-1);
  const diversity = generation ? ` The last generation's genomes differ in ${percent(generation.diversity, 0)} of their genes.` : "";
  if (run.data.economics.stopped_by === "space") return [h("strong", {}, "Yes"), `: every legal genome was tried, ${plural(run.data.trials, "trial")}`, c.last === 0 ? "; none was better than the baseline." : [". The best was ", trialLink(run, c.last), "."]];
  if (c.last === 0) return `No variant was better than the baseline in ${plural(run.data.trials, "trial")}.${diversity}`;
  const verdict = c.share >= 0.5 ? "It seems so" : c.share >= 0.25 ? "Perhaps" : "Not yet";
  return [h("strong", {}, verdict), `: the last gain was `, trialLink(run, c.last), ` of ${grouped(run.data.trials)}; since then ${plural(c.since, "trial")} (${plural(c.generations, "generation")}) without one.${diversity}`];
}

function cost(run: Run): Child {
  const d = run.data, sums = gateSums(run), top = sums[0];
  return [h("strong", {}, seconds(d.elapsed_seconds)), ` of wall time, ${seconds(d.device_seconds)} on the device${d.device_seconds > d.elapsed_seconds ? " (jobs ran side by side)" : ""}${d.money > 0 ? `, ${number(d.money)} in money` : ""}, for ${plural(d.trials, "trial")} (${number(d.trials_per_second, 3)} a second).`,
    top ? ` Most of it went to the gate ${top.gate}: ${percent(top.share, 0)}.` : null];
}

/** Of some rows; of all where none are given. */
export function gateSums(run: Run, rows: number[] | null = null): { gate: string; seconds: number; trials: number; share: number }[] {
  const list = Object.entries(run.data.columns.gate_ms).map(([gate, column]) => {
    const own = rows ? rows.map((row) => column[row] ?? null) : column;
    return { gate, seconds: own.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) / 1000, trials: own.filter((ms) => ms !== null).length };
  });
  const total = list.reduce((sum, entry) => sum + entry.seconds, 0) || 1;
  return list.map((entry) => ({ ...entry, share: entry.seconds / total })).sort((a, b) => b.seconds - a.seconds);
}

export const answers = (run: Run): Answer[] => [
  { id: "what", question: "What won, by how much, and is it sure?", answer: what(run), more: run.champion < 0 ? { view: "trials" } : { trial: run.index(run.champion) }, moreText: run.champion < 0 ? "all trials" : "the champion" },
  { id: "why", question: "Why is it faster?", answer: why(run), more: { view: "lineage" }, moreText: "its lineage" },
  { id: "failed", question: "What failed most, and where?", answer: failed(run), more: { view: "failures" }, moreText: "all failures" },
  { id: "next", question: "What should I try?", answer: next(run), more: { view: "insights" }, moreText: "all insights" },
  { id: "converged", question: "Did it converge?", answer: converged(run), more: { view: "cost" }, moreText: "generations" },
  { id: "cost", question: "What did it cost?", answer: cost(run), more: { view: "cost" }, moreText: "where the time went" },
];

export const answerCard = (answer: Answer): HTMLElement =>
  h("article", { class: "card", id: `answer-${answer.id}` }, h("h2", {}, answer.question), h("div", { class: "answer" }, answer.answer), h("p", { class: "more" }, to(answer.more, `${answer.moreText} →`)));
