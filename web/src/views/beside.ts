// The champion beside other libraries: what `evo bench --json` measured, given with --bench.
import { badge, h, microseconds, section, table, times, type Child } from "../dom";
import type { Bench } from "../document";
import { intervalText } from "../parts";
import type { Run } from "../run";

/** Of a bench of this run, or of one of its variants. */
const isOf = (bench: Bench, run: Run): boolean => bench.variants.some((entry) => run.rowOf(entry.variant) >= 0);

function caseOf(bench: Bench, entry: Bench["cases"][number]): Child {
  if (entry.skipped) return h("p", {}, `${entry.workload}: not measured: ${entry.skipped}`);
  const own = new Set(bench.variants.map((variant) => variant.contender)), rows = entry.contenders.filter((c) => c.contender !== "launch floor");
  const longest = Math.max(1e-9, ...rows.map((c) => c.hot?.ci95?.[1] ?? c.hot?.latency_us ?? 0));
  const champion = rows.find((c) => c.contender === "champion")?.hot ?? null;
  // The far ends of both intervals: what is apart there is apart for sure.
  const against = (hot: (typeof rows)[number]["hot"]): Child => {
    if (!hot || !champion) return "–";
    const low = hot.ci95[0] / champion.ci95[1], high = hot.ci95[1] / champion.ci95[0];
    return [times(hot.latency_us / champion.latency_us), h("span", { class: "dim" }, ` ${intervalText([low, high])} `), hot === champion ? null : badge(low > 1 ? "better" : high < 1 ? "worse" : "tie")];
  };
  return table(`${entry.workload}: hot latency, median and 95 % interval, measured on ${bench.device.name}`, [
    { name: "contender", cell: (c) => [own.has(c.contender) ? h("strong", {}, c.contender) : c.contender, c.unavailable ? h("div", { class: "dim" }, c.unavailable) : null] },
    { name: "~bar", cell: (c) => c.hot && h("div", { class: `bar ${c.contender}` }, h("i", { style: { width: `${(100 * c.hot.latency_us) / longest}%` } }), h("b", { style: { left: `${(100 * c.hot.ci95[0]) / longest}%`, width: `${(100 * (c.hot.ci95[1] - c.hot.ci95[0])) / longest}%` } })) },
    { name: "hot", numeric: true, cell: (c) => [microseconds(c.hot?.latency_us), c.hot ? h("span", { class: "dim" }, ` ${intervalText(c.hot.ci95)}`) : null] },
    { name: "cold", numeric: true, cell: (c) => [microseconds(c.cold?.latency_us), c.cold ? h("span", { class: "dim" }, ` ${intervalText(c.cold.ci95)}`) : null] },
    { name: "the champion is", numeric: true, cell: (c) => against(c.hot) },
  ], rows, "beside");
}

export function beside(run: Run, benches: Bench[]): Child {
  try {
    return sections(run, benches);
  } catch (error) {
    return h("p", { class: "notice" }, `A file of --bench cannot be shown: ${String(error)}`);
  }
}

function sections(run: Run, benches: Bench[]): Child {
  return benches.filter((bench) => isOf(bench, run) && bench.cases.length > 0).map((bench) =>
    section("Beside others", `Measured in turn on ${bench.device.name}: the champion's speed-up over each, with the far ends of both intervals.`,
      bench.cases.map((entry) => caseOf(bench, entry)), bench.comparators.filter((c) => !c.available).map((c) => h("p", { class: "dim" }, `${c.name}: not available: ${c.reason}`))));
}
