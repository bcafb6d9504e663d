// Money, models, time and the search against random: the numbers of --json, on an invented run with prices and a model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { browser, cells, filled, invented, json, page, settled, tab, unfold } from "./browser.mjs";

let chrome, folder, file, data;
before(async () => {
  chrome = await browser();
  folder = invented("priced", "trials=300", "models", "bandit");
  file = page("priced", folder);
  data = json("report", folder).runs[0];
});
after(() => chrome.close());
const whole = (text) => Number(text.replace(/[^\d.]/g, ""));

test("money, what is left, and the price of a gain are those of --json", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=cost");
  const { economics: e, budget } = data;
  assert.ok(e.money > 0 && e.money_per_percent > 0, "the invented run has a price");
  const money = (await cells(opened, "#budget"))[3];
  assert.ok(Math.abs(Number(money[1]) - data.money) <= 1e-3 * data.money, money.join());
  assert.equal(Number(money[2]), budget.money);
  assert.ok(Math.abs(Number(money[4]) - (budget.money - data.money)) < 1e-3 * budget.money, money.join());
  const text = await opened.innerText("#economics");
  assert.ok(text.includes(`${e.gain_percent.toFixed(1)} %`) && text.includes(e.stopped), text);
  assert.ok(text.includes(String(Number(e.device_seconds_per_percent.toPrecision(4)))), text);
  const phases = await cells(opened, "#phases");
  assert.deepEqual(phases.map((row) => row[0]), e.phases.map((phase) => phase.phase));
  phases.forEach((row, i) => assert.ok(Math.abs(Number(row[4]) - e.phases[i].money) <= 1e-3 * e.phases[i].money, row.join()));
  assert.deepEqual(trouble, []);
  await close();
});

test("work over time adds up to the gates' time, the device's and the trials", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=cost");
  await opened.waitForSelector(".view-cost .u-over");
  await unfold(opened, ".view-cost .as-table summary");
  const rows = await cells(opened, "#work"), width = data.elapsed_seconds / rows.length;
  const gates = Object.values(data.columns.gate_ms).flat().reduce((sum, ms) => sum + (ms ?? 0), 0) / 1000, device = data.columns.device_seconds.reduce((a, b) => a + b, 0);
  assert.equal(rows.reduce((sum, row) => sum + Number(row[2]), 0), data.trials);
  const busy = rows.reduce((sum, row) => sum + Number(row[4]) * width, 0), worked = rows.reduce((sum, row) => sum + (whole(row[5]) / 100) * width, 0);
  assert.ok(Math.abs(busy - gates) < 0.01 * gates, `${busy} of ${gates}`);
  assert.ok(Math.abs(worked - device) < 0.01 * device, `${worked} of ${device}`);
  const over = await opened.locator(".view-cost .u-over").boundingBox();
  await opened.mouse.move(over.x + over.width / 2, over.y + 40);
  assert.match(await opened.innerText(".view-cost .tip"), /in their gates/);
  assert.deepEqual(trouble, []);
  await close();
});

test("models: what was asked, used, correct, and paid", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=operators");
  const [model] = data.models, [row] = await cells(opened, "#models"), lineage = json("lineage", folder).variants.filter((v) => v.operator === "llm:tiny");
  assert.equal(model.proposed, lineage.length);
  assert.equal(model.right, lineage.filter((v) => ["proven", "better", "tie", "correct_slower"].includes(v.status)).length);
  assert.equal(row[0], "tiny");
  assert.equal(whole(row[1]), model.requests);
  assert.equal(Number(row[3]), Number(model.money.toPrecision(4)));
  assert.equal(Number(row[4]), model.accepted);
  assert.equal(row[5], `not_json ${model.refused.not_json}`);
  assert.equal(Number(row[6]), model.proposed);
  assert.ok(row[7].startsWith(`${model.right} (`) && Number(row[8]) === model.better);
  assert.ok(row[10].startsWith(`${model.off_by.toFixed(3)}×`), row[10]);
  assert.ok(!readFileSync(file, "utf8").includes("a long prompt"), "prompts stay in the ledger");
  assert.deepEqual(trouble, []);
  await close();
});

test("the bandit: shares, factors and gains are those of --json, and without one the page says so", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=operators");
  const last = data.bandit.at(-1), all = last.arms.reduce((sum, arm) => sum + arm.weight * arm.factor, 0), rows = await cells(opened, "#bandit");
  assert.ok(data.bandit.length > 2 && last.arms.some((arm) => arm.factor !== 1), "the invented run has learned something");
  assert.deepEqual(rows.map((row) => row[0]).sort(), last.arms.map((arm) => arm.name).sort());
  for (const row of rows) {
    const arm = last.arms.find((each) => each.name === row[0]);
    assert.equal(row[1], `${((100 * arm.weight * arm.factor) / all).toFixed(1)} %`);
    assert.deepEqual([Number(row[5]), Number(row[6])], [arm.trials, arm.gains]);
  }
  const shares = rows.map((row) => Number.parseFloat(row[1]));
  assert.deepEqual(shares, shares.slice().sort((a, b) => b - a), "the largest first");
  await unfold(opened, "#bandit ~ .as-table summary, .view-operators .as-table summary");
  assert.equal((await cells(opened, "#bandit-generations")).length, data.bandit.length);
  assert.deepEqual(trouble, []);
  await close();
  const without = await tab(chrome, page("plain-weights", invented("measured", "trials=400")), "view=operators");
  assert.equal(await without.tab.locator("#no-bandit").count(), 1);
  assert.equal(await without.tab.locator("#bandit").count(), 0);
  await without.close();
});

test("a search stands beside the random run of its task, and beside no other", async () => {
  const searched = invented("measured", "trials=400"), drawn = invented("drawn", "trials=300", "strategy=random", "seed=11"), other = invented("modelled", "trials=60", "modelled");
  const { tab: opened, trouble, close } = await tab(chrome, page("against-random", searched, drawn, other), "view=compare");
  const rows = await cells(opened, "#random");
  assert.deepEqual(rows.map((row) => row.slice(0, 3)), [["measured", "drawn", "300"]]);
  const bests = [searched, drawn].map((run) => {
    const list = json("lineage", run).variants;
    return (n) => list.slice(0, n).reduce((best, v) => (v.status === "better" || (best === null && v.status === "proven") ? v.latency_us : best), null);
  });
  assert.equal(rows[0][3], `${bests[0](300).toFixed(3)} µs`);
  assert.equal(rows[0][4], `${bests[1](300).toFixed(3)} µs`);
  assert.ok(rows[0][5].startsWith((bests[1](300) / bests[0](300)).toFixed(3)), rows[0][5]);
  const final = bests[1](300), until = [0, 1].map((i) => { for (let n = 1; n <= 400; ++n) if ((bests[i](n) ?? Infinity) <= final) return `${n} trial${n === 1 ? "" : "s"}`; return "never"; });
  assert.deepEqual([rows[0][6], rows[0][7]], until);
  assert.deepEqual(trouble, []);
  await close();
});

test("axe finds nothing on money, models and the comparison", async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const both = page("against-random", invented("measured", "trials=400"), invented("drawn", "trials=300", "strategy=random", "seed=11"), invented("modelled", "trials=60", "modelled"));
  for (const scheme of ["light", "dark"]) for (const [path, view] of [[file, "cost"], [file, "operators"], [both, "compare"]]) {
    const context = await chrome.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: scheme, bypassCSP: true }), opened = await context.newPage();
    await opened.goto(`file://${path}#view=${view}`);
    await opened.waitForSelector(`.view-${view}`);
    await opened.evaluate(() => document.querySelectorAll(".as-table").forEach((details) => (details.open = true)));
    await filled(opened);
    await settled(opened);
    await opened.evaluate(axe);
    const { violations } = await opened.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
    assert.deepEqual(violations.map((v) => `${view} ${scheme}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`), []);
    await context.close();
  }
});
