// What each language model was asked, what it gave, and what that cost.
import { grouped, h, number, percent, section, table, times, type Child } from "../dom";
import type { Run } from "../run";
import { wilson } from "../statistics";

export function models(run: Run): Child {
  const list = run.data.models;
  if (list.length === 0) return section("Language models", null, h("p", { class: "dim" }, "None was asked."));
  return section("Language models", "Of all trials of the run. A reply is used when it becomes a proposal. A prediction is a model's guess of the latency against the parent's, beside what came out: 1× is never off. Off by is the mean factor. Money is by the experiment's prices of tokens, and no part of the device's.",
    table("Language models", [
      { name: "model", cell: (m) => m.model }, { name: "requests", cell: (m) => grouped(m.requests), numeric: true },
      { name: "tokens in + out", cell: (m) => `${grouped(m.input_tokens)} + ${grouped(m.output_tokens)}`, numeric: true }, { name: "cost", cell: (m) => number(m.money), numeric: true },
      { name: "used", cell: (m) => grouped(m.accepted), numeric: true }, { name: "not used", cell: (m) => Object.entries(m.refused).sort((a, b) => b[1] - a[1]).map(([reason, count]) => h("div", {}, `${reason} ${count}`)) },
      { name: "tried", cell: (m) => grouped(m.proposed), numeric: true },
      { name: "correct, 95 %", cell: (m) => { const [low, high] = wilson(m.right, m.proposed); return m.proposed === 0 ? "–" : `${m.right} (${percent(m.right / m.proposed, 0)} [${percent(low, 0)}, ${percent(high, 0)}])`; }, numeric: true },
      { name: "better", cell: (m) => m.better, numeric: true },
      { name: "each better one", cell: (m) => (m.better > 0 && m.money > 0 ? number(m.money / m.better) : "–"), numeric: true },
      { name: "off by", cell: (m) => (m.off_by === null ? "–" : [times(m.off_by), h("span", { class: "dim" }, ` of ${m.compared}`)]), numeric: true },
    ], list, "models"));
}
