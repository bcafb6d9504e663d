// Views, numbers, filters, links: what the page shows is what --json says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { browser, cells, filled, invented, json, page, run, settled, tab, unfold, views } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let chrome, folder, file, data, lineage;
before(async () => {
  chrome = await browser();
  folder = invented("measured", "trials=400");
  file = page("measured", folder);
  data = json("report", folder).runs[0];
  lineage = json("lineage", folder).variants;
});
after(() => chrome.close());
const us = (value) => `${value.toFixed(3)} µs`;

test("every view opens, asks for nothing and is not too wide, light and dark, wide and narrow", async () => {
  for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    const { tab: opened, trouble, close } = await tab(chrome, file, "", { width, scheme });
    for (const view of views) {
      await opened.evaluate((name) => (location.hash = `view=${name}&tree=1`), view);
      await opened.waitForSelector(`.view-${view} h2, .view-${view} #headline`);
      await settled(opened);
      const over = await opened.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${view} at ${width}: ${over} px too wide`);
    }
    assert.deepEqual(trouble, []);
    await close();
  }
});

test("the headline has champion, baseline, interval, device and kind", async () => {
  const { tab: opened, close } = await tab(chrome, file);
  const text = await opened.innerText("#headline");
  for (const word of [us(data.champion.latency_us), us(data.baseline.latency_us), "MEASURED", data.device.name, `trial ${data.champion_trial}`]) assert.ok(text.includes(word), `${word} in ${text}`);
  assert.ok(text.includes(data.gain.speedup.toFixed(data.gain.speedup < 10 ? 3 : 2)), text);
  assert.ok(text.includes(data.gain.interval[0].toFixed(3)), text);
  await close();
});

test("a modelled run says so wherever it has a latency", async () => {
  const modelled = invented("modelled", "trials=60", "modelled"), { tab: opened, trouble, close } = await tab(chrome, page("modelled", modelled));
  const text = await opened.innerText("body");
  assert.ok(!text.includes("MEASURED"));
  assert.match(text, /MODELLED/);
  assert.match(text, /no GPU has timed this/);
  assert.deepEqual(trouble, []);
  await close();
});

test("the trials' table is the lineage, page by page", async () => {
  const { tab: opened, close } = await tab(chrome, file, "view=trials");
  const seen = [];
  for (;;) {
    seen.push(...(await cells(opened, "#trials")));
    const next = opened.locator("button:has-text('next')").first();
    if (await next.isDisabled()) break;
    await next.click();
  }
  assert.equal(seen.length, lineage.length);
  seen.forEach((row, i) => {
    const variant = lineage[i];
    assert.equal(row[2], variant.id);
    assert.equal(row[3], variant.template);
    assert.equal(row[4], variant.operator);
    assert.equal(row[5], variant.status);
    assert.equal(row[6], [variant.gate, variant.reason].filter(Boolean).join(": "));
    assert.equal(row[7], variant.latency_us === null ? "–" : us(variant.latency_us));
  });
  await opened.click("th button.sort:has-text('latency')");
  const sorted = (await cells(opened, "#trials")).map((row) => row[7]);
  const expected = lineage.map((v) => v.latency_us).filter((v) => v !== null).sort((a, b) => a - b).slice(0, sorted.length).map(us);
  assert.deepEqual(sorted, expected);
  await close();
});

test("the funnel's numbers are the document's, and a reason lists its trials", async () => {
  const { tab: opened, close } = await tab(chrome, file);
  for (const stage of data.funnel) {
    const row = opened.locator(`#funnel tr[data-gate=${stage.gate}]`);
    assert.equal(await row.locator("td").first().innerText(), `${stage.passed} of ${stage.reached}`);
    for (const way of stage.failed) assert.ok((await row.innerText()).includes(`${way.reason || way.status} ${way.count}`));
  }
  await opened.click("#funnel tr[data-gate=sanitize] a.chip");
  await opened.waitForSelector(".view-trials");
  const wanted = lineage.filter((variant) => variant.reason === "race_shared");
  assert.equal((await opened.innerText("#left")).split(" ")[0], String(wanted.length));
  assert.deepEqual((await cells(opened, "#trials")).map((row) => row[2]), wanted.slice(0, 100).map((variant) => variant.id));
  await close();
});

test("filters hold for every view and live in the address", async () => {
  const { tab: opened, close } = await tab(chrome, file);
  await opened.click(".bar-of-filters .toggle.failed");
  await opened.click(".bar-of-filters .toggle.duplicate");
  await opened.selectOption(".bar-of-filters select >> nth=1", "20");
  const address = await opened.evaluate(() => location.href);
  assert.match(address, /show=r&top=20/);
  for (const view of ["trials", "lineage", "cost", "overview"]) {
    await opened.click(`nav a:text-is("${view[0].toUpperCase()}${view.slice(1)}")`);
    assert.match(await opened.innerText("#left"), /^20 of 400/);
  }
  await close();
  const again = await tab(chrome, file, `${address.split("#")[1]}&view=trials`);
  const rows = await cells(again.tab, "#trials");
  const fastest = lineage.filter((v) => ["proven", "better", "tie", "correct_slower"].includes(v.status)).sort((a, b) => a.latency_us - b.latency_us).slice(0, 20).map((v) => v.id).sort();
  assert.deepEqual(rows.map((row) => row[2]).sort(), fastest);
  await again.tab.goBack().catch(() => {});
  await again.close();
});

test("a point's tooltip has the trial's numbers, and a click opens it", async () => {
  const { tab: opened, close } = await tab(chrome, file);
  await opened.locator(".chart .u-over").scrollIntoViewIfNeeded();
  const box = await opened.locator(".chart .u-over").boundingBox();
  let tip = "";
  for (let y = 6; y < box.height && !tip; y += 6) {
    await opened.mouse.move(box.x + box.width * 0.6, box.y + y);
    if (await opened.locator(".chart .tip").isVisible()) tip = await opened.innerText(".chart .tip");
  }
  const index = Number(/trial (\d+)/.exec(tip)[1]), variant = lineage[index];
  assert.ok(tip.includes(variant.id) && tip.includes(variant.status), tip);
  if (variant.latency_us !== null && !variant.gate) assert.ok(tip.includes(us(variant.latency_us)), tip);
  await opened.mouse.down();
  await opened.mouse.up();
  await opened.waitForSelector("#panel");
  assert.match(await opened.innerText("#panel h2"), new RegExp(`^Trial ${index}\\b`));
  await opened.keyboard.press("Escape");
  assert.equal(await opened.locator("#panel").count(), 0);
  await close();
});

test("the lineage's path has the document's gains and verdicts", async () => {
  const { tab: opened, close } = await tab(chrome, file, "view=lineage");
  await unfold(opened, ".view-lineage .as-table summary");
  const rows = await cells(opened, "#path-table");
  assert.equal(rows.length, data.path.length);
  data.path.forEach((step, i) => {
    assert.equal(rows[i][0], `trial ${step.trial}`);
    assert.equal(rows[i][3], step.changes);
    if (!step.against_parent) return;
    assert.equal(rows[i][6], step.against_parent.verdict);
    assert.ok(rows[i][5].startsWith(`${step.against_parent.speedup.toFixed(step.against_parent.speedup < 10 ? 3 : 2)}×`), rows[i][5]);
    if (step.against_parent.interval) assert.ok(rows[i][5].includes(step.against_parent.interval[0].toFixed(3)));
  });
  await opened.click("button.primary");
  await opened.waitForSelector(".tree canvas");
  await close();
});

test("effects, patterns, operators, costs are those of --json", async () => {
  const insights = json("insights", folder).generations.at(-1), { tab: opened, close } = await tab(chrome, file, "view=insights");
  await unfold(opened, ".view-insights .as-table summary");
  const rows = await cells(opened, ".as-table table");
  assert.equal(rows.length, insights.effects.length);
  insights.effects.forEach((effect, i) => {
    assert.equal(rows[i][0], effect.id);
    assert.equal(rows[i][2], `${effect.gene} = ${effect.value}`);
    assert.ok(rows[i][3].includes(Math.abs(100 * (Math.exp(effect.effect) - 1)).toFixed(1)));
    assert.equal(rows[i][5], String(effect.trials));
  });
  await opened.evaluate(() => (location.hash = "view=operators"));
  await opened.waitForSelector("#operators");
  for (const row of await cells(opened, "#operators")) {
    const own = lineage.filter((variant) => variant.operator === row[0]);
    assert.equal(Number(row[1]), own.length);
    assert.equal(Number(row[4]), own.filter((variant) => variant.status === "better").length);
    assert.equal(Number(row[5]), own.filter((variant) => variant.status === "no_op").length);
  }
  await opened.evaluate(() => (location.hash = "view=workloads"));
  await opened.waitForSelector("#workloads");
  const first = (await cells(opened, "#workloads"))[0];
  data.columns.workloads.forEach((workload, i) => assert.ok(first[i + 1].includes(us(workload.latency_us[data.champion_trial])), first[i + 1]));
  await opened.evaluate(() => (location.hash = "view=cost"));
  await opened.waitForSelector("#generations");
  const generations = await cells(opened, "#generations");
  assert.deepEqual(generations.map((row) => row[2]), data.generations.map((generation) => us(generation.best_us)));
  await close();
});

test("sources stand side by side, with findings at their lines", async () => {
  const champion = await tab(chrome, file, "view=source");
  assert.match(await champion.tab.innerText("#source thead"), new RegExp(`trial ${data.champion_trial} `));
  assert.ok((await champion.tab.innerText("#changed")).includes("differ"));
  await champion.close();
  const failed = data.sources.of.map((entry) => entry.trial).find((trial) => lineage[trial].gate);
  const { tab: opened, close } = await tab(chrome, file, `view=source&b=${failed}&a=-1`);
  const finding = data.evidence.find((entry) => entry.trial === failed).items[0];
  assert.ok((await opened.innerText("#source tr.finding")).includes(finding.message));
  const above = await opened.$eval("#source tr.finding", (row) => row.previousElementSibling.querySelector(".ln").title);
  assert.equal(above, `${finding.file}:${finding.line}`);
  await close();
});

test("the six questions are answered in at most two clicks", async () => {
  const champion = String(data.champion_trial), failures = data.funnel.flatMap((stage) => (["proposed", "better"].includes(stage.gate) ? [] : stage.failed)).sort((a, b) => b.count - a.count);
  const script = {
    what: { clicks: [], on: [`trial ${champion}`, us(data.champion.latency_us), data.gain.interval[0].toFixed(3), "MEASURED"], then: ["#panel", data.champion.variant] },
    why: { clicks: [], on: [], then: ["#path", data.path.at(-1).changes.split(", ")[0]] },
    failed: { clicks: [], on: [failures[0].reason, String(failures[0].count)], then: ["#reasons", failures[0].reason] },
    next: { clicks: [], on: [], then: ["#sure", data.insights.effects[0].id.split("-")[0]] },
    converged: { clicks: [], on: [`of ${data.trials}`], then: ["#generations", us(data.generations.at(-1).best_us)] },
    cost: { clicks: [], on: [`${data.trials} trials`], then: ["#gate-times", "compile"] },
  };
  for (const [id, { on, then }] of Object.entries(script)) {
    const { tab: opened, close } = await tab(chrome, file);
    const text = await opened.innerText(`#answer-${id} .answer`);
    assert.ok(text.length > 20, text);
    for (const word of on) assert.ok(text.includes(word), `${id}: ${word} in ${text}`);
    await opened.click(`#answer-${id} .more a`); // one click
    await opened.waitForSelector(then[0]);
    assert.ok((await opened.innerText(then[0])).includes(then[1]), `${id}: ${then[1]}`);
    await close();
  }
});

test("a run whose baseline was refused says so, where and why", async () => {
  // No run that is invented has a wrong baseline: the document gets one by hand.
  const wrong = structuredClone(json("report", invented("one-trial", "trials=1", "population=1"))), one = wrong.runs[0], c = one.columns, target = file.replace(".html", "-refused.html");
  Object.assign(c, { status: { values: ["wrong"], of: [0] }, gate: { values: ["correctness"], of: [0] }, reason: { values: ["mismatch"], of: [0] }, latency_us: [null], ci_low: [null], ci_high: [null], workloads: [] });
  Object.assign(one, { champion: null, baseline: null, champion_trial: null, gain: null, path: [], roofline: null, final_verdict: null, reduced: null, insights: null, generations: [], events: [], status: "baseline_invalid", counts: { wrong: 1 } });
  writeFileSync(target, readFileSync(new URL("../../report/page.html", import.meta.url), "utf8").replace("EVO_REPORT_DATA", () => JSON.stringify(wrong).replaceAll("<", "\\u003c")));
  const { tab: opened, trouble, close } = await tab(chrome, target);
  assert.match(await opened.innerText("#headline"), /baseline was refused/);
  for (const word of ["correctness", "mismatch", "trial 0"]) assert.ok((await opened.innerText("#answer-what")).includes(word), word);
  assert.match(await opened.innerText("#answer-next"), /baseline/);
  assert.doesNotMatch(await opened.innerText("#answer-next"), /evo bench/);
  for (const view of views) {
    await opened.evaluate((name) => (location.hash = `view=${name}&tree=1`), view);
    await opened.waitForSelector(`.view-${view}`);
  }
  assert.deepEqual(trouble, []);
  await close();
});

test("pairs of genes have the means of the trials", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=genes&top=0");
  const [a, b] = await opened.$$eval(".view-genes select", (list) => list.slice(-2).map((select) => select.value));
  const template = data.champion.template, correct = lineage.filter((v) => v.template === template && ["proven", "better", "tie", "correct_slower"].includes(v.status));
  const heads = await opened.$$eval("#pairs thead th", (list) => list.slice(1).map((th) => th.innerText)), rows = await cells(opened, "#pairs");
  let seen = 0;
  for (const [x, ...means] of rows) {
    means.forEach((text, i) => {
      const own = correct.filter((v) => String(v.genes[a]) === x && String(v.genes[b]) === heads[i]).map((v) => v.latency_us);
      seen += own.length;
      if (own.length === 0) return assert.equal(text, "–");
      assert.ok(text.startsWith(us(Math.exp(own.reduce((sum, v) => sum + Math.log(v), 0) / own.length))), text);
      assert.ok(text.includes(`${own.length} trial`) && text.replace(/\s+/g, " ").includes(`best ${us(Math.min(...own))}`), text);
    });
  }
  assert.equal(seen, correct.length);
  await opened.selectOption(".view-genes select >> nth=-1", { index: 1 });
  assert.match(await opened.evaluate(() => location.hash), /pair=/);
  assert.deepEqual(trouble, []);
  await close();
});

test("the roofline has the document's rates, and says what they are", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=lineage");
  const section = opened.locator("section", { has: opened.locator("svg.roofline") });
  await section.locator(".as-table summary").click();
  await filled(opened);
  const rows = await cells(opened, "#roofline-table");
  assert.equal(rows.length, data.roofline.points.length);
  data.roofline.points.forEach((point, i) => {
    const workload = data.columns.workloads.find((w) => w.name === point.workload), latency = workload.latency_us[point.trial];
    assert.equal(rows[i][0], `trial ${point.trial}`);
    assert.equal(rows[i][2], us(latency));
    assert.equal(rows[i][7], `${(100 * point.of_limit).toFixed(1)} %`);
    assert.ok(Math.abs(point.tflops - point.flops / latency / 1e6) < 1e-9 * point.tflops);
    assert.ok(Math.abs(point.limit_tflops - Math.min(data.roofline.roofs.tensor_fp16_tflops, point.intensity * data.roofline.roofs.dram_gb_per_s / 1000)) < 1e-9 * point.limit_tflops);
  });
  assert.match(await section.innerText(), /MEASURED/);
  await opened.locator("svg.roofline circle.champion").click();
  assert.match(await opened.innerText("#panel h2"), new RegExp(`^Trial ${data.champion_trial}\\b`));
  assert.deepEqual(trouble, []);
  await close();
  const modelled = await tab(chrome, page("modelled", invented("modelled", "trials=60", "modelled")), "view=lineage");
  assert.match(await modelled.tab.locator("section", { has: modelled.tab.locator("svg.roofline") }).innerText(), /MODELLED[\s\S]*nothing here was measured/);
  await modelled.close();
});

test("the share card is the same file from the page and from evo, and holds --json's numbers", async () => {
  const target = file.replace(".html", "-card.svg");
  run("report", folder, "--card", target, "-q");
  const card = readFileSync(target, "utf8");
  // The card's largest number has four figures: 9.876×, 11.57×.
  const speedup = data.gain.speedup;
  for (const word of [`${speedup.toFixed(speedup < 10 ? 3 : 2)}×`, us(data.champion.latency_us), us(data.baseline.latency_us), "MEASURED", data.device.name, `[${data.gain.interval[0].toFixed(3)}, ${data.gain.interval[1].toFixed(3)}]`]) assert.ok(card.includes(word), word);
  for (const stage of data.funnel) assert.ok(card.includes(`>${stage.passed}</text>`), stage.gate);
  assert.ok(!card.includes("MODELLED"));
  const { tab: opened, trouble, close } = await tab(chrome, file);
  const [download] = await Promise.all([opened.waitForEvent("download"), opened.click("#card")]);
  assert.equal(readFileSync(await download.path(), "utf8"), card);
  assert.deepEqual(trouble.filter((line) => !line.startsWith("request: blob:")), []);
  await close();
  // As a browser draws it: well-formed, of its size, nothing beyond its edges, light and dark.
  for (const scheme of ["light", "dark"]) {
    const context = await chrome.newContext({ viewport: { width: 1200, height: 675 }, colorScheme: scheme }), shownCard = await context.newPage();
    await shownCard.goto(`file://${target}`);
    const boxes = await shownCard.$$eval("svg text", (list) => list.map((text) => { const b = text.getBoundingClientRect(); return [b.left, b.right, b.bottom, text.textContent]; }));
    for (const [left, right, bottom, text] of boxes) assert.ok(left >= 0 && right <= 1200 && bottom <= 675, `${text}: ${left} to ${right}, ${bottom}`);
    if (process.env.EVO_WEB_PICTURES) await shownCard.screenshot({ path: `${process.env.EVO_WEB_PICTURES}/card-${scheme}.png` });
    await context.close();
  }
});

test("several runs are compared, and different kinds of latency are not", async () => {
  const other = invented("modelled", "trials=60", "modelled"), both = page("both", folder, other), { tab: opened, trouble, close } = await tab(chrome, both);
  const rows = await cells(opened, "#runs");
  assert.equal(rows.length, 2);
  assert.ok(rows[0][4].includes(us(data.champion.latency_us)));
  assert.equal(rows[1][6], "–", "a modelled latency is held against no measured one");
  assert.match(await opened.innerText(".view-compare .notice"), /do not compare/);
  await opened.click("#runs a >> nth=1");
  assert.match(await opened.innerText("header"), /MODELLED/);
  await settled(opened);
  assert.deepEqual(trouble, []);
  await close();
});

/** A page of this document, with report/page.html as it was built last. */
function handmade(name, document) {
  const target = file.replace(".html", `-${name}.html`);
  writeFileSync(target, readFileSync(new URL("../../report/page.html", import.meta.url), "utf8").replace("EVO_REPORT_DATA", () => JSON.stringify(document).replaceAll("<", "\\u003c")));
  return target;
}

test("runs of two tasks are not held against each other, runs of one are; equal names are told apart", async () => {
  const document = structuredClone(json("report", folder)), [one] = document.runs, slower = structuredClone(one), other = structuredClone(one);
  slower.run = "elsewhere/measured";
  slower.champion.latency_us *= 2;
  slower.champion.ci95 = slower.champion.ci95.map((end) => 2 * end);
  other.environment.problem_hash = "another";
  other.run = "third/measured";
  const { tab: opened, trouble, close } = await tab(chrome, handmade("tasks", { ...document, runs: [one, slower, other] }));
  const rows = await cells(opened, "#runs");
  assert.deepEqual(rows.map((row) => row[0]), [one.run, slower.run, other.run]);
  assert.match(rows[1][6], /^0\.500×.*worse$/s);
  assert.equal(rows[2][6], "–");
  assert.match(await opened.innerText("#tasks"), /not of one task/);
  assert.deepEqual(trouble, []);
  await close();
  const same = await tab(chrome, handmade("one-task", { ...document, runs: [one, slower] }));
  assert.equal(await same.tab.locator("#tasks").count(), 0);
  await same.close();
  const wider = structuredClone(slower), [size] = Object.keys(wider.environment.workloads[0].axes);
  wider.environment.workloads[0].axes[size] *= 2;
  const sizes = await tab(chrome, handmade("two-sizes", { ...document, runs: [one, wider] }));
  assert.match(await sizes.tab.innerText("#tasks"), /not of one task/);
  await sizes.close();
});

test("a verdict that is not valid is not the one that the page quotes, and a finalist that fell is not to be taken", async () => {
  const document = structuredClone(json("report", invented("judged", "trials=60", "population=20", "checks"))), [one] = document.runs;
  const at = one.columns.index.indexOf(one.champion_trial);
  const texts = async (name) => {
    const { tab: opened, close } = await tab(chrome, handmade(name, document), `trial=${one.champion_trial}`);
    const text = await opened.innerText("#panel");
    await close();
    return text;
  };
  assert.ok(at >= 0 && one.final_verdict && one.gain.method === "in_turn");
  assert.match(await texts("valid"), /by the final verdict[^]*evo export/);
  one.final_verdict.decision = "not_valid";
  one.events.push({ kind: "champion_refused", trial: one.champion_trial, details: {} });
  const text = await texts("not-valid");
  assert.doesNotMatch(text, /by the final verdict/);
  assert.doesNotMatch(text, /evo export/);
});

test("a run that ends with its baseline says that there is no gain, and how far the others came", async () => {
  const { tab: opened, close } = await tab(chrome, page("one-trial", invented("one-trial", "trials=1", "population=1")));
  assert.match(await opened.innerText("#headline .big"), /^no gain[^]*nothing else was tried/);
  assert.doesNotMatch(await opened.innerText("#answer-next"), /evo bench/);
  await close();
});

test("where every genome was tried, it converged and nobody is told to search on", async () => {
  const document = structuredClone(json("report", folder)), [run] = document.runs;
  Object.assign(run.economics, { stopped_by: "space", stopped: "every legal genome was tried" });
  const { tab: opened, close } = await tab(chrome, handmade("space", document));
  assert.match(await opened.innerText("#answer-converged"), /Yes: every legal genome was tried/);
  assert.match(await opened.innerText("#answer-next"), /Widen the space/);
  assert.doesNotMatch(await opened.innerText("#answer-next"), /Search on/);
  await close();
});

test("without a correct trial there is no empty chart", async () => {
  const { tab: opened, close } = await tab(chrome, file, "show=f");
  assert.equal(await opened.locator(".view-overview .chart").count(), 0);
  assert.match(await opened.innerText("#no-history"), /no latency to draw/);
  await close();
});

test("axe finds nothing in any view, light and dark", async () => {
  for (const scheme of ["light", "dark"]) {
    // The policy of the page forbids to evaluate anything: axe comes in by the debugger, in a context without it.
    const context = await chrome.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: scheme, bypassCSP: true }), opened = await context.newPage();
    await opened.goto(`file://${file}`);
    await opened.evaluate(axe);
    for (const view of views) {
      await opened.evaluate((name) => (location.hash = `view=${name}&tree=1&trial=${name === "trials" ? 9 : ""}`), view);
      await opened.waitForSelector(`.view-${view}`);
      await opened.evaluate(() => document.querySelectorAll(".as-table").forEach((details) => (details.open = true)));
      await filled(opened);
      await settled(opened);
      const { violations } = await opened.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
      assert.deepEqual(violations.map((v) => `${view} ${scheme}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`), []);
    }
    await context.close();
  }
});

test("a bench stands beside the run, with what is sure about it", async () => {
  const bench = (variant) => ({ run: folder, experiment: "x", target: "l4", latency_kind: "measured", device: { kind: "cuda", name: "NVIDIA L4", driver: "" }, variants: [{ contender: "champion", variant }],
    comparators: [{ name: "absent", available: false, reason: "no <b>library</b>" }], cases: [{ workload: "short", skipped: "", contenders: [
      { contender: "champion", hot: { latency_us: 4, ci95: [3.9, 4.1], samples: 9 }, cold: null, unavailable: null }, { contender: "library", hot: { latency_us: 6, ci95: [5.9, 6.1], samples: 9 }, cold: null, unavailable: null },
      { contender: "near", hot: { latency_us: 4.1, ci95: [4, 4.2], samples: 9 }, cold: null, unavailable: null }] }] });
  const own = `${file}.bench.json`, foreign = `${file}.foreign.json`, target = file.replace(".html", "-bench.html");
  writeFileSync(own, JSON.stringify(bench(data.champion.variant)));
  writeFileSync(foreign, JSON.stringify(bench("0000000000000000")));
  run("report", folder, "--bench", own, "--bench", foreign, "-o", target, "-q");
  const { tab: opened, trouble, close } = await tab(chrome, target);
  assert.equal(await opened.locator("#beside").count(), 1, "the other is of no variant of this run");
  const rows = await cells(opened, "#beside");
  assert.match(rows[1][4], /1\.500×.*\[1\.439, 1\.564\].*better/s);
  assert.match(rows[2][4], /1\.025×.*tie/s);
  assert.deepEqual(trouble, []);
  await close();
});

test("the chart moves and zooms by keys, by shift and drag, and shows all again", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file);
  await opened.waitForSelector(".u-over");
  // What is shown, read off the trial that the pointer finds near both ends.
  const ends = async () => {
    const box = await opened.locator(".u-over").boundingBox(), found = [];
    for (const [from, until, step] of [[0, box.width / 3, 6], [box.width - 1, box.width / 1.5, -6]]) {
      let index = -1;
      for (let x = from; index < 0 && (step > 0 ? x < until : x > until); x += step) for (let y = box.height - 4; index < 0 && y > 4; y -= 12) {
        await opened.mouse.move(box.x + x, box.y + y);
        if (await opened.locator(".chart .tip").isVisible()) index = Number(/trial (\d+)/.exec(await opened.innerText(".chart .tip"))[1]);
      }
      found.push(index);
    }
    return found;
  };
  await opened.locator(".u-over").scrollIntoViewIfNeeded();
  const whole = await ends();
  assert.ok(whole[0] < 20 && whole[1] > 380, whole.join());
  await opened.focus(".chart");
  for (const key of ["+", "+", "+"]) { await opened.keyboard.press(key); await settled(opened); }
  const near = await ends();
  assert.ok(near[0] > 130 && near[1] < 270 && near[1] > near[0], near.join());
  for (let i = 0; i < 3; ++i) { await opened.keyboard.press("ArrowRight"); await settled(opened); }
  const moved = await ends();
  assert.ok(moved[0] > near[0] && moved[1] > near[1], moved.join());
  const box = await opened.locator(".u-over").boundingBox();
  await opened.keyboard.down("Shift");
  await opened.mouse.move(box.x + 100, box.y + 60);
  await opened.mouse.down();
  await opened.mouse.move(box.x + 500, box.y + 60, { steps: 4 });
  await opened.mouse.up();
  await opened.keyboard.up("Shift");
  await settled(opened);
  const back = await ends();
  assert.ok(back[0] < moved[0], `${back} after ${moved}`);
  assert.equal(await opened.locator("#panel").count(), 0, "the end of a move opens no trial");
  await opened.keyboard.press("0");
  await settled(opened);
  assert.deepEqual(await ends(), whole);
  assert.deepEqual(trouble, []);
  await close();
});

test("keys: views by brackets, lists and lines by the tab key", async () => {
  const { tab: opened, close } = await tab(chrome, file);
  await opened.keyboard.press("]");
  await opened.waitForSelector(".view-lineage");
  await opened.keyboard.press("[");
  await opened.waitForSelector(".view-overview");
  await opened.evaluate(() => (location.hash = "view=genes"));
  await opened.waitForSelector(".parallel polyline");
  await opened.focus(".parallel polyline");
  assert.match(await opened.innerText("#parallel-tip"), /^trial \d+: /);
  await opened.keyboard.press("Enter");
  await opened.waitForSelector("#panel");
  await close();
});
