// What each chart shows where one points at it, by view and name: the numbers of --json.
import assert from "node:assert/strict";
import { settled } from "../browser.mjs";
import { effect, time } from "./facts.mjs";
import { about, sameCell, sameNumbers } from "./numbers.mjs";
import { tables } from "./tables.mjs";

/** The tip of a trial: its generation and variant, its latency, how it ended. */
function sameTrial(tip, f, where) {
  const index = Number(/^trial (\d+)/.exec(tip)?.[1]), row = f.of.get(index), lines = tip.split("\n");
  assert.ok(row !== undefined, `${where}: ${tip}`);
  assert.equal(lines.shift(), `trial ${index} · generation ${f.c.generation[row]} · ${f.c.variant[row]}`, where);
  if (f.latency(row) !== null) assert.equal(lines.shift(), `${f.us(f.latency(row))} ${f.data.latency_kind}${f.ci(row).length ? ` ${f.ciText(row)}` : ""}`, where);
  assert.equal(lines.shift(), `${f.status(row)}${f.word("reason", row) ? `: ${f.word("reason", row)}` : ""} · ${f.word("template", row)} · ${f.word("operator", row)}`, where);
  assert.equal(lines.length, 0, where);
  return row;
}

/** Points over a box, and what its tip says at each. */
async function tips(opened, box, tip, across, down) {
  await box.scrollIntoViewIfNeeded();
  const area = await box.boundingBox(), said = [];
  for (let i = 0; i < across; ++i) for (let k = 0; k < down; ++k) {
    const x = ((i + 0.5) * area.width) / across, y = ((k + 0.5) * area.height) / down;
    await opened.mouse.move(area.x + x, area.y + y);
    if (await tip.isVisible()) said.push({ x: x / area.width, y: y / area.height, text: (await tip.innerText()).trim(), area });
  }
  return said;
}

export const charts = {
  overview: {
    "Latency of": async (opened, f, where) => {
      const said = await tips(opened, opened.locator(".view-overview .u-over"), opened.locator(".view-overview .chart .tip"), 16, 12), seen = new Set();
      for (const { text, x, area } of said) {
        const row = sameTrial(text, f, where);
        seen.add(row);
        const at = (f.c.index[row] - f.c.index[0]) / (f.c.index.at(-1) - f.c.index[0] || 1);
        assert.ok(Math.abs(at - x) * area.width <= 21, `${where}: trial ${f.c.index[row]} stands at ${at}, the pointer at ${x}`);
      }
      // Points of a small run lie on each other, or between the places that were looked at.
      const all = f.data.columns.variant.length;
      assert.ok(seen.size > Math.min(20, all / 4), `${where}: ${seen.size} of ${all} trials`);
    },
  },
  lineage: {
    "Roofline": async (opened, f, where) => {
      const dots = await opened.$$eval("svg.roofline circle", (list) => list.map((one) => ({ trial: Number(one.dataset.trial), x: Number(one.getAttribute("cx")), y: Number(one.getAttribute("cy")), name: one.getAttribute("aria-label"), title: one.textContent })));
      const points = f.data.roofline.points.filter((p) => p.workload === f.data.roofline.points[0].workload);
      assert.equal(dots.length, points.length, where);
      dots.forEach((dot, i) => {
        const p = points[i];
        sameNumbers(dot.name, [p.trial, about(p.tflops), 100 * p.of_limit], where);
        assert.equal(dot.title, dot.name, where);
      });
      // The place: both axes are logarithmic, so that equal ratios are equal distances.
      const slopes = dots.flatMap((a, i) => dots.slice(i + 1).flatMap((b, k) => { const ratio = Math.log(points[i + 1 + k].tflops / points[i].tflops); return Math.abs(ratio) > 0.05 ? [(a.y - b.y) / ratio] : []; }));
      for (const slope of slopes) assert.ok(slope > 0 && Math.abs(slope / slopes[0] - 1) < 0.01, `${where}: ${slopes.join()}`);
    },
    "All trials with lines": async (opened, f, where) => {
      const said = await tips(opened, opened.locator(".tree canvas"), opened.locator(".tree .tip"), 24, 14), seen = new Set(said.map(({ text }) => sameTrial(text, f, where)));
      // Points of a small run lie on each other, or between the places that were looked at.
      const all = f.data.columns.variant.length;
      assert.ok(seen.size > Math.min(20, all / 4), `${where}: ${seen.size} of ${all} trials`);
    },
    "Lineage as": async (opened, f, where) => {
      const nodes = await opened.$$eval(".family [data-trial]", (list) => list.map((one) => ({ trial: Number(one.dataset.trial), name: one.getAttribute("aria-label") })));
      for (const { trial, name } of nodes) sameTrial(name, f, where);
      const shown = new Set(nodes.map((one) => f.of.get(one.trial)));
      for (const row of f.path(f.champion)) assert.ok(shown.has(row), `${where}: ${row} of the path`);
    },
  },
  genes: {
    forest: async (opened, f, where) => {
      const bars = await opened.$$eval("#forest li", (list) => list.map((one) => ({ title: one.title, at: parseFloat(one.querySelector("b").style.left), from: parseFloat(one.querySelector("i").style.left) })));
      for (const { title, at, from } of bars) {
        const e = f.data.insights.effects.find((one) => one.id === title.split(":")[0]);
        sameNumbers(title.slice(title.indexOf(":")), [effect(e.effect), e.ci95.map(effect), e.trials], where);
        assert.ok(e.effect < 0 ? at < 50 : at >= 50, `${where}: ${title} stands at ${at}`);
        assert.ok(from <= at + 0.01, where);
      }
    },
    "Genes of": async (opened, f, where) => {
      const fastest = f.correct(f.data.champion.template).slice(0, 20), lines = opened.locator(".parallel polyline");
      assert.equal(await lines.count(), fastest.length, where);
      for (let i = 0; i < fastest.length; ++i) {
        await lines.nth(i).focus();
        const text = await opened.innerText("#parallel-tip"), row = f.of.get(Number(/^trial (\d+)/.exec(text)[1]));
        for (const part of text.slice(text.indexOf(": ") + 2).split(", ")) {
          const [gene, value] = part.split(" = ");
          if (value === undefined) assert.equal(part, f.us(f.latency(row)), where);
          else assert.equal(value, String(f.gene(row, gene)), `${where}: ${gene}`);
        }
      }
    },
  },
  cost: {
    "Trials in their gates": async (opened, f, where) => {
      const bins = tables.cost.work(f), said = await tips(opened, opened.locator(".view-cost .u-over"), opened.locator(".view-cost .chart .tip"), 30, 1);
      assert.ok(said.length > 20, where);
      for (const { text, x } of said) {
        const bin = Math.min(bins.length - 1, Math.floor(x * bins.length)), near = [bin, bin - 1, bin + 1].filter((i) => bins[i]);
        assert.ok(near.some((i) => { try { const b = bins[i]; sameNumbers(text, [b[0], b[1], about(b[4][0]), b[5], b[2]], where); return true; } catch { return false; } }), `${where}: ${text} at ${x}`);
      }
    },
  },
  compare: {
    "Best so far of each run": async (opened, f, where) => {
      const said = await tips(opened, opened.locator(".view-compare .u-over"), opened.locator(".view-compare .chart .tip"), 20, 1);
      assert.ok(said.length > 15, where);
      for (const { text } of said) {
        const [head, ...lines] = text.split("\n"), at = Number(/^trial (\d+)$/.exec(head)[1]);
        assert.deepEqual(lines, f.all.map((run) => { const best = run.bests().filter((row) => run.c.index[row] <= at).at(-1); return `${run.data.name}: ${best === undefined ? "–" : run.us(run.latency(best))}`; }), where);
      }
    },
  },
};
