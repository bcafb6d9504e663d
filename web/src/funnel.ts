// The gates that trials reached and passed, of all trials or of those that the filters leave.
import { grouped } from "./dom";
import type { Stage } from "./document";
import type { Run } from "./run";

/** The same stages as report/funnel.cpp counts, of some rows. */
function counted(run: Run, rows: number[]): Stage[] {
  const stages = run.data.funnel.map((stage) => stage.gate).map((gate) => ({ gate, reached: 0, passed: 0, failed: new Map<string, number>() }));
  const better = stages[stages.length - 1]!;
  for (const row of rows) {
    const status = run.status(row), gate = run.word("gate", row), way = `${status}/${run.word("reason", row)}`;
    const fail = (stage: (typeof stages)[number]) => stage.failed.set(way, (stage.failed.get(way) ?? 0) + 1);
    stages[0]!.reached++;
    if (status === "no_op") { fail(stages[0]!); continue; }
    stages[0]!.passed++;
    let ended = false;
    for (const stage of stages.slice(1, -1)) {
      stage.reached++;
      if (gate === stage.gate) { fail(stage); ended = true; break; }
      stage.passed++;
    }
    // The baseline has nothing to be better than.
    if (ended || run.groups[row] !== "correct" || status === "proven") continue;
    better.reached++;
    if (status === "better") better.passed++;
    else fail(better);
  }
  return stages.map((stage) => ({ ...stage, failed: [...stage.failed].sort().map(([way, count]) => ({ status: way.split("/")[0]!, reason: way.split("/").slice(1).join("/"), count })) }));
}

/** Of all rows the document's own numbers, which are of all trials of a run that lists a share of them. */
export const stagesOf = (run: Run, rows: number[]): Stage[] =>
  rows.length === run.count ? run.data.funnel.map((stage) => ({ ...stage, failed: [...stage.failed] })) : counted(run, rows);

export interface Reason { status: string; reason: string; gate: string; count: number }
export const reasonsOf = (stages: Stage[]): Reason[] =>
  stages.filter((stage) => stage.gate !== "better" && stage.gate !== "proposed")
    .flatMap((stage) => stage.failed.map((entry) => ({ ...entry, gate: stage.gate }))).sort((a, b) => b.count - a.count);

/** What a table or a chart is of. */
export const ofWhat = (run: Run, rows: number[]): string =>
  rows.length === run.count ? `all ${grouped(run.data.trials)} trials` : `the ${grouped(rows.length)} trials that the filters leave`;

/** What a sum over rows is of. */
export const ofListed = (run: Run, rows: number[]): string =>
  rows.length === run.count && run.data.columns.left_out > 0 ? `the ${grouped(rows.length)} trials that are listed, of ${grouped(run.data.trials)}` : ofWhat(run, rows);
