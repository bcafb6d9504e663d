import { answerCard, answers, lostChampion, noneBetter, refusedBaseline } from "../answers";
import { css } from "../chart";
import { asTable, grouped, h, microseconds, number, percent, plural, section, table, times, type Child } from "../dom";
import type { Bench, FinalVerdict } from "../document";
import { stagesOf } from "../funnel";
import { history } from "../history";
import { axes, gainText, intervalText, kindBadge, legend, how, to, trialLink, verdict } from "../parts";
import type { Run } from "../run";
import type { State } from "../state";
import { beside } from "./beside";

/** Champion and baseline as bars with their intervals. */
function headline(run: Run): HTMLElement {
  const d = run.data;
  const bars = ([["champion", d.champion, run.champion], ["baseline", d.baseline, run.baseline]] as const).filter(([, variant]) => variant?.latency_us);
  const longest = Math.max(...bars.map(([, variant]) => variant!.ci95?.[1] ?? variant!.latency_us!), 1e-9);
  const none = run.champion >= 0 && run.champion === run.baseline, refused = refusedBaseline(run);
  const width = (value: number) => `${((100 * value) / longest).toFixed(2)}%`;
  return h("section", { id: "headline" },
    h("div", { class: "headline" },
      h("div", { class: "big" }, none ? "no gain" : d.gain?.speedup ? gainText(d.gain) : refused ? "the baseline was refused" : run.champion < 0 ? (lostChampion(run) ? "the champion cannot be read" : run.data.state === "finished" ? "no champion" : "no champion yet") : "no gain", " ", none ? null : verdict(d.gain),
        h("div", { class: "of-what" }, none ? `the baseline is the champion: ${noneBetter(run)}` : d.gain?.speedup ? "as fast as the baseline" : refused ? [`at the gate ${refused.gate}: ${refused.reason}, `, trialLink(run, 0), ". Nothing was timed."] : null)),
      h("div", {}, kindBadge(run), h("span", { id: "device" }, ` ${d.latency_kind === "measured" ? "on" : "for"} ${d.latency_kind === "measured" ? d.device.name : d.target || "an unknown target"}`),
        refused ? null : h("div", { class: "dim" }, d.latency_kind === "measured" ? `measured on ${d.device.name} under the limits of ${d.target}` : `a model on ${d.device.name} (${d.device.kind}), target ${d.target}: no GPU has timed this`))),
    h("div", { class: "bars" }, bars.map(([name, variant, row]) => h("div", { class: "bar-row" },
      h("span", {}, name),
      h("div", { class: `bar ${name}` }, h("i", { style: { width: width(variant!.latency_us!) } }),
        variant!.ci95 && h("b", { style: { left: width(variant!.ci95[0]), width: width(variant!.ci95[1] - variant!.ci95[0]) }, title: intervalText(variant!.ci95) })),
      h("span", { class: "n" }, microseconds(variant!.latency_us), variant!.ci95 ? h("span", { class: "dim" }, ` ${intervalText(variant!.ci95)}`) : null, " ", trialLink(run, row))))),
    d.gain && !none && h("p", { class: "note" }, `Speed-up: ${how(d.gain)}.`), stood(run),
    verdictInTheEnd(run),
    h("p", {}, h("button", { type: "button", class: "toggle", id: "card", onclick: () => saveCard(run) }, "Save as a picture to share (SVG)")));
}

/** The file of `evo report RUN --card`. It is text until an image viewer opens it. */
function saveCard(run: Run): void {
  const address = URL.createObjectURL(new Blob([run.data.card], { type: "image/svg+xml" }));
  h("a", { href: address, download: `${run.data.name.replace(/[^\w.-]/g, "_")}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** What the run said of its champion in the end, timed once more. */
function verdictInTheEnd(run: Run): Child {
  const v = run.data.final_verdict;
  if (!v) return null;
  const interval = v.interval && ` [${(1 / v.interval[1]).toFixed(3)}, ${(1 / v.interval[0]).toFixed(3)}]`;
  return h("details", { class: "as-table", id: "verdict" }, h("summary", {}, `Final verdict: ${v.decision.replace("_", " ")}${v.failure ? `: ${v.failure}` : v.speedup === null ? "" : `, ${times(v.speedup)}${interval ?? ""} against the baseline`}`),
    h("ul", {},
      h("li", {}, v.latency_kind === "measured" ? `${plural(v.pairs, "pair")} timed in turn in a fresh process on ${v.device}, with a ${v.cache ?? "hot"} L2, on inputs that no trial has seen${v.confidence ? `; ${number(100 * v.confidence)} % interval` : ""}.` : `Modelled on ${v.device}: the model gives one number, and no GPU has timed it.`),
      h("li", {}, `A difference below ${number(100 * v.margin)} % counts as none. Accuracy class: ${v.accuracy_class}.`),
      v.latency_kind === "measured" && h("li", {}, `The search timed ${plural(v.search.comparisons, "candidate")} in turn: at most ${number(100 * v.search.false_promotion_at_most)} % chance that a copy was promoted.`)),
    besideDecision(v), criteria(v));
}

/** What was timed besides and does not decide. */
function besideDecision(v: FinalVerdict): Child {
  const all = [...(v.other_cache ? [v.other_cache] : []), ...(v.comparators ?? [])];
  if (all.length === 0) return null;
  return table("Beside the decision: the champion and others", [
    { name: "against", cell: (p) => (p.against === "baseline" ? "the baseline" : p.against) },
    { name: "L2", cell: (p) => p.cache },
    { name: "the champion is", cell: (p) => (p.failure ? "not timed" : p.speedup === null ? "–" : `${times(p.speedup)}${p.interval ? ` [${(1 / p.interval[1]).toFixed(3)}, ${(1 / p.interval[0]).toFixed(3)}]` : ""}`), numeric: true },
    { name: "timed in turn", cell: (p) => (p.failure ? "" : p.latency_kind === "modelled" ? "modelled" : plural(p.pairs, "pair")), numeric: true },
    { name: "verdict", cell: (p) => p.failure || ({ promoted: "faster", correct_slower: "slower" }[p.decision] ?? p.decision.replace("_", " ")) }], all, "beside-decision");
}

const criterionText: Record<string, string> = {
  timed_and_right: "both sides timed and correct", pairs: "pairs timed in turn", interval_below_margin: "the champion's latency over the baseline's, upper end", accuracy_class: "accuracy class",
  hedges_g: "Hedges' g", cliffs_delta: "Cliff's delta", mann_whitney_p: "Mann-Whitney, p", samples_not_odd: "nothing odd in the samples",
};

/** What a promotion asks, and what is said beside it. */
function criteria(v: FinalVerdict): HTMLElement {
  return table("Criteria of the final verdict", [
    { name: "criterion", cell: (c) => `${criterionText[c.name] ?? c.name.replace(/_/g, " ")}${c.workload ? `, ${c.workload}` : ""}` },
    { name: "found", cell: (c) => (typeof c.found === "number" ? number(c.found) : String(c.found ?? "") || "–"), numeric: true },
    { name: "asked", cell: (c) => (c.bound === undefined ? "" : c.name === "pairs" ? `at least ${number(c.bound)}` : `below ${number(c.bound)}`), numeric: true },
    { name: "met", cell: (c) => (c.met ? "yes" : "no") },
    { name: "decides", cell: (c) => (c.decides === false ? "no, said beside it" : "yes") }], v.criteria, "criteria");
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

const stageText: Record<string, string> = { proposed: "not known already", better: "better than the best so far" };

export function funnel(run: Run, rows: number[]): HTMLElement {
  const all = Math.max(rows.length === run.count ? run.data.trials : rows.length, 1);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Funnel of the gates" }, h("table", { class: "funnel", id: "funnel" },
    h("caption", {}, "How many trials reached and passed each gate, and why the others ended there"),
    h("thead", {}, h("tr", {}, ["gate", "passed", "bar", "ended here, by status and reason"].map((name, i) => h("th", { scope: "col", class: i === 1 && "n" }, i === 2 ? h("span", { class: "heard" }, name) : name)))),
    h("tbody", {}, stagesOf(run, rows).map((stage) => h("tr", { "data-gate": stage.gate },
      h("th", { scope: "row" }, stageText[stage.gate] ?? stage.gate),
      h("td", { class: "n passed" }, `${grouped(stage.passed)} of ${grouped(stage.reached)}`),
      h("td", { class: "wide" }, h("div", { class: "meter" }, h("i", { class: stage.gate === "proposed" ? "duplicate" : stage.gate === "better" ? "slower" : "lost", style: { width: percent(stage.reached / all, 2).replace(" ", "") } }), h("i", { style: { width: percent(stage.passed / all, 2).replace(" ", "") } }))),
      h("td", {}, stage.failed.sort((a, b) => b.count - a.count).map((entry): Child => [to({ view: "trials", reason: `${entry.status}/${entry.reason}`, show: "rfd", page: 0 }, `${entry.reason || entry.status} ${grouped(entry.count)}`, { class: "chip", title: `${entry.status}: list these trials` }), " "])))))));
}

export function overview(run: Run, rows: number[], s: State, benches: Bench[]): Child {
  const drawn = rows.some((row) => run.groups[row] === "correct" && run.latency(row) !== null);
  return [
    headline(run),
    beside(run, benches),
    section("Best so far", drawn && "Each point is a trial that is correct; ticks at the foot are trials that failed or repeat another, arrows at the upper edge those that are slower than it reaches. Drag to zoom, with shift to move, double-click to see all; click a point for its trial. Keys: arrows, + and −, 0.",
      !drawn ? h("p", { id: "no-history" }, rows.length === run.count ? "No trial is correct so far: there is no latency to draw." : "None of the trials that the filters leave is correct: there is no latency to draw.") : [axes(), history(run, rows, s),
      legend([[css("--better"), "better, and the best so far"], [css("--tie"), "tie"], [css("--slower"), "slower"], [css("--failed"), "failed"], [css("--duplicate"), "duplicate"],
        ...(run.data.latency_kind === "measured" ? [[css("--band"), `within ${percent(run.data.timing.drift, 0)} of the best: a tie unless timed in turn`] as const] : [])]),
      asTable(() => bestTable(run))]),
    section("Where candidates ended", `${plural(rows.length === run.count ? run.data.trials : rows.length, "trial")}, gate by gate. Each reason lists its trials.`, funnel(run, rows)),
    h("div", { class: "cards", role: "region", "aria-label": "Six questions" }, answers(run).map(answerCard)),
  ];
}
