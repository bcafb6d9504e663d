// A run's document, asked as a reader of docs/reference/json.md would: none of the page's own code.
export class Facts {
  constructor(data) {
    this.data = data;
    const c = (this.c = data.columns);
    this.rows = Array.from({ length: c.count }, (_, row) => row);
    this.first = new Map();
    this.rows.forEach((row) => { if (!this.first.has(c.variant[row])) this.first.set(c.variant[row], row); });
    this.of = new Map(c.index.map((index, row) => [index, row]));
    this.champion = this.of.get(data.champion_trial) ?? -1;
    this.baseline = this.isCorrect(0) ? 0 : -1;
  }
  word(column, row) { const words = this.c[column]; return words.values[words.of[row]]; }
  status(row) { return this.word("status", row); }
  isCorrect(row) { return ["proven", "better", "tie", "correct_slower"].includes(this.status(row)); }
  isDuplicate(row) { return this.status(row) === "no_op"; }
  isFailed(row) { return !this.isCorrect(row) && !this.isDuplicate(row); }
  trial(row) { return row < 0 ? "–" : `trial ${this.c.index[row]}`; }
  us(value) { return value === null || value === undefined ? "–" : `${value.toFixed(3)} µs`; }
  latency(row) { return this.c.latency_us[row]; }
  ci(row) { return this.c.ci_low[row] === null ? [] : [this.c.ci_low[row], this.c.ci_high[row]]; }
  ciText(row) { return this.c.ci_low[row] === null ? "" : `[${this.c.ci_low[row].toFixed(3)}, ${this.c.ci_high[row].toFixed(3)}]`; }
  parent(row) { const parent = this.c.parents[row][0]; return typeof parent === "number" ? parent : -1; }
  genes(row) {
    const template = this.word("template", row), names = Object.keys(this.c.space[template]);
    return names.flatMap((gene, i) => (this.c.genomes[row][i] < 0 || gene.startsWith("~") ? [] : [[gene, this.c.space[template][gene][this.c.genomes[row][i]]]]));
  }
  gene(row, name) { return this.genes(row).find(([gene]) => gene === name)?.[1]; }
  /** docs/concepts/measurement.md: timed in turn, or far ends of both intervals; a model's as they are. */
  gain(before, after) {
    const old = before < 0 ? null : this.latency(before), now = this.latency(after), { drift, resolution } = this.data.timing;
    if (old === null || now === null) return { numbers: [], verdict: "unknown" };
    const said = (low, high, margin) => (low > 1 + margin ? "better" : high < 1 / (1 + margin) ? "worse" : "tie");
    const turn = this.c.paired.find((entry) => entry.row === after);
    if (turn && turn.incumbent === this.c.variant[before]) return { numbers: [1 / turn.ratio, 1 / turn.interval[1], 1 / turn.interval[0]], verdict: said(1 / turn.interval[1], 1 / turn.interval[0], resolution), confidence: turn.confidence };
    if (this.data.latency_kind === "modelled") return { numbers: [old / now], verdict: said(old / now, old / now, 0) };
    const [a, b] = [this.ci(before), this.ci(after)], low = a[0] / b[1], high = a[1] / b[0];
    return { numbers: [old / now, low, high], verdict: said(low, high, drift), confidence: 0.95 };
  }
  path(row) { const list = []; for (let at = row; at >= 0 && !list.includes(at); at = this.parent(at)) list.push(at); return list.reverse(); }
  changes(before, after) {
    if (before < 0) return [];
    const [from, to] = [this.word("template", before), this.word("template", after)];
    if (from !== to) return [`template ${from} -> ${to}`];
    return this.genes(after).filter(([gene, value]) => this.gene(before, gene) !== undefined && this.gene(before, gene) !== value).map(([gene, value]) => `${gene} ${this.gene(before, gene)} -> ${value}`);
  }
  bests() { let best = -1; return this.rows.filter((row) => { const is = this.status(row) === "better" || (best < 0 && this.status(row) === "proven"); if (is) best = row; return is; }); }
  correct(template) { return this.rows.filter((row) => this.isCorrect(row) && this.latency(row) !== null && (!template || this.word("template", row) === template)).sort((a, b) => this.latency(a) - this.latency(b)); }
  deviceUntil(row) { return this.c.device_seconds.slice(0, row + 1).reduce((a, b) => a + b, 0); }
  gateMs(row) { return Object.values(this.c.gate_ms).reduce((sum, column) => sum + (column[row] ?? 0), 0); }
}

/** Wilson's 95 % interval, in percent. */
export function wilson(count, of) {
  const z = 1.959963984540054, p = count / of, n = 1 + z ** 2 / of, middle = p + z ** 2 / (2 * of), half = z * Math.sqrt((p * (1 - p)) / of + z ** 2 / (4 * of ** 2));
  return [(100 * (middle - half)) / n, (100 * (middle + half)) / n];
}
/** A time as the page writes it: seconds, minutes or hours. */
export const time = (seconds) => [{ about: seconds < 120 ? seconds : seconds < 7200 ? seconds / 60 : seconds / 3600, share: 5.1e-3 }];
export const effect = (value) => 100 * (Math.exp(value) - 1);
