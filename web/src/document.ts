// The document that `evo report --json` prints and the page holds: docs/reference/json.md names the keys.

export type Value = number | string;
export type Interval = [number, number] | null;

export interface Words {
  values: string[];
  of: number[];
}

export interface Gain {
  speedup: number | null;
  interval: Interval;
  confidence: number | null;
  verdict: "better" | "tie" | "worse" | "unknown";
  method: "modelled" | "in_turn" | "intervals" | "unknown";
}

export interface InTurn {
  incumbent: string;
  ratio: number;
  interval: [number, number];
  confidence: number;
  rounds: number;
}

export interface Step {
  trial: number;
  changes: string;
  against_parent: Gain | null;
  in_turn: InTurn | null;
}

export interface Stage {
  gate: string;
  reached: number;
  passed: number;
  failed: { status: string; reason: string; count: number }[];
}

export interface Evidence {
  kind: string;
  file: string;
  line: number;
  message: string;
  [detail: string]: Value;
}

export interface Effect {
  id: string;
  template: string;
  gene: string;
  value: Value;
  effect: number;
  ci95: [number, number];
  trials: number;
}

export interface Pattern {
  id: string;
  template: string;
  when: Record<string, Value>;
  status: string;
  reason: string;
  count: number;
  of: number;
}

export interface WorkloadColumns {
  name: string;
  weight: number;
  method: string;
  latency_us: (number | null)[];
  ci_low: (number | null)[];
  ci_high: (number | null)[];
  samples: (number | null)[];
}

export interface Columns {
  count: number;
  device_seconds_until?: number[]; // of all trials up to each row, where some are left out
  left_out: number; // trials of a very large run that have no row
  index: number[];
  generation: number[];
  slot: number[];
  variant: string[];
  template: Words;
  operator: Words;
  rationale: Words;
  status: Words;
  gate: Words;
  reason: Words;
  parents: (number | string)[][];
  duplicate_of: (number | string | null)[];
  latency_us: (number | null)[];
  ci_low: (number | null)[];
  ci_high: (number | null)[];
  paired: (InTurn & { row: number })[];
  device_seconds: number[];
  elapsed_seconds: number[];
  workloads: WorkloadColumns[];
  space: Record<string, Record<string, Value[]>>;
  genomes: number[][];
  registers: (number | null)[];
  spill_bytes: (number | null)[];
  static_smem_bytes: (number | null)[];
  gate_ms: Record<string, (number | null)[]>;
}

export interface VariantSummary {
  variant: string;
  template: string;
  genes: Record<string, Value>;
  latency_us: number | null;
  ci95: Interval;
  speedup?: number | null;
}

export interface RunDocument {
  run: string; // the run folder, as it was given
  name: string; // its last part
  state: "finished" | "running" | "stopped";
  status: string;
  device: { kind: string; name: string };
  target: string;
  latency_kind: string;
  trials: number;
  counts: Record<string, number>;
  baseline: VariantSummary | null;
  champion: VariantSummary | null;
  champion_trial: number | null;
  /** Genes of the searched champion that went back to their first values; `stands`: so the champion is another variant than that trial's. */
  reduced?: { variant: string; from: string; stands: boolean; ratio?: number | null; genes: Record<string, { was: string | number; now: string | number }> } | null;
  elapsed_seconds: number;
  trials_per_second: number;
  warm_trials_per_second: number | null;
  device_seconds: number;
  money: number;
  lineage_sha256: string;
  gain: Gain | null;
  path: Step[];
  timing: { drift: number; resolution: number };
  funnel: Stage[];
  insights: { generation: number; trials: number; effects: Effect[]; failures: Pattern[] } | null;
  generations: {
    generation: number;
    trials: number;
    best_variant: string;
    best_us: number;
    diversity: number;
    device_seconds: number;
    money: number;
    counts: Record<string, number>;
  }[];
  events: { kind: string; trial: number; details: Record<string, string> }[];
  budget: {
    planned_trials: number | null;
    wall_seconds: number;
    device_seconds: number;
    money: number;
    hourly_price: number;
    stop_if: string;
  };
  economics: Economics;
  /** Of a farm; empty where this machine did all. */
  workers: Worker[];
  screening?: Screening | null;
  bandit: { generation: number; arms: BanditArm[] }[];
  models: LanguageModel[];
  environment: Record<string, Value>;
  columns: Columns;
  evidence: { trial: number; items: Evidence[] }[];
  evidence_left_out: number;
  sources: Texts;
  ptx: Texts & { missing: number };
  counters: { basis: string; of: Counters[]; uncounted: number };
  profiles: Profile[];
  insight_checks: InsightCheck[];
  final_verdict: FinalVerdict | null;
  roofline: { basis: string; roofs: { dram_gb_per_s: number; l2_gb_per_s: number; tensor_fp16_tflops: number | null }; points: RooflinePoint[] } | null;
  card: string; // SVG
  notices: string[];
}

/** Texts that share lines: each is the lines first, first + 1, ... of its parts. */
export interface Texts { lines: string[]; of: { trial: number; source: [number, number][] }[]; left_out: number }

export interface Counters {
  trial: number;
  workload: string;
  occupancy: { blocks_per_sm: number; warps_per_sm: number; limiter: string; blocks: number; threads_per_block: number; dynamic_smem_bytes: number } | null;
  counts: Record<string, number> | null;
  model: { microseconds: number; method: string; bottleneck: string; waves: number; parts_us: Record<string, number> } | null;
}

/** Counters of one kernel that evo profile stored: measured on a GPU, or modelled. */
export interface Profile {
  trial: number;
  workload: string;
  kernel: string;
  basis: "measured" | "modelled";
  method: string;
  device: string;
  counters: Record<string, number>;
  limited_by: string;
  limit: string;
}

/** The champion with some of its genes put back. */
export interface InsightCheck {
  from: Record<string, Value>;
  to: Record<string, Value>;
  status: "confirmed" | "refuted" | "inconclusive" | "untested";
  ratio: number | null; // with the genes put back, over the champion
  interval: Interval;
  confidence: number | null;
  latency_kind: string;
  pairs: number;
  refused: string;
}

/** What a final verdict has beside its decision: the other L2, or another library. */
export interface BesidePairs { against: string; cache: string; failure: string; decision: string; latency_kind: string; speedup: number | null; interval: Interval; pairs: number }

export interface FinalVerdict {
  /* Absent in runs of an evo that timed hot alone. */
  cache?: string;
  other_cache?: BesidePairs | null;
  comparators?: BesidePairs[];
  decision: string;
  failure: string;
  latency_kind: string;
  device: string;
  accuracy_class: string;
  speedup: number | null;
  interval: Interval; // of the ratio: the champion over the baseline
  confidence: number | null;
  margin: number;
  pairs: number;
  search: { comparisons: number; false_promotion_at_most: number };
  criteria: { name: string; found: Value | null; bound?: number; met: boolean; decides?: boolean; workload?: string }[];
}

interface Rate { count: number; of: number; ci95: Interval }
interface Mean { mean: number; ci95: Interval; explored: number }

/** A farm's worker: `tenths` are its trials in each tenth of the run's time. */
export interface Worker {
  worker: string;
  device: string;
  trials: number;
  right: number;
  device_seconds: number;
  first_s: number;
  last_s: number;
  tenths: number[];
}

/** What a model chose before a device saw it. */
export interface Screening {
  model: string;
  candidates: number;
  modelled: number;
  left_out: number;
  failed: number;
  slots: Record<"best" | "explored" | "alone" | "rested" | "not_modelled" | "failed", number>;
  why_not_modelled: string;
  model_cpu_ms: number;
  prepare_ms: number;
  regret: { explored_better: Rate; best_better: Rate; explored_gain: number | null; explored_beats: Mean | null; explored_over_best: Mean | null };
  correlations: { template: string; spearman: number | null; ci95: Interval; variants: number }[];
}

export interface Economics {
  phases: { phase: string; seconds: number; device_seconds: number; money: number }[];
  device_seconds: number;
  money: number;
  gain_percent: number | null;
  device_seconds_per_percent: number | null;
  money_per_percent: number | null;
  stopped_by: string;
  stopped: string;
}

export interface BanditArm {
  name: string;
  weight: number;
  factor: number;
  trials: number;
  gains: number;
  reward: number;
}

export interface LanguageModel {
  model: string;
  requests: number;
  input_tokens: number;
  output_tokens: number;
  money: number;
  accepted: number;
  refused: Record<string, number>;
  proposed: number;
  right: number;
  better: number;
  compared: number;
  off_by: number | null;
}

export interface RooflinePoint {
  trial: number;
  workload: string;
  flops: number;
  bytes: number;
  intensity: number;
  tflops: number;
  gb_per_s: number;
  limit_tflops: number;
  of_limit: number;
}

export interface Timed { latency_us: number; ci95: [number, number]; samples: number; tflops?: number }

/** What `evo bench --json` prints. */
export interface Bench {
  run: string | null;
  experiment: string;
  target: string;
  latency_kind: string;
  device: { kind: string; name: string; driver: string };
  variants: { contender: string; variant: string }[];
  comparators: { name: string; available: boolean; reason: string }[];
  cases: { workload: string; skipped: string; contenders: { contender: string; hot: Timed | null; cold: Timed | null; unavailable: string | null }[] }[];
}

export interface ReportDocument {
  benches: Bench[];
  schema_version: number;
  evo: string;
  written: number;
  runs: RunDocument[];
  reading?: string[]; // run folders that evo serve has not read yet
  trouble?: string; // why it cannot
}
