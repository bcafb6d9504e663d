// What the champion's path does on the device: counters that evo profile stored, counts of the virtual device, and what
// they leave for the model to bound.
import { badge, grouped, h, microseconds, number, plural, section, table, times, type Child } from "../dom";
import type { Counters, Profile } from "../document";
import { choice, trialLink } from "../parts";
import type { Run } from "../run";
import { go, type State } from "../state";

interface Fact { name: string; of: (entry: Counters) => number | string | null; digits?: number }

const count = (key: string) => (entry: Counters): number | null => entry.counts?.[key] ?? null;
const ratio = (over: string, under: string) => (entry: Counters): number | null => (entry.counts && entry.counts[under]! > 0 ? entry.counts[over]! / entry.counts[under]! : null);

const counted: Fact[] = [
  { name: "warp instructions", of: count("warp_instructions") }, { name: "of the busiest warp", of: count("longest_warp_instructions") },
  { name: "tensor core (m16n8k8)", of: count("tensor") }, { name: "FP32", of: count("fp32") }, { name: "FP16", of: count("fp16") }, { name: "FP64", of: count("fp64") }, { name: "integer", of: count("integer") },
  { name: "conversions", of: count("conversion") }, { name: "special functions", of: count("special") }, { name: "control", of: count("control") },
  { name: "global accesses", of: count("global_accesses") }, { name: "32-byte sectors an access", of: ratio("global_sectors", "global_accesses") }, { name: "footprint in DRAM, bytes", of: count("unique_global_bytes") },
  { name: "shared accesses", of: count("shared_accesses") }, { name: "wavefronts an access (1: no bank conflict)", of: ratio("shared_wavefronts", "shared_accesses") },
  { name: "asynchronous copies", of: count("async_copies") }, { name: "local accesses (spills)", of: count("local_accesses") }, { name: "barriers", of: count("barriers") }, { name: "shuffles", of: count("shuffles") }, { name: "atomics", of: count("atomics") },
];

function resources(run: Run): Fact[] {
  const c = run.data.columns, of = (column: (number | null)[]) => (entry: Counters) => column[run.row(entry.trial)] ?? null;
  return [
    { name: "registers a thread", of: of(c.registers) }, { name: "spilled bytes", of: of(c.spill_bytes) }, { name: "static shared memory, bytes", of: of(c.static_smem_bytes) },
    { name: "dynamic shared memory, bytes", of: (e) => e.occupancy?.dynamic_smem_bytes ?? null }, { name: "blocks", of: (e) => e.occupancy?.blocks ?? null }, { name: "threads a block", of: (e) => e.occupancy?.threads_per_block ?? null },
    { name: "blocks an SM holds", of: (e) => e.occupancy?.blocks_per_sm ?? null }, { name: "warps an SM holds", of: (e) => e.occupancy?.warps_per_sm ?? null }, { name: "held there by", of: (e) => e.occupancy?.limiter.replace("_", " ") ?? null },
    { name: "rounds of blocks", of: (e) => e.model?.waves ?? null },
  ];
}

const text = (value: number | string | null): string => (typeof value === "string" ? value : value !== null && Number.isInteger(value) ? grouped(value) : number(value));

/** Facts down, trials across; what differs from the first column says by how much. */
function facts(run: Run, caption: string, list: Fact[], entries: Counters[], id: string): HTMLElement {
  const first = entries[0]!;
  const shown = list.filter((fact) => entries.some((entry) => { const value = fact.of(entry); return value !== null && value !== 0; }));
  return table(caption, [
    { name: "~what", cell: (fact: Fact) => fact.name },
    ...entries.map((entry) => ({ name: `${role(run, entry)}trial ${entry.trial}`, numeric: true, cell: (fact: Fact): Child => {
      const value = fact.of(entry), before = fact.of(first);
      return [text(value), entry !== first && typeof value === "number" && typeof before === "number" && before > 0 && value !== before ? h("div", { class: "dim" }, times(value / before)) : null];
    } })),
  ], shown, id);
}

/** Kernel and workload where the trial has several. */
function head(run: Run, entry: Profile, entries: Profile[]): string {
  const own = entries.filter((each) => each.trial === entry.trial), several = (key: "kernel" | "workload") => new Set(own.map((each) => each[key])).size > 1;
  return [`${role(run, entry)}trial ${entry.trial}`, several("kernel") && entry.kernel, several("workload") && entry.workload].filter(Boolean).join(", ");
}

const role = (run: Run, entry: { trial: number }): string => (run.row(entry.trial) === run.champion ? "champion, " : run.row(entry.trial) === run.baseline ? "baseline, " : "");

/** The model's parts: a bar each, against the variant's longest. */
function parts(run: Run, entries: Counters[]): HTMLElement {
  const modelled = entries.filter((entry) => entry.model !== null), names = [...new Set(modelled.flatMap((entry) => Object.keys(entry.model!.parts_us)))];
  const total = "the whole: the modelled latency";
  const used = names.filter((name) => modelled.some((entry) => entry.model!.parts_us[name]! > 0.0005));
  return table("What the model's latency is made of", [
    { name: "~part", cell: (name: string) => (name === total ? h("strong", {}, name) : name === "latency" ? "latency (dependent instructions)" : name.replace("_", " ")) },
    ...modelled.map((entry) => ({ name: `${role(run, entry)}trial ${entry.trial}`, cell: (name: string): Child => {
      if (name === total) return h("strong", {}, microseconds(entry.model!.microseconds));
      const value = entry.model!.parts_us[name] ?? 0, bound = entry.model!.bottleneck === name, most = Math.max(1e-9, ...Object.values(entry.model!.parts_us));
      return h("div", { class: bound ? "part bound" : "part" }, h("span", {}, microseconds(value)), bound ? " ◂ the bound" : null, h("div", { class: "meter" }, h("i", { class: bound ? "lost" : "slower", style: { width: `${((100 * value) / most).toFixed(2)}%` } })));
    } })),
  ], [...used, total], "parts");
}

/** Stored counters of one workload: a table a basis, kernels across; measured and modelled never share one. */
function profiled(run: Run, workload: string | null): Child {
  const stored = (run.data.profiles ?? []).filter((entry) => workload === null || entry.workload === workload);
  return (["measured", "modelled"] as const).map((basis) => {
    const entries = stored.filter((entry) => entry.basis === basis);
    if (entries.length === 0) return null;
    const names = [...new Set(entries.flatMap((entry) => Object.keys(entry.counters)))], one = entries[0]!;
    return section(basis === "measured" ? "Measured by evo profile" : "Stored by evo profile", [badge(basis, basis.toUpperCase()), basis === "measured" ? ` On ${one.device} by ${one.method}: launches behind a launch of the same kernel.` : ` For ${one.device} by ${one.method}: no profiler has measured this.`],
      entries.map((entry) => h("p", { class: "limit" }, trialLink(run, run.row(entry.trial)), ` ${entry.kernel}, ${entry.workload}: ${entry.limit}`)),
      table(`Counters, ${basis}${workload === null ? "" : `, ${workload}`}`, [
        { name: "~counter", cell: (name: string) => name.replace(/_/g, " ") },
        ...entries.map((entry: Profile) => ({ name: head(run, entry, entries), numeric: true, cell: (name: string): Child => text(entry.counters[name] ?? null) })),
      ], names, `profile-${basis}`));
  });
}

export function counters(run: Run, _rows: number[], s: State): Child {
  const all = run.data.counters?.of ?? [], title = "Counters of the champion's path";
  if (all.length === 0) return [profiled(run, null), section(title, null, h("p", {}, "None: there is no champion, or the problem's files are not what they were."))];
  const names = [...new Set([...(run.data.profiles ?? []), ...all].map((entry) => entry.workload))], workload = names.includes(s.workload) ? s.workload : names[0]!;
  const order = new Map([run.baseline, ...run.path(run.champion)].map((row, i) => [row < 0 ? -1 : run.index(row), i]));
  const entries = all.filter((entry) => entry.workload === workload).sort((a, b) => (order.get(a.trial) ?? 0) - (order.get(b.trial) ?? 0));
  const known = entries.filter((entry) => entry.counts !== null), missing = entries.length - known.length;
  return [
    names.length > 1 && h("div", { class: "filters of-view" }, choice("workload", workload, names.map((name) => [name, name] as const), (name) => go({ workload: name }))),
    profiled(run, workload),
    section(title, [badge("modelled", "MODELLED"), " No profiler has measured this. The virtual device ran one launch of each variant and counted, in warp instructions; the model makes times of the counts, uncalibrated. ",
      run.data.latency_kind === "measured" ? "The run's latencies are measured; these numbers are not theirs." : "The run's latencies come from the same model."],
      h("p", {}, "Columns: ", entries.map((entry) => [trialLink(run, run.row(entry.trial)), " "])),
      missing > 0 && h("p", { class: "notice" }, `${plural(missing, "variant")} of this workload ${missing === 1 ? "is" : "are"} not counted: the PTX is not in this machine's artifact cache, or the launch is too large for a page to wait for.`)),
    entries.some((entry) => entry.model !== null) && section("What bounds it", "An SM's busiest pipe and its waits overlap in part, L2 and DRAM run beside them, the launch comes on top. The longest part is called the bound; bars are against it.", parts(run, entries)),
    entries.length === 0 && section("Counts", null, h("p", {}, "The virtual device counted nothing of this workload.")),
    known.length > 0 && section("Counts of one launch", known.length > 1 ? `Below each number, how much of trial ${known[0]!.trial}'s it is.` : null, facts(run, "Counted by the virtual device", counted, known, "counts")),
    entries.length > 0 && section("Occupancy", "Of the compiler's resources and the launch, as the CUDA occupancy calculator has it.", facts(run, "What an SM holds", resources(run), entries, "occupancy")),
  ];
}
