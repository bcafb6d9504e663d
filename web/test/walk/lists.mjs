// What lists and the sentences beside tables say, by view and title: their numbers in order, made of --json alone.
import assert from "node:assert/strict";
import { effect, time } from "./facts.mjs";
import { about, numbersIn, sameCell, sameNumbers } from "./numbers.mjs";
import { counted, tables, workloadOf } from "./tables.mjs";

const sure = (e) => e.ci95[0] > 0 || e.ci95[1] < 0;
const total = (list) => list.reduce((a, b) => a + b, 0);
const shorten = (text, length = 110) => text.slice(0, length);
const digits = (text) => numbersIn(text).map((one) => one.value); // of a text that --json has as it is
const gain = (f) => [f.data.gain.speedup, f.data.gain.interval];
const confidence = (f) => ({ modelled: [], intervals: [95], in_turn: [100 * f.data.gain.confidence] })[f.data.gain.method];
const ways = (f) => f.data.funnel.filter((s) => !["proposed", "better"].includes(s.gate)).flatMap((s) => s.failed.map((way) => ({ ...way, gate: s.gate }))).sort((a, b) => b.count - a.count);
const failed = (f) => f.rows.filter((row) => f.isFailed(row));
const evidence = (f, row) => f.data.evidence.find((entry) => entry.trial === f.c.index[row])?.items ?? [];
const when = (p) => Object.entries(p.when).map(([gene, value]) => `${gene} = ${value}`).join(" and ") || "anything";
const gates = (f) => Object.values(f.c.gate_ms).map((list) => total(list.map((ms) => ms ?? 0))).sort((a, b) => b - a);
const lacking = (f) => f.data.insights.effects.filter((e) => e.template === f.word("template", f.champion) && e.ci95[1] < 0 && f.gene(f.champion, e.gene) !== undefined && f.gene(f.champion, e.gene) !== e.value).sort((a, b) => a.effect - b.effect);
/** The champion with this value, if that was tried: its trial, and what came of it. */
const beside = (f, e) => {
  const all = (row) => JSON.stringify(f.genes(row).filter(([gene]) => gene !== e.gene)), edits = (row) => JSON.stringify(Object.keys(f.c.space[f.word("template", row)]).map((gene, i) => gene.startsWith("~") && f.c.genomes[row][i]));
  const row = f.rows.find((one) => f.word("template", one) === e.template && f.gene(one, e.gene) === e.value && !f.isDuplicate(one) && all(one) === all(f.champion) && edits(one) === edits(f.champion));
  return row === undefined ? [] : [f.c.index[row], f.latency(row) === null ? [] : f.latency(row)];
};
const said = (e) => [effect(e.effect), e.ci95.map(effect), e.trials];
const last = (f) => f.bests().at(-1);
const start = (f) => { const first = f.path(f.champion)[0]; return first !== f.baseline && first >= 0 ? [f.latency(f.baseline) / f.latency(first), f.c.index[first]] : []; };
const steps = (f) => f.data.path.filter((s) => s.against_parent?.speedup).sort((a, b) => b.against_parent.speedup - a.against_parent.speedup).slice(0, 3);
/** Each number of a longer text is one of these. */
const among = (...known) => (text, where) => {
  const list = known.flat(Infinity).filter((one) => one !== null && one !== undefined).map((one) => (typeof one === "object" ? one.about : one));
  for (const { value, half, word } of numbersIn(text)) assert.ok(list.some((one) => Math.abs(one - value) <= Math.max(half, 5.1e-4 * Math.abs(one))), `${where}: ${word} is not in --json: ${text}`);
};
const verdict = ({ data: { final_verdict: v } }) => among(v.speedup, v.interval?.map((end) => 1 / end), v.pairs, 100 * v.confidence, 100 * v.margin, v.search.comparisons, 100 * v.search.false_promotion_at_most, v.criteria.flatMap((c) => [c.found, Number(c.bound)]).filter((n) => typeof n === "number"), digits(`${v.device} ${v.accuracy_class} ${v.failure}`));
const stood = (f) => among(f.data.events.flatMap((event) => digits(Object.values(event.details).join(" "))));

/** The steps of the path: each with its own gain, its latency, what it changed. */
const path = (f) => (f.path(f.champion)[0] === f.baseline ? [] : [null]).concat(f.path(f.champion)).flatMap((row, i, all) => {
  const step = (at, before) => {
    const g = before < 0 ? null : f.gain(before, at), turn = f.c.paired.find((e) => e.row === at), changes = before < 0 ? [] : f.changes(before, at);
    const edge = g && [[g.numbers, f.data.latency_kind === "modelled" ? [] : turn && turn.incumbent === f.c.variant[before] ? 100 * g.confidence : 95, digits(changes.join(" "))]];
    const node = [f.c.index[at], digits(f.c.variant[at]), f.latency(at), f.ci(at), f.c.generation[at], at !== f.baseline ? [f.latency(f.baseline) / f.latency(at), at === f.champion && f.data.final_verdict && f.data.final_verdict.decision !== "not_valid" && f.data.final_verdict.latency_kind === "measured" && f.data.gain.method === "in_turn" ? f.data.gain.speedup : []] : [], turn ? [digits(turn.incumbent), turn.ratio, turn.interval, turn.rounds, 100 * turn.confidence] : []];
    return [...(edge ? edge : []), node];
  };
  if (row === null) return step(f.baseline, -1);
  const before = i > 0 ? all[i - 1] : -1;
  // Another start: a gain against the baseline, which is no parent.
  if (before === null) { const changed = f.changes(f.baseline, row)[0] ?? ""; return [[f.gain(f.baseline, row).numbers, digits(f.word("rationale", row)), changed.startsWith("template ") ? digits(changed) : []], ...step(row, -1)]; }
  return step(row, before);
});

/** How many of the champion's ancestors are drawn, and how many lines are not. */
function kin(f) {
  const queue = f.path(f.champion).reverse(), found = new Set(queue), done = new Set(queue);
  let left = 0;
  for (let i = 0; i < queue.length; ++i) for (const parent of new Set(f.c.parents[queue[i]].filter((p) => typeof p === "number" && p < queue[i]))) {
    if (!found.has(parent) && found.size >= 80) { left++; continue; }
    found.add(parent);
    if (!done.has(parent)) { done.add(parent); queue.push(parent); }
  }
  return { rows: found.size, left };
}

export const lists = {
  overview: {
    ": headline": (f) => [{ text: f.data.gain.verdict, numbers: gain(f) }],
    ": bar-row": (f) => (text, where) => { const name = text.startsWith("champion") ? "champion" : "baseline", one = f.data[name]; sameNumbers(text, [one.latency_us, one.ci95, name === "champion" ? f.data.champion_trial : 0], where); },
    verdict, ": ul": stood,
    "answer-what": (f) => [{ text: f.data.champion.variant, after: f.data.champion.variant, numbers: [f.data.champion_trial, gain(f), f.data.champion.latency_us, f.data.champion.ci95, f.data.baseline.latency_us, f.data.baseline.ci95, confidence(f), f.data.reduced?.stands ? digits(`${f.data.reduced.from} ${Object.entries(f.data.reduced.genes).map(([gene, v]) => `${gene} = ${v.now} (was ${v.was})`).join(", ")}`) : []] }],
    "answer-why": (f) => [[start(f), steps(f).flatMap((s) => [s.against_parent.speedup, digits(shorten(s.changes)), s.trial])]],
    "answer-failed": (f) => { const [worst] = ways(f); return among(worst.count, total(ways(f).map((w) => w.count)), (100 * worst.count) / f.data.trials, f.data.insights.failures.filter((p) => p.reason === worst.reason).map((p) => [p.count, p.of, digits(when(p))]), failed(f).filter((row) => f.word("reason", row) === worst.reason).map((row) => evidence(f, row).map((item) => [item.line, digits(item.message)]))); },
    "answer-next": (f) => among(total(ways(f).map((w) => w.count)), f.data.trials - 1, ways(f)[0]?.count, f.rows.length - 1 - last(f), lacking(f).map((e) => [said(e), digits(`${e.gene} = ${e.value} ${e.id}`)]), f.data.insights.failures.map((p) => [p.of, digits(`${when(p)} ${p.id}`)]), digits(f.data.run)),
    "answer-converged": (f) => [[f.c.index[last(f)], f.data.trials, f.rows.length - 1 - last(f), f.c.generation.at(-1) - f.c.generation[last(f)], 100 * f.data.generations.at(-1).diversity]],
    "answer-cost": (f) => [[time(f.data.elapsed_seconds), time(f.data.device_seconds), f.data.money > 0 ? about(f.data.money) : [], f.data.trials, about(f.data.trials_per_second, 5.1e-3), (100 * gates(f)[0]) / total(gates(f))]],
  },
  lineage: { path },
  genes: { forest: (f) => (text, where) => { const [name, shown] = text.split("\n"), e = f.data.insights.effects.find((one) => one.template === f.data.champion.template && `${one.gene} = ${one.value}` === name); assert.ok(e, `${where}: ${text}`); sameCell(shown, [effect(e.effect)], where); } },
  insights: {
    untried: (f) => lacking(f).slice(0, 12).map((e) => [digits(`${e.gene} = ${e.value}`), digits(String(f.gene(f.champion, e.gene))), said(e), digits(e.id), beside(f, e)]),
    sure: (f) => f.data.insights.effects.filter(sure).sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).slice(0, 20).map((e) => [digits(`${e.template}: ${e.gene} = ${e.value}`), said(e), digits(e.id)]),
  },
  failures: {
    messages: (f) => (text, where) => {
      const [head, ...rest] = text.split("\n"), message = rest.join("\n").trim(), own = failed(f).filter((row) => evidence(f, row).some((item) => item.message.trim() === message || item.message.replace(/\d+/g, "#").trim() === message.replace(/\d+/g, "#")));
      const item = own.flatMap((row) => evidence(f, row)).find((one) => one.message.replace(/\d+/g, "#").trim() === message.replace(/\d+/g, "#") && `${head} `.startsWith(`${one.kind} ${one.file ? `${one.file}:${one.line} ` : ""}`));
      assert.ok(item, `${where}: no trial has this evidence: ${text}`);
      const same = failed(f).filter((row) => evidence(f, row).slice(0, 4).some((one) => one.kind === item.kind && one.file === item.file && one.line === item.line && one.message.replace(/\d+/g, "#") === item.message.replace(/\d+/g, "#")));
      sameNumbers(head, [item.file ? digits(`${item.file}:${item.line}`) : [], same.length, same.slice(0, 5).map((row) => f.c.index[row])], where);
    },
  },
  cost: {
    economics: (f) => { const e = f.data.economics, models = total(f.data.models.map((m) => m.money)), price = f.data.budget.hourly_price; return [
      e.gain_percent === null ? /no gain/ : [e.gain_percent], ...(e.device_seconds_per_percent === null ? [] : [[about(e.device_seconds_per_percent), e.money_per_percent === null ? [] : about(e.money_per_percent)]]),
      [about(e.money), models > 0 ? about(models) : [], price > 0 ? about(price) : []], [digits(f.data.budget.stop_if ?? ""), digits(e.stopped)]]; },
  },
  run: { commands: (f) => (text, where) => among(digits(f.data.run), digits(`${f.data.environment.seed} ${f.data.environment.input_seed}`), Number(f.data.environment.seed), Number(f.data.environment.input_seed))(text, where) },
};

export const notes = {
  overview: {
    headline: (f) => (f.data.gain.method === "intervals" ? [] : confidence(f)), "Best so far": () => [0], "Where candidates ended": (f) => [f.data.trials],
  },
  lineage: { "Where the": (f) => { const { rows, left } = kin(f); return left ? [rows, left] : []; }, "Roofline": (f) => { const r = f.data.roofline.roofs; return [r.dram_gb_per_s, r.l2_gb_per_s, r.tensor_fp16_tflops]; }, "The whole tree": (f) => [] },
  genes: {
    "Effects in": (f) => { const own = f.data.insights.effects.filter((e) => e.template === f.data.champion.template).length; return own > 30 ? [30, own] : []; },
    "Pairs of genes": (f) => { const means = tables.genes.pairs(f).flat().filter(Array.isArray).map(([mean]) => mean); return [Math.max(...means) / Math.min(...means)]; },
    "The ": (f) => [Math.min(20, f.correct(f.data.champion.template).length)],
  },
  insights: { "What is sure": (f) => { const all = f.data.insights.effects; return [f.data.insights.trials, all.filter(sure).length, all.length]; }, "What the champion needs": (f) => (f.data.insight_checks.length ? [] : [0]) },
  failures: { "What failed most": (f) => [f.data.trials], "Messages": (f) => [failed(f).length, f.data.evidence_left_out > 0 ? f.data.evidence_left_out : []] },
  counters: {
    "Measured by": (f) => f.data.profiles.filter((e) => e.workload === workloadOf(f)).map((e) => [e.trial, digits(`${e.kernel}, ${e.workload}: ${e.limit}`)]).concat([]),
    "Counters of": (f) => { const own = counted(f), missing = own.filter((e) => !e.counts).length; return [own.map((e) => e.trial), missing > 0 ? missing : []]; },
    "Counts of": (f) => { const known = counted(f).filter((e) => e.counts); return known.length > 1 ? [known[0].trial] : []; },
  },
  operators: { "Screening by": (f) => { const s = f.data.screening; return [s.candidates, s.modelled, s.left_out, s.failed, about(s.model_cpu_ms, 5.1e-3), about(s.prepare_ms, 5.1e-3)]; }, "What the bandit": (f) => (f.data.bandit.length ? [f.data.bandit.at(-1).generation, 256] : []), "Language models": (f) => (f.data.models.length ? [1] : []) },
  workloads: { "Workloads": (f) => [Math.min(20, f.correct().length), digits([...new Set(f.c.workloads.map((w) => w.method))].join("; "))] },
  cost: {
    "Workers of the farm": (f) => (f.data.workers.length ? [f.data.trials, Math.max(...f.data.workers.flatMap((w) => w.tenths))] : []),
    "What it cost": (f) => [about(f.data.trials_per_second, 5.1e-3), f.data.warm_trials_per_second === null ? [] : [about(f.data.warm_trials_per_second, 5.1e-3), 0]],
    "Where the time went": (f) => [f.data.trials], "Workers over time": (f) => [f.data.trials], "Generations": (f) => [0, f.data.generations.length],
  },
  trials: { "Trials": (f) => [f.data.trials, 1, Math.ceil(f.data.trials / 100), ...(f.data.trials > 100 ? [1, Math.ceil(f.data.trials / 100)] : [])] },
  source: { "Source": (f) => {
    const path = f.path(f.champion), back = path.slice(0, -1).slice(-6).map((_, i) => i + 1).slice(1), text = (row) => { const own = f.data.sources.of.find((e) => e.trial === f.c.index[row]); return own.source.flatMap(([first, count]) => f.data.sources.lines.slice(first, first + count)); };
    const [a, b] = [text(path.at(-2)), text(path.at(-1))];
    assert.equal(a.length, b.length, "invented sources differ in values alone");
    return [back, a.filter((line, i) => line !== b[i]).length, a.length, b.length];
  } },
};
