import "uplot/dist/uPlot.min.css";
import "./style.css";
import { forgetCharts, forgetStyles, redrawCharts, resizeCharts } from "./chart";
import { h, plural, type Child } from "./dom";
import type { Bench, ReportDocument } from "./document";
import { choice, filters, kindBadge, to } from "./parts";
import { showReading } from "./reading";
import { Run } from "./run";
import { keeping } from "./keep";
import { follow } from "./live";
import { go, onChange, state, type State } from "./state";
import { cost } from "./views/cost";
import { counters } from "./views/counters";
import { failures } from "./views/failures";
import { genes } from "./views/genes";
import { insights } from "./views/insights";
import { lineage } from "./views/lineage";
import { overview } from "./views/overview";
import { about, compare, operators, trialPanel, trials, workloads } from "./views/rest";
import { source } from "./views/source";

let benches: Bench[] = [];
type View = (run: Run, rows: number[], s: State) => Child;
const views: [string, string, View][] = [
  ["overview", "Overview", (run, rows, s) => overview(run, rows, s, benches)], ["lineage", "Lineage", lineage], ["genes", "Genes", genes], ["insights", "Insights", insights], ["failures", "Failures", failures], ["source", "Source", source], ["counters", "Counters", counters],
  ["operators", "Operators", operators], ["workloads", "Workloads", workloads], ["cost", "Cost", cost], ["trials", "Trials", trials], ["run", "Run", about],
];

/** The selected trial, wherever the view has it. */
function markSelected(main: HTMLElement, trial: number | null): void {
  for (const marked of main.querySelectorAll(".selected")) marked.classList.remove("selected");
  if (trial !== null) {
    for (const drawn of main.querySelectorAll(`[data-trial="${trial}"]`)) drawn.classList.add("selected");
    for (const link of main.querySelectorAll("td a.trial")) if (link.textContent === `trial ${trial}`) link.closest("tr")!.classList.add("selected");
  }
  redrawCharts();
}

// evo serve writes a version into the page; a file on a web server has none, and follows nothing.
const live = document.getElementById("data")?.dataset["version"] !== undefined;

/** What the run is doing, and how it ended where that is not what one hopes for. */
function stateBadge(run: Run): HTMLElement {
  const bad = run.data.state === "finished" ? { baseline_invalid: "baseline refused", no_valid_candidate: "nothing better" }[run.data.status] : undefined;
  return h("span", { class: `badge ${bad ? "stopped" : run.data.state}` }, bad ? `finished: ${bad}` : run.data.state);
}

/** Two run folders of one name are told apart by their paths. */
function runsOf(report: ReportDocument): Run[] {
  const names = report.runs.map((run) => run.name);
  return report.runs.map((run) => new Run(names.filter((name) => name === run.name).length > 1 ? { ...run, name: run.run } : run));
}

function start(): void {
  const text = document.getElementById("data")?.textContent ?? "";
  const root = document.getElementById("page")!;
  let report: ReportDocument;
  try {
    report = JSON.parse(text) as ReportDocument;
  } catch (error) {
    root.replaceChildren(h("p", { class: "notice" }, `This page holds no report, or one that was cut off: ${String(error)}`));
    return;
  }
  if (report.runs.length === 0) return showReading(report, root);
  benches = report.benches;
  let runs = runsOf(report);
  if (runs.length > 1) views.unshift(["compare", "Compare", (_run, _rows, s) => compare(runs, s)]);
  const nav = h("nav", { "aria-label": "Views" }), head = h("header", {}), notices = h("aside", { "aria-label": "Notices" }), bar = h("div", { class: "bar-of-filters", role: "region", "aria-label": "Filters" }), main = h("main", { id: "main", tabindex: -1 }), side = h("div", {});
  const foot = h("footer", {}, `Written by evo ${report.evo} on ${new Date(1000 * report.written).toISOString().replace("T", " ").slice(0, 16)} UTC. One file: it asks no network for anything.`);
  root.replaceChildren(h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } }, "To the content"), head, nav, notices, bar, h("div", { class: "body" }, main, side), foot);
  const current = (): Run => runs[Math.min(Math.max(state().run, 0), runs.length - 1)]!;

  const render = (changed: Set<keyof State> | null): void => {
    const s = state(), run = current();
    if (document.documentElement.dataset["theme"] !== s.theme) {
      document.documentElement.dataset["theme"] = s.theme;
      forgetStyles();
    }
    document.title = `${run.data.name}: evo report`;
    const view = views.find(([name]) => name === s.view) ?? views.find(([name]) => name === "overview")!;
    head.replaceChildren(
      h("h1", {}, "evo ", h("span", { class: "dim" }, run.data.name)),
      h("div", { class: "head-facts" }, kindBadge(run), h("span", {}, ` ${[run.data.device.name, `target ${run.data.target || "?"}`, plural(run.data.trials, "trial")].filter(Boolean).join(" · ")} `), stateBadge(run),
        runs.length > 1 && choice("run", String(runs.indexOf(run)), runs.map((r, i) => [String(i), r.data.name] as const), (i) => go({ run: Number(i), trial: null, template: "", reason: "", where: "", a: null, b: null, page: 0 })),
        choice("colours", s.theme, [["", "system"], ["light", "light"], ["dark", "dark"]], (theme) => go({ theme }))));
    nav.replaceChildren(...views.map(([name, title]) => to({ view: name, page: 0 }, title, name === view[0] ? { "aria-current": "page" } : {})));
    notices.replaceChildren(...run.data.notices.map((notice) => (live && notice.startsWith("the run is still going on") ? "the run is going on: this page follows it" : notice)).map((notice) => h("p", { class: "notice", role: "note" }, notice)));
    const rows = run.filtered(s);
    const onlyTrial = changed !== null && [...changed].every((key) => key === "trial") && !["lineage"].includes(view[0]) && !(view[0] === "source" && s.b === null);
    if (changed !== null && !onlyTrial) bar.replaceChildren();
    bar.replaceChildren(filters(run, rows.length));
    if (!onlyTrial) {
      forgetCharts();
      const shownNow = view[2](run, rows, s);
      main.replaceChildren(h("div", { class: `view view-${view[0]}` }, shownNow));
      if (changed?.has("view")) {
        scrollTo(0, 0);
        main.focus({ preventScroll: true });
      }
    }
    const row = run.row(s.trial);
    markSelected(main, s.trial);
    side.replaceChildren(...(row >= 0 ? [trialPanel(run, row)] : []));
    if (row >= 0 && changed?.has("trial")) document.getElementById("panel")?.focus({ preventScroll: true });
  };
  onChange((_, changed) => render(changed));
  let frame = 0;
  addEventListener("resize", () => { cancelAnimationFrame(frame); frame = requestAnimationFrame(resizeCharts); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { forgetStyles(); render(new Set(["theme"])); });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state().trial !== null) { go({ trial: null }); main.focus({ preventScroll: true }); }
    if (event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLSelectElement) return;
    const at = views.findIndex(([name]) => name === state().view);
    if (event.key === "]") go({ view: views[(Math.max(at, 0) + 1) % views.length]![0] });
    if (event.key === "[") go({ view: views[(Math.max(at, 0) + views.length - 1) % views.length]![0] });
  });
  if (live) {
    follow(report, (next) => {
      benches = next.benches;
      runs = runsOf(next);
      keeping(main, () => render(new Set(["run"])));
    }, foot);
  }
  if (runs.length > 1 && !location.hash) go({ view: "compare" });
  render(null);
}

start();
