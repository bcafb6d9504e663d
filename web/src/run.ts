// A run's columns with the questions that views ask of them.
import type { Evidence, Gain, RunDocument, Value } from "./document";
import type { State } from "./state";

export type Group = "correct" | "failed" | "duplicate";
const correctStates = new Set(["proven", "better", "tie", "correct_slower"]);

export class Run {
  readonly groups: Group[];
  readonly statuses: string[];
  /** Row of the best so far after each row; -1 before the baseline. */
  readonly best: Int32Array;
  readonly champion: number; // row; -1 without one
  readonly baseline: number;
  private readonly rowOfIndex = new Map<number, number>();
  private readonly rowOfVariant = new Map<string, number>();
  private readonly evidenceOf = new Map<number, Evidence[]>();
  /** Of each kind of text: the parts of a row's, and the row that holds a variant's. */
  private readonly texts = { source: { of: new Map<number, [number, number][]>(), holder: new Map<string, number>() }, ptx: { of: new Map<number, [number, number][]>(), holder: new Map<string, number>() } };
  private readonly genesOf = new Map<string, string[]>();

  constructor(readonly data: RunDocument) {
    const c = data.columns;
    this.statuses = c.status.of.map((word) => c.status.values[word] ?? "");
    this.groups = this.statuses.map((status) => (correctStates.has(status) ? "correct" : status === "no_op" ? "duplicate" : "failed"));
    for (let row = 0; row < c.count; ++row) {
      this.rowOfIndex.set(c.index[row]!, row);
      if (!this.rowOfVariant.has(c.variant[row]!)) this.rowOfVariant.set(c.variant[row]!, row);
    }
    this.best = new Int32Array(c.count);
    let best = -1;
    for (let row = 0; row < c.count; ++row) {
      if (this.statuses[row] === "better" || (best < 0 && this.statuses[row] === "proven")) best = row;
      this.best[row] = best;
    }
    this.champion = data.champion_trial === null ? -1 : (this.rowOfIndex.get(data.champion_trial) ?? -1);
    this.baseline = c.count > 0 && c.index[0] === 0 && this.groups[0] === "correct" ? 0 : -1;
    for (const entry of data.evidence) this.evidenceOf.set(this.rowOfIndex.get(entry.trial) ?? -1, entry.items);
    for (const [kind, texts] of [["source", data.sources], ["ptx", data.ptx]] as const) {
      for (const entry of texts?.of ?? []) {
        const row = this.rowOfIndex.get(entry.trial) ?? -1;
        this.texts[kind].of.set(row, entry.source);
        if (row >= 0) this.texts[kind].holder.set(c.variant[row]!, row);
      }
    }
    for (const [name, genes] of Object.entries(c.space)) this.genesOf.set(name, Object.keys(genes));
  }

  get count(): number { return this.data.columns.count; }
  row(index: number | null): number { return index === null ? -1 : (this.rowOfIndex.get(index) ?? -1); }
  rowOf(variant: string): number { return this.rowOfVariant.get(variant) ?? -1; }
  index(row: number): number { return this.data.columns.index[row]!; }
  variant(row: number): string { return this.data.columns.variant[row]!; }
  latency(row: number): number | null { return this.data.columns.latency_us[row] ?? null; }
  interval(row: number): [number, number] | null {
    const low = this.data.columns.ci_low[row], high = this.data.columns.ci_high[row];
    return low === null || low === undefined || high === null || high === undefined ? null : [low, high];
  }
  status(row: number): string { return this.statuses[row]!; }
  word(column: "template" | "operator" | "rationale" | "status" | "gate" | "reason", row: number): string {
    const words = this.data.columns[column];
    return words.values[words.of[row]!] ?? "";
  }
  templates(): string[] { return Object.keys(this.data.columns.space); }
  /** Without the edits of the text, which stand in a genome as "~00", "~01", ... (model/edits.hpp). */
  geneNames(template: string): string[] { return (this.genesOf.get(template) ?? []).filter((name) => !name.startsWith("~")); }
  genes(row: number): [string, Value][] { return this.values(row).filter(([name]) => !name.startsWith("~")); }
  /** Edits of the template's text, in the order in which they apply. */
  edits(row: number): string[] { return this.values(row).filter(([name]) => name.startsWith("~")).map(([, text]) => String(text)); }
  private values(row: number): [string, Value][] {
    const template = this.word("template", row), space = this.data.columns.space[template] ?? {};
    const numbers = this.data.columns.genomes[row] ?? [];
    return (this.genesOf.get(template) ?? []).flatMap((gene, i): [string, Value][] => {
      const value = space[gene]?.[numbers[i]!];
      return value === undefined ? [] : [[gene, value]];
    });
  }
  gene(row: number, gene: string): Value | undefined {
    const template = this.word("template", row);
    const at = (this.genesOf.get(template) ?? []).indexOf(gene);
    return at < 0 ? undefined : this.data.columns.space[template]?.[gene]?.[this.data.columns.genomes[row]![at]!];
  }
  parents(row: number): (number | string)[] { return this.data.columns.parents[row] ?? []; }
  firstParent(row: number): number {
    const parent = this.parents(row)[0];
    return typeof parent === "number" ? parent : -1;
  }
  evidence(row: number): Evidence[] { return this.evidenceOf.get(row) ?? []; }
  /** Rows with a text of this kind, the champion's own first. */
  rowsWith(kind: "source" | "ptx"): number[] { return (kind === "ptx" ? this.data.ptx : this.data.sources).of.map((entry) => this.row(entry.trial)).filter((row) => row >= 0); }
  /** A row of the same variant that has one; -1 without one. */
  rowWith(kind: "source" | "ptx", row: number): number { return row < 0 ? -1 : (this.texts[kind].holder.get(this.variant(row)) ?? -1); }
  text(kind: "source" | "ptx", row: number): string[] | null {
    const parts = this.texts[kind].of.get(this.rowWith(kind, row)), { lines } = kind === "ptx" ? this.data.ptx : this.data.sources;
    return parts ? parts.flatMap(([first, count]) => lines.slice(first, first + count)) : null;
  }
  /** The best so far of some rows after each row; of all of them, what the run itself held for the best. */
  bestOf(rows: number[]): Int32Array {
    if (rows.length === this.count) return this.best;
    const best = new Int32Array(this.count), kept = new Set(rows);
    let at = -1;
    for (let row = 0; row < this.count; ++row) {
      if (kept.has(row) && this.groups[row] === "correct" && this.latency(row) !== null && (at < 0 || this.latency(row)! < this.latency(at)!)) at = row;
      best[row] = at;
    }
    return best;
  }
  /** First parents from `row` to its oldest ancestor, the ancestor first. */
  path(row: number): number[] {
    const rows: number[] = [], seen = new Set<number>();
    for (let at = row; at >= 0 && !seen.has(at); at = this.firstParent(at)) {
      seen.add(at);
      rows.push(at);
    }
    return rows.reverse();
  }
  /** `before` over `after`, as report/gain.cpp has it for the champion's path. */
  gain(before: number, after: number): Gain {
    const none: Gain = { speedup: null, interval: null, confidence: null, verdict: "unknown", method: "unknown" };
    const old = before < 0 ? null : this.latency(before), now = this.latency(after);
    if (old === null || now === null || !(now > 0)) return none;
    const { drift, resolution } = this.data.timing;
    const verdict = (low: number, high: number, margin: number): Gain["verdict"] =>
      low > 1 + margin ? "better" : high < 1 / (1 + margin) ? "worse" : "tie";
    const paired = this.data.columns.paired.find((entry) => entry.row === after);
    if (paired && paired.incumbent === this.variant(before) && paired.interval[0] > 0) {
      const interval: [number, number] = [1 / paired.interval[1], 1 / paired.interval[0]];
      return { speedup: 1 / paired.ratio, interval, confidence: paired.confidence, verdict: verdict(interval[0], interval[1], resolution), method: "in_turn" };
    }
    const a = this.interval(before), b = this.interval(after);
    if (this.data.latency_kind === "modelled") return { speedup: old / now, interval: null, confidence: null, verdict: verdict(old / now, old / now, 0), method: "modelled" };
    if (!a || !b || !(b[0] > 0)) return { ...none, speedup: old / now };
    const interval: [number, number] = [a[0] / b[1], a[1] / b[0]];
    return { speedup: old / now, interval, confidence: 0.95, verdict: verdict(interval[0], interval[1], drift), method: "intervals" };
  }
  /** The x of a row on the axis that the state asks for. */
  xOf(row: number, axis: State["x"]): number {
    const c = this.data.columns;
    return axis === "trial" ? c.index[row]! : axis === "time" ? c.elapsed_seconds[row]! : this.deviceUntil()[row]!;
  }
  private device: Float64Array | null = null;
  private deviceUntil(): Float64Array {
    const known = this.data.columns.device_seconds_until;
    if (known) this.device ??= Float64Array.from(known);
    if (!this.device) {
      this.device = new Float64Array(this.count);
      let sum = 0;
      this.data.columns.device_seconds.forEach((value, row) => (this.device![row] = sum += value));
    }
    return this.device;
  }

  /** The rows that the filters leave, in proposal order. */
  filtered(state: State): number[] {
    const rows: number[] = [];
    const letters: Record<Group, string> = { correct: "r", failed: "f", duplicate: "d" };
    const [gene, value] = state.where.includes("=") ? [state.where.slice(0, state.where.indexOf("=")), state.where.slice(state.where.indexOf("=") + 1)] : ["", ""];
    for (let row = 0; row < this.count; ++row) {
      if (!state.show.includes(letters[this.groups[row]!])) continue;
      if (state.template && this.word("template", row) !== state.template) continue;
      if (state.reason && `${this.status(row)}/${this.word("reason", row)}` !== state.reason) continue;
      if (gene && (gene === "edit" ? !this.edits(row).includes(value) : String(this.gene(row, gene)) !== value)) continue;
      rows.push(row);
    }
    if (state.top <= 0) return rows;
    const correct = rows.filter((row) => this.groups[row] === "correct" && this.latency(row) !== null);
    const fastest = correct.sort((a, b) => this.latency(a)! - this.latency(b)!).slice(0, state.top);
    return fastest.sort((a, b) => a - b);
  }
}
