// What each table of the page has to hold, by view and id: rows of cells, made of --json alone.
import { effect, time, wilson } from "./facts.mjs";
import { about, numbersIn } from "./numbers.mjs";

const ways = (stages) => stages.filter((stage) => !["proposed", "better"].includes(stage.gate)).flatMap((stage) => stage.failed.map((way) => ({ ...way, gate: stage.gate }))).sort((a, b) => b.count - a.count);
const digits = (text) => numbersIn(text).map((one) => one.value); // of a text that --json has as it is
const sure = (e) => e.ci95[0] > 0 || e.ci95[1] < 0;
const when = (p) => Object.entries(p.when).map(([gene, value]) => `${gene} = ${value}`).join(" and ") || "anything";
const values = (genes) => Object.entries(genes).map(([gene, value]) => `${gene} = ${value}`).join(", ");
const gainCell = (f, before, after) => f.gain(before, after).numbers;
const effectRows = (list) => list.map((e) => [e.id, e.template, `${e.gene} = ${e.value}`, [effect(e.effect)], e.ci95.map(effect), e.trials, sure(e) ? (e.effect < 0 ? "faster" : "slower") : "not significant"]);
const ordered = (list) => [...list].sort((a, b) => Number(sure(b)) - Number(sure(a)) || Math.abs(b.effect) - Math.abs(a.effect));
const strength = (f, template) => (gene) => Math.max(0, ...(f.data.insights?.effects ?? []).filter((e) => e.template === template && e.gene === gene).map((e) => Math.abs(e.effect)));
const varied = (f, rows, template) => Object.keys(f.c.space[template]).filter((gene) => !gene.startsWith("~") && new Set(rows.map((row) => f.gene(row, gene))).size > 1);
export const workloadOf = (f) => [...f.data.profiles, ...f.data.counters.of][0].workload;
export const counted = (f) => { const path = [f.baseline, ...f.path(f.champion)].map((row) => f.c.index[row]), order = new Map(path.map((trial, i) => [trial, i])); return f.data.counters.of.filter((e) => e.workload === workloadOf(f)).sort((a, b) => order.get(a.trial) - order.get(b.trial)); };
/** The value and, where it differs from the first column's, how much of that it is. */
const beside = (list, of) => list.map((entry, i) => { const value = of(entry), first = of(list[0]); return typeof value === "string" ? { text: value } : [value, i > 0 && typeof value === "number" && first > 0 && value !== first ? value / first : null]; });
const shownFacts = (list, facts) => facts.filter(([, of]) => list.some((entry) => ![null, undefined, 0].includes(of(entry)))).map(([name, of]) => [name, ...beside(list, of)]);
const ratio = (over, under) => (e) => (e.counts[under] > 0 ? e.counts[over] / e.counts[under] : null);
const count = (key) => (e) => e.counts[key];
const ms = (f, gate) => f.rows.filter((row) => f.c.gate_ms[gate][row] !== null).map((row) => f.c.gate_ms[gate][row]);

/** view -> id of the table (or its caption's first words) -> the rows that it has to have. */
export const tables = {
  overview: {
    "best-table": (f) => f.bests().map((row) => [f.trial(row), f.c.generation[row], [f.c.elapsed_seconds[row]], f.us(f.latency(row)), f.ci(row), gainCell(f, f.baseline, row), f.word("operator", row)]),
    criteria: (f) => f.data.final_verdict.criteria.map((c) => [c.workload ? new RegExp(`, ${c.workload}$`) : /./, typeof c.found === "number" ? [about(c.found)] : c.found || null, c.bound === undefined ? "" : [about(c.bound)], c.met ? "yes" : "no", c.decides ? "yes" : /^no, /]),
    funnel: (f) => f.data.funnel.map((stage) => [[stage.passed, stage.reached], "", stage.failed.length ? { text: [...stage.failed].sort((a, b) => b.count - a.count).map((way) => `${way.reason || way.status} ${way.count.toLocaleString("en")}`).join(" ") } : ""]),
  },
  lineage: {
    "path-table": (f) => f.path(f.champion).map((row) => [f.trial(row), f.c.variant[row], f.word("operator", row), f.changes(f.parent(row), row).join(", "), f.us(f.latency(row)), gainCell(f, f.parent(row), row), f.parent(row) < 0 ? "" : f.gain(f.parent(row), row).verdict]),
    "roofline-table": (f) => f.data.roofline.points.map((p) => { const row = f.of.get(p.trial), latency = f.c.workloads.find((w) => w.name === p.workload).latency_us[row]; return [f.trial(row), p.workload, f.us(latency), about(p.intensity), about(p.tflops), about(p.gb_per_s), about(p.limit_tflops), [100 * p.of_limit]].map((cell) => (cell.about ? [cell] : cell)); }),
    "family-table": (f) => {
      const edges = [], queue = f.path(f.champion).reverse(), found = new Set(queue), done = new Set(queue);
      for (let i = 0; i < queue.length; ++i) [...new Set(f.c.parents[queue[i]].filter((p) => typeof p === "number" && p < queue[i]))].forEach((parent, at) => {
        if (!found.has(parent) && found.size >= 80) return;
        found.add(parent);
        edges.push([queue[i], parent, at]);
        if (!done.has(parent)) { done.add(parent); queue.push(parent); }
      });
      return edges.sort((a, b) => a[0] - b[0] || a[2] - b[2]).map(([child, parent, at]) => [f.trial(child), f.trial(parent), at === 0 ? "first" : "second", f.us(f.latency(child)), gainCell(f, parent, child), f.gain(parent, child).verdict]);
    },
    "tree-table": (f) => f.rows.map((row) => [f.trial(row), f.c.parents[row].map((p) => f.trial(p)).join(" "), f.word("template", row), f.word("operator", row), f.status(row), f.us(f.latency(row))]),
  },
  genes: {
    "Effect of each value": (f) => effectRows(ordered(f.data.insights.effects.filter((e) => e.template === f.data.champion.template))),
    pairs: (f) => {
      const template = f.data.champion.template, rows = f.correct(template), of = strength(f, template), [a, b] = varied(f, rows, template).sort((x, y) => of(y) - of(x));
      const list = (gene) => [...new Set(rows.map((row) => f.gene(row, gene)))].sort((x, y) => (typeof x === "number" ? x - y : String(x).localeCompare(String(y))));
      return list(a).map((x) => list(b).map((y) => {
        const own = rows.filter((row) => f.gene(row, a) === x && f.gene(row, b) === y).map((row) => f.latency(row));
        return own.length ? [Math.exp(own.reduce((sum, v) => sum + Math.log(v), 0) / own.length), own.length, Math.min(...own)] : "–";
      }));
    },
    "The fastest and their genes": (f) => { const rows = f.correct(f.data.champion.template).slice(0, 20), names = varied(f, rows, f.data.champion.template); return rows.map((row) => [f.trial(row), f.us(f.latency(row)), ...names.map((gene) => String(f.gene(row, gene)))]); },
  },
  insights: {
    checks: (f) => f.data.insight_checks.map((c) => [values(c.from), values(c.to), c.ratio === null ? { text: c.refused } : c.interval && c.confidence !== null ? [c.ratio, c.interval, 100 * c.confidence] : [c.ratio], c.pairs > 1 ? [c.pairs] : /not timed|one number of the model/, new RegExp(`^${c.status}`)]),
    "Effect of each value": (f) => effectRows(f.data.insights.effects),
    patterns: (f) => [...f.data.insights.failures].sort((a, b) => b.count - a.count).map((p) => [p.id, p.template, when(p), `${p.status}: ${p.reason}`, [p.count, p.of], [(100 * p.count) / p.of]]),
  },
  failures: {
    reasons: (f) => ways(f.data.funnel).map((way) => [way.reason || way.status, way.status, way.gate, way.count, [(100 * way.count) / f.data.trials], ""]),
    "Failure patterns": (f) => [...f.data.insights.failures].sort((a, b) => b.count - a.count).slice(0, 12).map((p) => [`${p.template}: ${when(p)}`, p.reason, [p.count, p.of], p.id]),
    "Values whose trials fail": (f) => {
      const list = [];
      for (const template of Object.keys(f.c.space)) {
        const own = f.rows.filter((row) => f.word("template", row) === template && !f.isDuplicate(row)), share = own.filter((row) => f.isFailed(row)).length / own.length, seen = new Map();
        for (const row of own) for (const [gene, value] of f.genes(row)) { const key = `${gene} = ${value}`, entry = seen.get(key) ?? { template, key, failed: 0, all: 0 }; entry.all++; entry.failed += f.isFailed(row) ? 1 : 0; seen.set(key, entry); }
        list.push(...[...seen.values()].filter((e) => e.failed >= 2 && wilson(e.failed, e.all)[0] / 100 > share));
      }
      return list.sort((a, b) => b.failed / b.all - a.failed / a.all || b.failed - a.failed).slice(0, 20).map((e) => [e.template, e.key, [e.failed, e.all], [(100 * e.failed) / e.all]]);
    },
  },
  source: {},
  counters: {
    "profile-measured": (f) => { const own = f.data.profiles.filter((e) => e.workload === workloadOf(f)); return [...new Set(own.flatMap((e) => Object.keys(e.counters)))].map((name) => [name.replaceAll("_", " "), ...own.map((e) => (e.counters[name] === undefined ? null : [about(e.counters[name])]))]); },
    parts: (f) => { const own = counted(f).filter((e) => e.model), names = [...new Set(own.flatMap((e) => Object.keys(e.model.parts_us)))].filter((name) => own.some((e) => e.model.parts_us[name] > 0.0005)); return [...names.map((name) => [new RegExp(`^${name.replace("_", " ")}`), ...own.map((e) => ({ text: `${(e.model.parts_us[name] ?? 0).toFixed(3)} µs${e.model.bottleneck === name ? " ◂ the bound" : ""}`, numbers: [e.model.parts_us[name] ?? 0] }))]), [/modelled latency/, ...own.map((e) => [e.model.microseconds])]]; },
    counts: (f) => shownFacts(counted(f).filter((e) => e.counts), [
      ["warp instructions", count("warp_instructions")], ["of the busiest warp", count("longest_warp_instructions")], ["tensor core (m16n8k8)", count("tensor")], ["FP32", count("fp32")], ["FP16", count("fp16")], ["FP64", count("fp64")], ["integer", count("integer")],
      ["conversions", count("conversion")], ["special functions", count("special")], ["control", count("control")], ["global accesses", count("global_accesses")], ["32-byte sectors an access", ratio("global_sectors", "global_accesses")], ["footprint in DRAM, bytes", count("unique_global_bytes")],
      ["shared accesses", count("shared_accesses")], ["wavefronts an access (1: no bank conflict)", ratio("shared_wavefronts", "shared_accesses")], ["asynchronous copies", count("async_copies")], ["local accesses (spills)", count("local_accesses")], ["barriers", count("barriers")], ["shuffles", count("shuffles")], ["atomics", count("atomics")]]),
    occupancy: (f) => { const own = (column) => (e) => f.c[column][f.of.get(e.trial)]; return shownFacts(counted(f), [
      ["registers a thread", own("registers")], ["spilled bytes", own("spill_bytes")], ["static shared memory, bytes", own("static_smem_bytes")], ["dynamic shared memory, bytes", (e) => e.occupancy?.dynamic_smem_bytes], ["blocks", (e) => e.occupancy?.blocks], ["threads a block", (e) => e.occupancy?.threads_per_block],
      ["blocks an SM holds", (e) => e.occupancy?.blocks_per_sm], ["warps an SM holds", (e) => e.occupancy?.warps_per_sm], ["held there by", (e) => e.occupancy?.limiter.replace("_", " ")], ["rounds of blocks", (e) => e.model?.waves]]); },
  },
  operators: {
    operators: (f) => {
      const names = [...new Set(f.rows.map((row) => f.word("operator", row)))];
      return names.map((name) => f.rows.filter((row) => f.word("operator", row) === name)).sort((a, b) => b.length - a.length).map((own) => {
        const correct = own.filter((row) => f.isCorrect(row)), gains = correct.map((row) => gainCell(f, f.parent(row), row)[0]).filter((gain) => gain !== undefined);
        return [f.word("operator", own[0]), own.length, "", correct.length, own.filter((row) => f.status(row) === "better").length, own.filter((row) => f.isDuplicate(row)).length, own.filter((row) => f.isFailed(row)).length,
          [(100 * correct.length) / own.length, wilson(correct.length, own.length)], gains.length ? Math.max(...gains) : null, time(own.reduce((sum, row) => sum + f.gateMs(row), 0) / 1000)];
      });
    },
    "screening-slots": (f) => { const slots = Object.values(f.data.screening.slots).filter((count) => count > 0), all = slots.reduce((a, b) => a + b, 0); return slots.map((count) => [/\w/, count, "", [(100 * count) / all]]); },
    "screening-judged": (f) => {
      const { correlations, regret: r } = f.data.screening;
      return [...correlations.map((c) => [{ text: c.template }, [c.spearman, c.ci95], c.variants]), ...[r.explored_better, r.best_better].map((e) => [/became the best/, [(100 * e.count) / e.of, e.ci95.map((end) => 100 * end)], [e.count, e.of]]),
        ...(r.explored_gain === null ? [] : [[/on average/, [100 * r.explored_gain], ""]]), ...[r.explored_beats, r.explored_over_best].filter(Boolean).map((e) => [/explored/, [e.mean, e.ci95], [e.explored]])];
    },
    bandit: (f) => {
      const [first, last] = [f.data.bandit[0], f.data.bandit.at(-1)], share = (arms, arm) => (100 * arm.weight * arm.factor) / arms.reduce((sum, each) => sum + each.weight * each.factor, 0);
      return [...last.arms].sort((a, b) => b.weight * b.factor - a.weight * a.factor).map((arm) => { const before = first.arms.find((each) => each.name === arm.name); return [arm.name, [share(last.arms, arm)], "", before ? [share(first.arms, before)] : null, arm.factor, arm.trials, arm.gains, arm.trials > 0 ? [about(100 * arm.reward)] : null]; });
    },
    "bandit-generations": (f) => { const last = [...f.data.bandit.at(-1).arms].sort((a, b) => b.weight * b.factor - a.weight * a.factor); return f.data.bandit.map((entry) => [entry.generation, ...last.map((arm) => { const own = entry.arms.find((each) => each.name === arm.name); return own ? [(100 * own.weight * own.factor) / entry.arms.reduce((sum, each) => sum + each.weight * each.factor, 0)] : null; })]); },
    models: (f) => f.data.models.map((m) => [m.model, m.requests, [m.input_tokens, m.output_tokens], [about(m.money)], m.accepted, Object.values(m.refused).sort((a, b) => b - a), m.proposed, [m.right, (100 * m.right) / m.proposed, wilson(m.right, m.proposed)], m.better, m.better > 0 && m.money > 0 ? [about(m.money / m.better)] : null, m.off_by === null ? null : [m.off_by, m.compared]]),
  },
  workloads: {
    workloads: (f) => {
      const rows = [...new Set([f.champion, f.baseline, ...f.correct().slice(0, 20)])].filter((row) => row >= 0);
      return rows.map((row) => [{ text: f.trial(row) }, ...f.c.workloads.map((w) => (w.latency_us[row] === null ? null : [w.latency_us[row], w.ci_low[row], w.ci_high[row], w.latency_us[f.baseline] / w.latency_us[row]])), ...(f.c.workloads.length > 1 ? [[f.latency(row), gainCell(f, f.baseline, row)]] : [])]);
    },
  },
  cost: {
    budget: (f) => [["trials", f.data.trials, f.data.budget.planned_trials, (v) => [v]], ["wall time", f.data.elapsed_seconds, f.data.budget.wall_seconds, time], ["device time", f.data.device_seconds, f.data.budget.device_seconds, time], ["cost", f.data.money, f.data.budget.money, (v) => [about(v)]]]
      .map(([name, used, of, text]) => [name, text(used), of > 0 ? text(of) : "no limit", "", of > 0 ? text(Math.max(0, of - used)) : null]),
    phases: (f) => f.data.economics.phases.map((p) => [p.phase, time(p.seconds), "", time(p.device_seconds), [about(p.money)]]),
    workers: (f) => f.data.workers.map((w) => [w.worker, w.device, w.trials, w.right, time(w.device_seconds), time(w.first_s), time(w.last_s), ""]),
    "gate-times": (f) => { const all = Object.keys(f.c.gate_ms).map((gate) => ({ gate, list: ms(f, gate) })).map((e) => ({ ...e, sum: e.list.reduce((a, b) => a + b, 0) / 1000 })), total = all.reduce((sum, e) => sum + e.sum, 0); return all.sort((a, b) => b.sum - a.sum).map((e) => [e.gate, e.list.length, time(e.sum), [(100 * e.sum) / total], "", e.list.length ? [about((1000 * e.sum) / e.list.length, 5.1e-3)] : null]); },
    work: (f) => {
      const end = f.data.elapsed_seconds, bins = Math.min(60, f.rows.length), width = end / bins, list = Array.from({ length: bins }, () => ({ trials: 0, busy: 0, device: 0 }));
      for (const row of f.rows) {
        const done = f.c.elapsed_seconds[row], took = f.gateMs(row) / 1000, begin = Math.max(0, done - took), last = Math.min(bins - 1, Math.floor(done / width));
        list[last].trials++;
        for (let i = 0; i < bins; ++i) { const shared = Math.max(0, Math.min(done, (i + 1) * width) - Math.max(begin, i * width)), share = done > begin ? shared / (done - begin) : Number(i === last); list[i].busy += (share * took) / width; list[i].device += (share * f.c.device_seconds[row]) / width; }
      }
      return list.map((b, i) => [time(i * width), time((i + 1) * width), b.trials, [about(b.trials / width, 5.1e-3)], [b.busy], [100 * b.device]]);
    },
    generations: (f) => f.data.generations.map((g, i, all) => { const ends = f.rows.filter((row) => f.c.generation[row] === g.generation); return [g.generation, g.trials, f.us(g.best_us), i > 0 ? [all[i - 1].best_us / g.best_us] : null, [g.diversity], "", time(f.c.elapsed_seconds[ends.at(-1)]), time(g.device_seconds), [about(g.money)], Object.entries(g.counts).map(([status, count]) => `${status} ${count}`).join(", ")]; }),
  },
  trials: { trials: (f) => f.rows.slice(0, 100).map((row) => [f.trial(row), f.c.generation[row], f.c.variant[row], f.word("template", row), f.word("operator", row), f.status(row), [f.word("gate", row), f.word("reason", row)].filter(Boolean).join(": "), f.us(f.latency(row)), f.ciText(row), f.latency(row) === null ? "" : gainCell(f, f.baseline, row)]) },
  run: {
    environment: (f) => { const { data: d } = f, e = d.environment; return [["run", d.run], ["state", `${d.state} (${d.status})`], ["device", `${d.device.name} (${d.device.kind})`], ["target", d.target], ["latencies", d.latency_kind.toUpperCase()], ["problem", e.problem], ["experiment", e.experiment], ["strategy", e.strategy], ["accuracy class", e.accuracy_class], ["seed of the search", e.seed], ["seed of the inputs", e.input_seed], ["evo", e.evo], ["toolchain", e.toolchain], ["driver", e.driver || "–"], ["lineage", d.lineage_sha256], ["experiment's hash", e.experiment_hash], ["problem's hash", e.problem_hash], ["ledger's schema", String(e.ledger_schema)]]; },
    Events: (f) => f.data.events.map((v) => [v.kind, v.trial, Object.entries(v.details).map(([key, text]) => `${key}: ${text}`).join(" ")]),
  },
};

tables.compare = {
  "Every trial that became the best": (f) => f.all.flatMap((run) => run.bests().map((row) => [run.data.name, run.c.index[row], [about(run.c.elapsed_seconds[row])], run.us(run.latency(row))])),
  random: (f) => {
    const [run, other] = f.all, best = (of, n) => of.bests().filter((row) => of.c.index[row] < n).map((row) => of.latency(row)).at(-1), n = Math.min(run.data.trials, other.data.trials), final = best(other, Infinity);
    const until = (of) => { const row = of.bests().find((each) => of.latency(each) <= final); return row === undefined ? "never" : `${of.c.index[row] + 1} trial${of.c.index[row] ? "s" : ""}`; };
    return [[run.data.name, other.data.name, n, best(run, n), best(other, n), best(other, n) / best(run, n), until(run), until(other)]];
  },
  runs: (f) => f.all.map(({ data: d, ...run }, i) => [d.name, `${d.state} (${d.status})`, `${d.device.name}, ${d.target} ${d.latency_kind.toUpperCase()}`, d.baseline.latency_us, [d.champion.latency_us, d.champion.ci95], [d.gain.speedup, d.gain.interval], i === 0 ? null : [f.all[0].data.champion.latency_us / d.champion.latency_us, d.champion.ci95 ? [f.all[0].data.champion.ci95[0] / d.champion.ci95[1], f.all[0].data.champion.ci95[1] / d.champion.ci95[0]] : []], d.trials, [(100 * f.all[i].rows.filter((row) => f.all[i].isCorrect(row)).length) / f.all[i].rows.length], time(d.elapsed_seconds), time(d.device_seconds), `${d.environment.strategy}, ${d.environment.seed}`, d.environment.problem_hash.slice(0, 8)]),
};

/** What opens of one trial. */
export const panel = {
  facts: (f, row) => {
    const parent = f.parent(row), children = f.rows.filter((child) => f.c.parents[child].includes(row)), turn = f.c.paired.find((entry) => entry.row === row), latency = f.latency(row) !== null, d = f.c.duplicate_of[row];
    return {
      status: `${f.status(row)}${f.word("gate", row) ? ` at the gate ${f.word("gate", row)}: ${f.word("reason", row)}` : f.word("reason", row) ? `: ${f.word("reason", row)}` : ""}`,
      latency: latency ? [f.latency(row), f.ci(row)] : null,
      "against the baseline": latency ? { text: row === f.baseline ? "" : f.gain(f.baseline, row).verdict, numbers: f.gain(f.baseline, row).numbers } : null,
      "in the end": [f.data.gain.speedup, f.data.gain.interval],
      "take it": digits(`${f.data.run} ${f.c.variant[row]}`),
      "against its parent": latency && parent >= 0 ? { text: f.gain(parent, row).verdict, numbers: [f.gain(parent, row).numbers, f.gain(parent, row).confidence ? [100 * f.gain(parent, row).confidence, f.c.paired.some((e) => e.row === row && e.incumbent === f.c.variant[parent]) ? null : null] : null] } : null,
      "timed in turn": turn ? { text: turn.incumbent, after: "with ", numbers: [turn.ratio, turn.interval, turn.rounds] } : null,
      variant: f.c.variant[row], template: f.word("template", row), "made by": `${f.word("operator", row)}: ${f.word("rationale", row)}`,
      parents: f.c.parents[row].map((p) => (typeof p === "number" ? f.trial(p) : p)).join(" ") || null,
      children: children.length ? `${children.slice(0, 12).map((child) => f.trial(child)).join(" ")}${children.length > 12 ? ` … ${children.length}` : ""}` : null,
      "duplicate of": typeof d === "number" ? f.trial(d) : d,
      registers: f.c.registers[row] === null ? null : [f.c.registers[row], f.c.spill_bytes[row], f.c.static_smem_bytes[row]],
      gates: Object.values(f.c.gate_ms).map((column) => column[row]).filter((v) => v !== null).map((v) => about(v, 5.1e-3)),
    };
  },
  genes: (f, row) => f.genes(row).map(([gene, value]) => { const old = f.parent(row) >= 0 ? f.gene(f.parent(row), gene) : undefined; return [gene, old !== undefined && old !== value ? `${old} → ${value}` : String(value)]; }),
};
