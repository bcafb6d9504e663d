import { answerCard, answers } from "../answers";
import { css, history } from "../chart";
import { asTable, h, microseconds, number, percent, plural, section, table, type Child } from "../dom";
import type { Bench, Stage } from "../document";
import { axes, gainText, intervalText, kindBadge, legend, how, to, trialLink, verdict } from "../parts";
import type { Run } from "../run";
import type { State } from "../state";
import { beside } from "./beside";

/** Champion and baseline as bars with their intervals. */
function headline(run: Run): HTMLElement {
  const d = run.data;
  const bars = ([["champion", d.champion, run.champion], ["baseline", d.baseline, run.baseline]] as const).filter(([, variant]) => variant?.latency_us);
  const longest = Math.max(...bars.map(([, variant]) => variant!.ci95?.[1] ?? variant!.latency_us!), 1e-9);
  const width = (value: number) => `${((100 * value) / longest).toFixed(2)}%`;
  return h("section", { id: "headline" },
    h("div", { class: "headline" },
      h("div", { class: "big" }, d.gain?.speedup ? gainText(d.gain) : "no gain", " ", verdict(d.gain)),
      h("div", {}, kindBadge(run), h("span", { id: "device" }, ` ${d.latency_kind === "measured" ? "on" : "for"} ${d.latency_kind === "measured" ? d.device.name : d.target || "an unknown target"}`),
        h("div", { class: "dim" }, d.latency_kind === "measured" ? `measured on ${d.device.name} under the limits of ${d.target}` : `a model on ${d.device.name} (${d.device.kind}), target ${d.target}: no GPU has timed this`))),
    bars.map(([name, variant, row]) => h("div", { class: "bar-row" },
      h("span", {}, name),
      h("div", { class: `bar ${name}` }, h("i", { style: { width: width(variant!.latency_us!) } }),
        variant!.ci95 && h("b", { style: { left: width(variant!.ci95[0]), width: width(variant!.ci95[1] - variant!.ci95[0]) }, title: intervalText(variant!.ci95) })),
      h("span", { class: "n" }, microseconds(variant!.latency_us), variant!.ci95 ? h("span", { class: "dim" }, ` ${intervalText(variant!.ci95)}`) : null, " ", trialLink(run, row)))),
    d.gain && h("p", { class: "note" }, `Speed-up: ${how(d.gain)}.`), stood(run),
    h("p", {}, h("button", { type: "button", class: "toggle", id: "card", onclick: () => saveCard(run) }, "Save as a picture to share (SVG)")));
}

/** The file of `evo report RUN --card`. It is text until an image viewer opens it. */
function saveCard(run: Run): void {
  const address = URL.createObjectURL(new Blob([run.data.card], { type: "image/svg+xml" }));
  h("a", { href: address, download: `${run.data.name.replace(/[^\w.-]/g, "_")}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** What the champion withstood at the end, beyond a trial. */
function stood(run: Run): Child {
  const proven = run.data.events.filter((event) => event.kind === "champion_proven").at(-1), refused = run.data.events.filter((event) => event.kind === "champion_refused");
  const details = proven ? Object.entries(proven.details).filter(([key]) => key !== "variant") : [];
  if (!proven && refused.length === 0) return run.champion >= 0 ? h("p", { class: "note" }, "The champion has not stood the proof that ends a run yet.") : null;
  return h("details", { class: "as-table" }, h("summary", {}, proven ? "The champion stood the proof at the end of the run" : "Every finalist was refused at the end of the run"),
    h("ul", {}, details.map(([key, text]) => h("li", {}, `${key}: ${text}`)), refused.map((event) => h("li", {}, `refused: ${Object.values(event.details).join(", ")}`))));
}

function bestTable(run: Run): HTMLElement {
  const rows = run.data.columns.index.map((_, row) => row).filter((row) => run.best[row] === row);
  return table("Each trial that became the best", [
    { name: "trial", cell: (row) => trialLink(run, row), numeric: true },
    { name: "generation", cell: (row) => run.data.columns.generation[row], numeric: true },
    { name: "wall time, s", cell: (row) => number(run.xOf(row, "time")), numeric: true },
    { name: `latency (${run.data.latency_kind})`, cell: (row) => microseconds(run.latency(row)), numeric: true },
    { name: "95 %", cell: (row) => intervalText(run.interval(row)), numeric: true },
    { name: "against the baseline", cell: (row) => gainText(run.gain(run.baseline, row)), numeric: true },
    { name: "operator", cell: (row) => run.word("operator", row) },
  ], rows, "best-table");
}

/** The same stages as report/columns.cpp counts, of the rows that the filters leave. */
export function funnelOf(run: Run, rows: number[]): Stage[] {
  const names = ["proposed", "legality", "compile", "resources", "sanitize", "correctness", "latency", "better"];
  const stages = names.map((gate) => ({ gate, reached: 0, passed: 0, failed: new Map<string, number>() }));
  for (const row of rows) {
    const status = run.status(row), gate = run.word("gate", row), way = `${status}/${run.word("reason", row)}`;
    const fail = (stage: (typeof stages)[number]) => stage.failed.set(way, (stage.failed.get(way) ?? 0) + 1);
    stages[0]!.reached++;
    if (status === "no_op") { fail(stages[0]!); continue; }
    stages[0]!.passed++;
    let ended = false;
    for (const stage of stages.slice(1, 7)) {
      stage.reached++;
      if (gate === stage.gate) { fail(stage); ended = true; break; }
      stage.passed++;
    }
    // The baseline has nothing to be better than.
    if (ended || run.groups[row] !== "right" || status === "proven") continue;
    stages[7]!.reached++;
    if (status === "better") stages[7]!.passed++;
    else fail(stages[7]!);
  }
  return stages.map((stage) => ({ ...stage, failed: [...stage.failed].sort().map(([way, count]) => ({ status: way.split("/")[0]!, reason: way.split("/").slice(1).join("/"), count })) }));
}

const stageText: Record<string, string> = { proposed: "not known already", better: "better than the best so far" };

export function funnel(run: Run, rows: number[]): HTMLElement {
  const all = Math.max(rows.length === run.count ? run.data.trials : rows.length, 1);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Funnel of the gates" }, h("table", { class: "funnel", id: "funnel" },
    h("caption", {}, "How many trials reached and passed each gate, and why the others ended there"),
    h("thead", {}, h("tr", {}, ["gate", "passed", "bar", "ended here, by status and reason"].map((name, i) => h("th", { scope: "col", class: i === 1 && "n" }, i === 2 ? h("span", { class: "heard" }, name) : name)))),
    h("tbody", {}, (rows.length === run.count ? run.data.funnel.map((stage) => ({ ...stage, failed: [...stage.failed] })) : funnelOf(run, rows)).map((stage) => h("tr", { "data-gate": stage.gate },
      h("th", { scope: "row" }, stageText[stage.gate] ?? stage.gate),
      h("td", { class: "n" }, `${stage.passed.toLocaleString("en")} of ${stage.reached.toLocaleString("en")}`),
      h("td", { class: "wide" }, h("div", { class: "meter" }, h("i", { class: stage.gate === "proposed" ? "duplicate" : stage.gate === "better" ? "slower" : "lost", style: { width: percent(stage.reached / all, 2).replace(" ", "") } }), h("i", { style: { width: percent(stage.passed / all, 2).replace(" ", "") } }))),
      h("td", {}, stage.failed.sort((a, b) => b.count - a.count).map((entry): Child => [to({ view: "trials", reason: `${entry.status}/${entry.reason}`, show: "rfd", page: 0 }, `${entry.reason || entry.status} ${entry.count.toLocaleString("en")}`, { class: "chip", title: `${entry.status}: list these trials` }), " "])))))));
}

export function overview(run: Run, rows: number[], s: State, benches: Bench[]): Child {
  return [
    headline(run),
    beside(run, benches),
    h("div", { class: "cards", role: "region", "aria-label": "Six questions" }, answers(run).map(answerCard)),
    section("Best so far", "Each point is a trial that is right; ticks at the foot are trials that failed or repeat another. Drag to zoom, double-click to see all, click a point for its trial.",
      axes(), history(run, rows, s),
      legend([[css("--better"), "better, and the best so far"], [css("--tie"), "tie"], [css("--slower"), "slower"], [css("--failed"), "failed"], [css("--duplicate"), "duplicate"],
        ...(run.data.latency_kind === "measured" ? [[css("--band"), `within ${percent(run.data.timing.drift, 0)} of the best: a tie unless timed in turn`] as const] : [])]),
      asTable(() => bestTable(run))),
    section("Where candidates ended", `${plural(rows.length === run.count ? run.data.trials : rows.length, "trial")}, gate by gate. Each reason lists its trials.`, funnel(run, rows)),
  ];
}
