// Operators, workloads, trials, the run itself, and several runs beside one another.
import { finalGain, quote, refusedAtTheEnd, taskOf } from "../answers";
import { css, overlay, runColor } from "../chart";
import type { Gain } from "../document";
import { asTable, h, microseconds, number, percent, plural, seconds, section, shown, table, times, type Child } from "../dom";
import { axes, gainText, intervalText, kindBadge, legend, how, to, trialLink, verdict } from "../parts";
import type { Run } from "../run";
import { go, type State } from "../state";
import { wilson } from "../statistics";
import { bandit } from "./bandit";
import { models } from "./models";
import { againstRandom } from "./random";
import { screening } from "./screening";

interface Operator { name: string; tried: number; correct: number; better: number; duplicate: number; failed: number; gain: number | null; seconds: number }

export function operators(run: Run, rows: number[]): Child {
  const found = new Map<string, Operator>();
  for (const row of rows) {
    const name = run.word("operator", row);
    const entry = found.get(name) ?? { name, tried: 0, correct: 0, better: 0, duplicate: 0, failed: 0, gain: null, seconds: 0 };
    entry.tried++;
    entry[run.groups[row]!]++;
    if (run.status(row) === "better") entry.better++;
    const gain = run.groups[row] === "correct" ? run.gain(run.firstParent(row), row).speedup : null;
    if (gain !== null) entry.gain = Math.max(entry.gain ?? 0, gain);
    for (const column of Object.values(run.data.columns.gate_ms)) entry.seconds += (column[row] ?? 0) / 1000;
    found.set(name, entry);
  }
  const list = [...found.values()].sort((a, b) => b.tried - a.tried), most = Math.max(1, ...list.map((e) => e.tried));
  const part = (count: number, kind: string) => count > 0 && h("i", { class: kind, style: { width: `${(100 * count) / most}%` }, title: `${kind} ${count}` });
  return [section("Operators", "What made the proposals: how many were correct, how many became the best. The best gain is the largest against the trial's first parent.",
    legend([[css("--better"), "better"], [css("--slower"), "correct, not better"], [css("--duplicate"), "duplicate"], [css("--failed"), "failed"]]),
    table("Operators", [
      { name: "operator", cell: (e) => e.name }, { name: "tried", cell: (e) => e.tried, numeric: true },
      { name: "~bar", cell: (e) => h("div", { class: "meter stacked" }, part(e.better, "better"), part(e.correct - e.better, "slower"), part(e.duplicate, "duplicate"), part(e.failed, "failed")) },
      { name: "correct", cell: (e) => e.correct, numeric: true }, { name: "better", cell: (e) => e.better, numeric: true }, { name: "duplicates", cell: (e) => e.duplicate, numeric: true }, { name: "failed", cell: (e) => e.failed, numeric: true },
      { name: "share correct, 95 %", cell: (e) => { const [low, high] = wilson(e.correct, e.tried); return `${percent(e.correct / e.tried, 0)} [${percent(low, 0)}, ${percent(high, 0)}]`; }, numeric: true },
      { name: "best gain", cell: (e) => times(e.gain), numeric: true }, { name: "gate time", cell: (e) => seconds(e.seconds), numeric: true },
    ], list, "operators")), screening(run), bandit(run), models(run)];
}

export function workloads(run: Run, rows: number[], s: State): Child {
  const list = run.data.columns.workloads;
  const correct = rows.filter((row) => run.groups[row] === "correct" && run.latency(row) !== null).sort((a, b) => run.latency(a)! - run.latency(b)!).slice(0, s.top > 0 ? s.top : 20);
  const shownRows = [...new Set([run.champion, run.baseline, ...correct])].filter((row) => row >= 0);
  const best = list.map((workload) => Math.min(...shownRows.map((row) => workload.latency_us[row] ?? Infinity)));
  const cell = (row: number, i: number): Child => {
    const value = list[i]!.latency_us[row] ?? null, low = list[i]!.ci_low[row], high = list[i]!.ci_high[row];
    if (value === null) return "–";
    const base = run.baseline >= 0 ? (list[i]!.latency_us[run.baseline] ?? null) : null, ratio = best[i]! / value;
    return h("div", { class: "heat", style: { background: `color-mix(in oklab, ${css("--better")} ${(28 * ratio ** 3).toFixed(0)}%, transparent)` } }, microseconds(value), typeof low === "number" && typeof high === "number" ? h("span", { class: "dim" }, ` ${intervalText([low, high])}`) : null, value === best[i] ? " ★" : null,
      h("div", { class: "dim" }, base !== null ? times(base / value) : null));
  };
  return section("Workloads × variants", `The champion, the baseline, and the ${correct.length} fastest that the filters leave: latency (${run.data.latency_kind}) and speed-up against the baseline on each workload. ★ is the fastest of its column. The last column is the weighted geometric mean.`,
    list.length > 0 ? table("Latency of each workload", [
      { name: "variant", cell: (row: number) => [trialLink(run, row), row === run.champion ? " champion" : row === run.baseline ? " baseline" : null] },
      ...list.map((workload, i) => ({ name: `${shown(workload.name)} (weight ${number(workload.weight)})`, numeric: true, cell: (row: number) => cell(row, i) })),
      ...(list.length > 1 ? [{ name: "all", numeric: true, cell: (row: number) => [microseconds(run.latency(row)), h("div", { class: "dim" }, gainText(run.gain(run.baseline, row)))] as Child }] : []),
    ], shownRows, "workloads") : h("p", {}, "No trial has a latency."),
    h("p", { class: "dim" }, `How: ${[...new Set(list.map((workload) => workload.method))].map(shown).join("; ")}`));
}

const pageSize = 100;
type SortKey = "trial" | "latency" | "status" | "operator" | "template";
export function trials(run: Run, rows: number[], s: State): Child {
  const key = (s.sort || "trial").replace("-", "") as SortKey, down = s.sort.startsWith("-");
  const value = (row: number): number | string => (key === "latency" ? (run.latency(row) ?? Infinity) : key === "trial" ? row : run.word(key, row));
  const sorted = key === "trial" && !down ? rows : [...rows].sort((a, b) => { const x = value(a), y = value(b); return (x < y ? -1 : x > y ? 1 : a - b) * (down ? -1 : 1); });
  const pages = Math.max(1, Math.ceil(sorted.length / pageSize)), page = Math.min(s.page, pages - 1);
  const head = (name: SortKey, text: string): HTMLElement => h("button", { type: "button", class: "sort", onclick: () => go({ sort: key === name && !down ? `-${name}` : name, page: 0 }) }, text, key === name ? (down ? " ▼" : " ▲") : "");
  const view = sorted.slice(page * pageSize, (page + 1) * pageSize);
  const pager = (): HTMLElement => h("div", { class: "filters" }, h("button", { type: "button", class: "toggle", disabled: page === 0, onclick: () => go({ page: page - 1 }) }, "‹ before"), h("span", {}, `page ${page + 1} of ${pages}`), h("button", { type: "button", class: "toggle", disabled: page >= pages - 1, onclick: () => go({ page: page + 1 }) }, "next ›"));
  const result = table("Trials", [
    { name: "trial", cell: (row: number) => trialLink(run, row), numeric: true }, { name: "generation", cell: (row) => run.data.columns.generation[row], numeric: true }, { name: "variant", cell: (row) => h("span", { class: "mono" }, run.variant(row)) },
    { name: "template", cell: (row) => run.word("template", row) }, { name: "operator", cell: (row) => run.word("operator", row) },
    { name: "status", cell: (row) => h("span", { class: `state ${run.groups[row]} ${run.status(row)}` }, run.status(row)) }, { name: "gate: reason", cell: (row) => [run.word("gate", row), run.word("reason", row)].filter(Boolean).join(": ") },
    { name: `latency (${run.data.latency_kind})`, cell: (row) => microseconds(run.latency(row)), numeric: true }, { name: "95 %", cell: (row) => intervalText(run.interval(row)), numeric: true },
    { name: "against the baseline", cell: (row) => (run.latency(row) === null ? "" : gainText(run.gain(run.baseline, row))), numeric: true }], view, "trials");
  const heads = result.querySelectorAll("th");
  for (const [at, name, text] of [[0, "trial", "trial"], [3, "template", "template"], [4, "operator", "operator"], [5, "status", "status"], [7, "latency", `latency (${run.data.latency_kind})`]] as const) {
    heads[at]!.replaceChildren(head(name, text));
    if (key === name) heads[at]!.setAttribute("aria-sort", down ? "descending" : "ascending");
  }
  return section("Trials", `${plural(rows.length, "trial")} that the filters leave.`, pager(), result, pages > 1 && pager());
}

export function about(run: Run): Child {
  const d = run.data, e = d.environment;
  const facts: [string, Child][] = [
    ["run", d.run], ["state", `${d.state} (${d.status})`], ["device", `${d.device.name} (${d.device.kind})`], ["target", d.target], ["latencies", kindBadge(run)], ["problem", String(e["problem"])], ["experiment", String(e["experiment"])],
    ["strategy", String(e["strategy"])], ["accuracy class", String(e["accuracy_class"])], ["seed of the search", String(e["seed"])], ["seed of the inputs", String(e["input_seed"])], ["evo", String(e["evo"])], ["toolchain", String(e["toolchain"])], ["driver", String(e["driver"]) || "–"],
    ["lineage", h("span", { class: "mono" }, d.lineage_sha256)], ["experiment's hash", h("span", { class: "mono" }, String(e["experiment_hash"]))], ["problem's hash", h("span", { class: "mono" }, String(e["problem_hash"]))], ["ledger's schema", String(e["ledger_schema"])]];
  const commands = [
    ["check it: every proposal and verdict again", `evo replay ${quote(d.run)}`], ["make it again", `evo run ${quote(`${d.run}/experiment.yaml`)} --seed ${e["seed"]} --input-seed ${e["input_seed"]}`],
    ["take the champion", `evo export ${quote(d.run)} champion -o champion`], ["measure it beside other libraries", `evo bench ${quote(d.run)} --json > bench.json`], ["and have that on this page", `evo report ${quote(d.run)} --bench bench.json -o report.html`], ["its data", `evo report ${quote(d.run)} --json`]];
  return [
    section("The run", null, table("Environment", [{ name: "~fact", cell: (f) => f[0] }, { name: "~value", cell: (f) => f[1] }], facts, "environment")),
    section("To repeat", null, h("dl", { class: "commands", id: "commands" }, commands.map(([what, command]) => [h("dt", {}, what), h("dd", {}, h("code", {}, command))]))),
    section("Events", null, d.events.length > 0 ? table("Events", [{ name: "event", cell: (v) => v.kind }, { name: "trial", cell: (v) => v.trial, numeric: true }, { name: "details", cell: (v) => Object.entries(v.details).map(([k, text]) => h("div", {}, `${k}: ${text}`)) }], d.events) : h("p", {}, "None.")),
    section("experiment.yaml, resolved", null, h("pre", { class: "file", tabindex: 0 }, String(e["experiment_yaml"]))),
  ];
}


/** The champion of `other` over this one's: how much faster this one is. Only where both have a latency of one kind and task. */
export function againstRun(other: Run, run: Run): Gain | null {
  const before = other.data.champion, now = run.data.champion, kind = (each: Run) => `${each.data.latency_kind} ${each.data.device.name} ${each.data.target} ${taskOf(each)}`;
  if (!before?.latency_us || !now?.latency_us || kind(other) !== kind(run)) return null;
  const speedup = before.latency_us / now.latency_us;
  if (run.data.latency_kind === "modelled") return { speedup, interval: null, confidence: null, verdict: speedup > 1 ? "better" : speedup < 1 ? "worse" : "tie", method: "modelled" };
  if (!before.ci95 || !now.ci95) return { speedup, interval: null, confidence: null, verdict: "unknown", method: "unknown" };
  const interval: [number, number] = [before.ci95[0] / now.ci95[1], before.ci95[1] / now.ci95[0]], margin = run.data.timing.drift;
  return { speedup, interval, confidence: 0.95, verdict: interval[0] > 1 + margin ? "better" : interval[1] < 1 / (1 + margin) ? "worse" : "tie", method: "intervals" };
}

export function compare(runs: Run[], s: State): Child {
  const kinds = new Set(runs.map((run) => `${run.data.latency_kind} on ${run.data.device.name}, target ${run.data.target}`));
  const tasks = new Set(runs.map(taskOf)), first = runs[0]!;
  return [
    kinds.size > 1 && h("p", { class: "notice" }, `These latencies are not of one kind (${[...kinds].join("; ")}): do not compare their numbers.`),
    tasks.size > 1 && h("p", { class: "notice", id: "tasks" }, "These runs are not of one task: their problems, workloads or accuracy classes differ. A latency of one says nothing of another's."),
    section("Best so far of each run", "Of the trials that the filters leave in each run.", axes(), overlay(runs, s), legend(runs.map((run, i) => [runColor(i), run.data.name] as const)),
      asTable(() => table("Every trial that became the best", [{ name: "run", cell: (e) => e.run.data.name }, { name: "trial", cell: (e) => e.run.index(e.row), numeric: true }, { name: "wall time, s", cell: (e) => number(e.run.xOf(e.row, "time")), numeric: true }, { name: "latency", cell: (e) => microseconds(e.run.latency(e.row)), numeric: true }],
        runs.flatMap((run) => Array.from(run.bestOf(run.filtered(s))).flatMap((best, row) => (best === row ? [{ run, row }] : [])))))),
    againstRandom(runs),
    section("Side by side", `Speed-ups are against each run's own baseline. "Against ${shown(first.data.name)}": the latency of that run's champion over this one's${first.data.latency_kind === "measured" ? ", from both 95 % intervals, far ends against each other; runs are timed at different moments" : ", numbers of the model"}. evo bench times champions beside each other.`, table("Runs", [
      { name: "run", cell: (run) => to({ view: "overview", run: runs.indexOf(run), trial: null, template: "", reason: "", where: "" }, run.data.name) }, { name: "state", cell: (run) => `${run.data.state} (${run.data.status})` },
      { name: "device, target", cell: (run) => [`${run.data.device.name}, ${run.data.target} `, kindBadge(run)] },
      { name: "baseline", cell: (run) => microseconds(run.data.baseline?.latency_us), numeric: true }, { name: "champion", cell: (run) => [microseconds(run.data.champion?.latency_us), " ", h("span", { class: "dim" }, intervalText(run.data.champion?.ci95 ?? null))], numeric: true },
      { name: "speed-up", cell: (run) => [gainText(run.data.gain), " ", verdict(run.data.gain)], numeric: true },
      { name: `against ${shown(first.data.name)}`, cell: (run) => { const gain = run === first ? null : againstRun(first, run); return [gainText(gain), " ", verdict(gain)]; }, numeric: true }, { name: "trials", cell: (run) => run.data.trials, numeric: true },
      { name: "correct", cell: (run) => percent(run.groups.filter((g) => g === "correct").length / Math.max(run.count, 1), 0), numeric: true }, { name: "wall time", cell: (run) => seconds(run.data.elapsed_seconds), numeric: true }, { name: "device time", cell: (run) => seconds(run.data.device_seconds), numeric: true },
      { name: "strategy, seed", cell: (run) => `${run.data.environment["strategy"] ?? ""}, ${run.data.environment["seed"]}` }, { name: "problem's hash", cell: (run) => h("span", { class: "mono" }, String(run.data.environment["problem_hash"]).slice(0, 8)) }], runs, "runs")),
  ];
}

/** All about one trial. */
export function trialPanel(run: Run, row: number): HTMLElement {
  const parent = run.firstParent(row), gain = parent >= 0 ? run.gain(parent, row) : null, c = run.data.columns, d = c.duplicate_of[row];
  const turn = c.paired.find((entry) => entry.row === row);
  const children = c.parents.flatMap((parents, child) => (parents.includes(row) ? [child] : []));
  const facts: [string, Child][] = [
    ["status", [h("span", { class: `state ${run.groups[row]} ${run.status(row)}` }, run.status(row)), run.word("gate", row) ? ` at the gate ${run.word("gate", row)}: ${run.word("reason", row)}` : run.word("reason", row) ? `: ${run.word("reason", row)}` : null]],
    [`latency (${run.data.latency_kind})`, run.latency(row) === null ? "–" : [h("strong", {}, microseconds(run.latency(row))), ` ${intervalText(run.interval(row))}`]],
    ["against the baseline", run.latency(row) === null ? null : [gainText(run.gain(run.baseline, row)), " ", row !== run.baseline && verdict(run.gain(run.baseline, row))]],
    ["in the end", row === run.champion && finalGain(run) ? [gainText(run.data.gain), " ", verdict(run.data.gain), h("div", { class: "dim" }, "against the baseline by the final verdict, in a fresh process")] : null],
    ["against its parent", run.latency(row) === null ? null : gain ? [gainText(gain), " ", verdict(gain), h("div", { class: "dim" }, how(gain))] : "–"],
    ["timed in turn", turn ? `with ${turn.incumbent}: ${turn.ratio.toFixed(4)} of its latency [${turn.interval[0].toFixed(4)}, ${turn.interval[1].toFixed(4)}], ${turn.rounds} rounds` : null],
    ["variant", h("span", { class: "mono" }, run.variant(row))], ["template", run.word("template", row)], ["made by", `${run.word("operator", row)}: ${run.word("rationale", row)}`],
    ["parents", run.parents(row).length === 0 ? "–" : run.parents(row).map((p) => [typeof p === "number" ? trialLink(run, p) : p, " "])], ["children", children.length > 0 ? [children.slice(0, 12).map((child) => [trialLink(run, child), " "]), children.length > 12 ? `… ${children.length}` : null] : "–"],
    ["duplicate of", d === null || d === undefined ? null : typeof d === "number" ? trialLink(run, d) : d],
    ["registers, spills, shared", c.registers[row] === null ? "–" : `${c.registers[row]}, ${c.spill_bytes[row]} B, ${c.static_smem_bytes[row]} B static`],
    ["take it", run.groups[row] === "correct" && !refusedAtTheEnd(run, row) ? h("code", {}, `evo export ${quote(run.data.run)} ${run.variant(row)} -o DIR`) : null],
    ["gates", Object.entries(c.gate_ms).flatMap(([gate, column]) => (column[row] === null || column[row] === undefined ? [] : [`${gate} ${number(column[row], 3)} ms`])).join(", ")],
  ];
  return h("aside", { class: "panel", id: "panel", "aria-label": `Trial ${run.index(row)}`, tabindex: -1 },
    h("div", { class: "panel-head" }, h("h2", {}, `Trial ${run.index(row)}${row === run.champion ? ", the champion" : row === run.baseline ? ", the baseline" : ""}`), h("button", { type: "button", class: "toggle", "aria-label": "Close", onclick: () => go({ trial: null }) }, "✕")),
    h("p", { class: "filters" }, run.rowWith("source", row) >= 0 && to({ view: "source", a: null, b: run.index(row) }, "source"), run.groups[row] === "correct" && to({ view: "lineage" }, "its path"),
      row > 0 && to({ trial: run.index(row - 1) }, "‹ before"), row + 1 < run.count && to({ trial: run.index(row + 1) }, "next ›")),
    h("dl", {}, facts.filter(([, fact]) => fact !== null).map(([name, fact]) => [h("dt", {}, name), h("dd", {}, fact)])),
    run.evidence(row).length > 0 && [h("h3", {}, "Evidence"), h("ul", { class: "messages" }, run.evidence(row).map((item) => h("li", {}, h("strong", {}, item.kind), " ", item.file ? h("span", { class: "mono" }, `${item.file}:${item.line}`) : null, h("pre", { class: "message" }, item.message),
      h("div", { class: "dim" }, Object.entries(item).filter(([k, v]) => !["kind", "file", "line", "message"].includes(k) && String(v)).map(([k, v]) => `${k} ${v}`).join(", ")))))],
    run.edits(row).length > 0 && [h("h3", {}, "Edits of the text"), h("p", { class: "dim" }, "Those that its first parent lacks are marked; the view Source shows them in place."), h("ol", { class: "messages" }, run.edits(row).map((edit) => h("li", { class: "mono changes" }, parent >= 0 && !run.edits(parent).includes(edit) ? h("mark", {}, edit) : edit)))],
    h("h3", {}, "Genes"), table("Genes; those that differ from the first parent are marked", [{ name: "gene", cell: (g) => h("span", { class: "mono" }, g[0]) }, { name: "value", cell: (g) => { const old = parent >= 0 ? run.gene(parent, g[0]) : undefined; return old !== undefined && old !== g[1] ? h("mark", { class: "mono" }, `${old} → ${g[1]}`) : h("span", { class: "mono" }, String(g[1])); } }], run.genes(row)));
}

