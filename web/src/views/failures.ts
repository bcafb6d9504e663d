import { condition, shorten } from "../answers";
import { h, percent, plural, section, table, type Child } from "../dom";
import type { Evidence } from "../document";
import { ofWhat, reasonsOf, stagesOf } from "../funnel";
import { to, trialLink } from "../parts";
import type { Run } from "../run";
import type { State } from "../state";
import { wilson } from "../statistics";

interface Told { reason: string; place: string; message: string; rows: number[] }

/** Evidence that differs only in numbers, counted as one. */
function told(run: Run, rows: number[]): Told[] {
  const found = new Map<string, Told>();
  for (const row of rows) for (const item of run.evidence(row).slice(0, 4)) {
    const place = placeOf(item), key = [item.kind, place, item.message.replace(/\d+/g, "#")].join("\n");
    const entry = found.get(key) ?? { reason: item.kind, place, message: item.message, rows: [] };
    if (entry.rows.at(-1) !== row) entry.rows.push(row);
    found.set(key, entry);
  }
  return [...found.values()].sort((a, b) => b.rows.length - a.rows.length);
}
export const placeOf = (item: Evidence): string => (item.file ? `${item.file}${item.line > 0 ? `:${item.line}` : ""}` : "");

/** Values whose trials fail more often than their template's do, for sure: the lower end of Wilson's 95 % interval. */
function worstValues(run: Run, rows: number[]): { template: string; gene: string; value: string; failed: number; all: number }[] {
  const list: { template: string; gene: string; value: string; failed: number; all: number }[] = [];
  for (const template of run.templates()) {
    let all = 0, failed = 0;
    const counts = new Map<string, { gene: string; value: string; failed: number; all: number }>();
    for (const row of rows) {
      if (run.word("template", row) !== template || run.groups[row] === "duplicate") continue;
      all++;
      if (run.groups[row] === "failed") failed++;
      for (const [gene, value] of [...run.genes(row), ...run.edits(row).map((edit) => ["edit", edit] as const)]) {
        const key = `${gene}=${value}`, entry = counts.get(key) ?? { gene, value: String(value), failed: 0, all: 0 };
        entry.all++;
        if (run.groups[row] === "failed") entry.failed++;
        counts.set(key, entry);
      }
    }
    for (const entry of counts.values()) if (entry.failed >= 2 && wilson(entry.failed, entry.all)[0] > failed / all) list.push({ template, ...entry });
  }
  return list.sort((a, b) => b.failed / b.all - a.failed / a.all || b.failed - a.failed).slice(0, 20);
}

export function failures(run: Run, rows: number[], s: State): Child {
  const failed = rows.filter((row) => run.groups[row] === "failed"), list = reasonsOf(stagesOf(run, rows)), all = rows.length === run.count ? run.data.trials : rows.length;
  const patterns = (run.data.insights?.failures ?? []).filter((p) => !s.template || p.template === s.template).sort((a, b) => b.count - a.count);
  const messages = told(run, failed), values = worstValues(run, rows);
  return [
    section("What failed most", `Of ${ofWhat(run, rows)}, by gate and reason.`,
      list.length > 0 ? table("Failures by reason", [
        { name: "reason", cell: (r) => to({ view: "trials", reason: `${r.status}/${r.reason}`, show: "rfd", page: 0 }, r.reason || r.status) },
        { name: "status", cell: (r) => r.status }, { name: "gate", cell: (r) => r.gate }, { name: "trials", cell: (r) => r.count, numeric: true },
        { name: "of all", cell: (r) => percent(r.count / Math.max(all, 1)), numeric: true },
        { name: "~bar", cell: (r) => h("div", { class: "meter" }, h("i", { class: "lost", style: { width: `${(100 * r.count) / Math.max(list[0]!.count, 1)}%` } })) },
      ], list, "reasons") : h("p", {}, "Nothing failed.")),
    section("Where in the space", "Patterns that the run itself has found, then the values whose trials fail most among those that the filters leave.",
      patterns.length > 0 && table("Failure patterns", [
        { name: "when", cell: (p) => h("span", { class: "mono" }, `${p.template}: ${condition(p)}`) }, { name: "ends with", cell: (p) => p.reason },
        { name: "trials", cell: (p) => `${p.count} of ${p.of}`, numeric: true }, { name: "insight", cell: (p) => p.id }], patterns.slice(0, 12)),
      values.length === 0 ? h("p", { class: "dim" }, "No single value fails more often than its template for sure.") : table("Values whose trials fail more often than their template's, for sure", [
        { name: "template", cell: (e) => e.template }, { name: "value", cell: (e) => to({ view: "trials", where: `${e.gene}=${e.value}`, template: e.template, show: "f", page: 0 }, h("span", { class: "mono" }, `${e.gene} = ${shorten(e.value, 160)}`)) },
        { name: "failed", cell: (e) => `${e.failed} of ${e.all}`, numeric: true }, { name: "share", cell: (e) => percent(e.failed / e.all, 0), numeric: true }], values)),
    section("Messages and lines", `Of ${plural(failed.length, "failed trial")}; messages that differ in numbers only count as one.${run.data.evidence_left_out > 0 ? ` The evidence of ${plural(run.data.evidence_left_out, "further trial")} is not in this page.` : ""}`,
      h("ol", { class: "messages", id: "messages" }, messages.slice(0, 40).map((entry) => h("li", {},
        h("div", {}, h("strong", {}, entry.reason), " ", entry.place && h("span", { class: "mono" }, entry.place), h("span", { class: "dim" }, ` ${plural(entry.rows.length, "trial")}: `),
          entry.rows.slice(0, 5).map((row) => [trialLink(run, row), " "]), entry.rows.length > 5 ? "… " : null,
          run.rowWith("source", entry.rows[0]!) >= 0 && entry.place ? to({ view: "source", a: null, b: run.index(entry.rows[0]!) }, "source") : null),
        h("pre", { class: "message" }, entry.message))))),
  ];
}
