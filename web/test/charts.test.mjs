// Charts and their tables, axes, colours, failures in the space, what a run was made with: the numbers of --json.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { browser, cells, filled, invented, json, page, settled, tab, unfold, views } from "./browser.mjs";

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
const isRight = (variant) => ["proven", "better", "tie", "correct_slower"].includes(variant.status);

test("each chart has a table that opens and holds numbers", async () => {
  const both = page("charts-both", folder, invented("drawn", "trials=300", "strategy=random", "seed=11"));
  let seen = 0;
  for (const [path, list] of [[file, views], [both, ["compare"]]]) {
    const { tab: opened, trouble, close } = await tab(chrome, path);
    for (const view of list) {
      await opened.evaluate((name) => (location.hash = `view=${name}&tree=1`), view);
      await opened.waitForSelector(`.view-${view}`);
      await settled(opened);
      const charts = await opened.$$eval("main section", (sections) => sections.filter((one) => one.querySelector(".chart, canvas, svg.roofline, svg.parallel, #forest"))
        .map((one) => { const inside = [...one.querySelectorAll("details.as-table")]; for (const details of inside) details.open = true; return [one.querySelector("h2")?.innerText, inside.length + one.querySelectorAll("table").length]; }));
      seen += charts.length;
      for (const [title, tables] of charts) assert.ok(tables > 0, `${view}: ${title}`);
      await filled(opened);
      await settled(opened);
      const empty = await opened.$$eval("details.as-table[open]", (list) => list.filter((one) => one.querySelectorAll("tbody tr, li").length === 0).map((one) => one.innerText));
      assert.deepEqual(empty, [], view);
    }
    assert.deepEqual(trouble, []);
    await close();
  }
  assert.ok(seen >= 6, `${seen} charts`);
});

test("best so far stands over trials, time and device seconds", async () => {
  let device = 0;
  const until = data.columns.device_seconds.map((seconds) => (device += seconds));
  for (const [axis, of] of [["trial", data.columns.index], ["time", data.columns.elapsed_seconds], ["device", until]]) {
    const { tab: opened, trouble, close } = await tab(chrome, file, `x=${axis}`);
    await opened.locator(".u-over").scrollIntoViewIfNeeded();
    const box = await opened.locator(".u-over").boundingBox(), low = of[0], high = of.at(-1);
    let found = 0;
    for (const share of [0.2, 0.4, 0.6, 0.8]) for (let y = box.height - 8, hit = false; !hit && y > 4; y -= 6) {
      await opened.mouse.move(box.x + share * box.width, box.y + y);
      if (!(await opened.locator(".chart .tip").isVisible())) continue;
      const trial = Number(/trial (\d+)/.exec(await opened.innerText(".chart .tip"))[1]), at = ((of[trial] - low) / (high - low)) * box.width;
      assert.ok(Math.abs(at - share * box.width) < 16, `${axis}: trial ${trial} stands at ${at}, the pointer at ${share * box.width}`);
      hit = true;
      found++;
    }
    assert.ok(found >= 2, axis);
    assert.deepEqual(trouble, []);
    await close();
  }
});

/** The pixels of the band of what ties, over each of `bests` [trial from, trial until, latency]: columns that were looked at, and those that are as the numbers say. */
async function band(path, scheme, bests, drift) {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 900 }, deviceScaleFactor: 3, colorScheme: scheme, offline: true }), opened = await context.newPage();
  await opened.goto(`file://${path}#show=r&top=10`);
  await opened.waitForSelector(".view-overview .chart[data-y]");
  const counts = await opened.evaluate(([steps, share]) => {
    const box = document.querySelector(".view-overview .chart"), canvas = box.querySelector("canvas"), plot = box.querySelector(".u-over").getBoundingClientRect(), all = canvas.getBoundingClientRect(), ratio = canvas.width / all.width;
    const [low, high] = box.dataset.y.split(" ").map(Number), [first, last] = box.dataset.x.split(" ").map(Number), left = (plot.left - all.left) * ratio, top = (plot.top - all.top) * ratio;
    const yOf = (us) => top + (plot.height * ratio * Math.log(high / us)) / Math.log(high / low), xOf = (trial) => left + (plot.width * ratio * (trial - first)) / (last - first);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), style = getComputedStyle(document.documentElement);
    const painted = (...colours) => { const paper = new OffscreenCanvas(1, 1).getContext("2d"); for (const colour of colours) { paper.fillStyle = style.getPropertyValue(colour).trim(); paper.fillRect(0, 0, 1, 1); } return [...paper.getImageData(0, 0, 1, 1).data]; };
    // The band alone, or over a line of the grid.
    const wanted = painted("--band"), lined = painted("--line", "--band"), same = (at, colour, slack) => colour.every((part, i) => Math.abs(data[at + i] - part) <= (i === 3 ? 3 : slack));
    const is = (x, y) => { const at = 4 * (Math.round(y) * canvas.width + Math.round(x)); return same(at, wanted, 14) || same(at, lined, 3); };
    let columns = 0, right = 0, any = 0;
    for (const [from, until, best] of steps) for (let x = Math.ceil(xOf(from)) + 4; x < xOf(until) - 4; x += 5) {
      const bottom = yOf(best), edge = yOf(best * (1 + share));
      if (edge < top + 6) continue;
      columns++;
      // Inside at both ends and in the middle; not above, and not below the line. Points and the grid cover some.
      if (is(x, edge + 2) && is(x, (edge + bottom) / 2) && is(x, bottom - 5) && !is(x, edge - 3) && !is(x, bottom + 5)) right++;
    }
    for (let i = 3; i < data.length; i += 4) if (data[i] === wanted[3]) any++;
    return { columns, right, any };
  }, [bests, drift]);
  await context.close();
  return counts;
}

test("the band of what ties stands in the pixels from the best to the drift above it, and a modelled run has none", async () => {
  // A drift of 2 % is a pixel high: the document gets one of 30 % by hand.
  const wide = structuredClone(data), shell = readFileSync(new URL("../../report/page.html", import.meta.url), "utf8"), target = file.replace(".html", "-band.html");
  wide.timing.drift = 0.3;
  writeFileSync(target, shell.replace("EVO_REPORT_DATA", () => JSON.stringify({ ...json("report", folder), runs: [wide] }).replaceAll("<", "\\u003c")));
  const turns = lineage.flatMap((v, trial) => (trial === 0 || v.status === "better" ? [trial] : [])), steps = turns.map((trial, i) => [trial, turns[i + 1] ?? lineage.length - 1, lineage[trial].latency_us]);
  for (const scheme of ["light", "dark"]) {
    const { columns, right } = await band(target, scheme, steps, 0.3);
    assert.ok(columns > 200 && right > 0.6 * columns, `${scheme}: ${right} of ${columns} columns have the band where the numbers say`);
    const moved = await band(target, scheme, steps, 0.45);
    assert.ok(moved.right < 0.02 * moved.columns, `${scheme}: a band elsewhere would be noticed: ${moved.right} of ${moved.columns}`);
  }
  const modelled = await band(page("modelled", invented("modelled", "trials=60", "modelled")), "light", [], 0);
  assert.ok(modelled.any < 100, `${modelled.any} pixels as faint as the band`);
});

test("every trial that became the best is in the chart's table", async () => {
  const { tab: opened, close } = await tab(chrome, file);
  await unfold(opened, ".view-overview section:has(.chart) .as-table summary");
  const rows = await cells(opened, ".view-overview section:has(.chart) .as-table"), best = lineage.flatMap((variant, trial) => (["better", "proven"].includes(variant.status) && (trial === 0 || variant.status === "better") ? [trial] : []));
  assert.equal(rows.length, best.length);
  rows.forEach((row, i) => {
    assert.ok(row.some((cell) => cell === `trial ${best[i]}` || cell === String(best[i])), row.join());
    assert.ok(row.some((cell) => cell.startsWith(us(lineage[best[i]].latency_us))), row.join());
  });
  await close();
});

test("the tree is coloured by template and by operator, with a legend", async () => {
  for (const [color, words] of [["template", data.columns.template.values], ["operator", data.columns.operator.values]]) {
    const { tab: opened, trouble, close } = await tab(chrome, file, `view=lineage&tree=1&color=${color}`);
    await settled(opened);
    const legend = await opened.innerText(".view-lineage .legend >> nth=-1");
    for (const word of words) assert.ok(legend.includes(word), `${word} in ${legend}`);
    assert.deepEqual(trouble, []);
    await close();
  }
});

test("the tree's table has each trial with its parents", async () => {
  const { tab: opened, close } = await tab(chrome, file, "view=lineage&tree=1");
  await unfold(opened, "section:has(.tree) .as-table summary");
  const rows = await cells(opened, "#tree-table");
  assert.equal(rows.length, lineage.length);
  const first = new Map();
  lineage.forEach((variant, trial) => { if (!first.has(variant.id)) first.set(variant.id, trial); });
  rows.forEach((row, i) => {
    assert.equal(row[1], lineage[i].parents.map((parent) => `trial ${first.get(parent)}`).join(" "));
    assert.deepEqual([row[3], row[4], row[5]], [lineage[i].operator, lineage[i].status, lineage[i].latency_us === null ? "–" : us(lineage[i].latency_us)]);
  });
  await close();
});

test("the fastest stand in parallel coordinates, as many as are asked for", async () => {
  const template = data.champion.template, fastest = lineage.map((v, trial) => ({ ...v, trial })).filter((v) => v.template === template && isRight(v)).sort((a, b) => a.latency_us - b.latency_us);
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=genes&top=0");
  const shown = await opened.$$eval(".parallel polyline", (lines) => lines.map((line) => Number(line.dataset.trial)));
  assert.deepEqual(shown.slice().sort((a, b) => a - b), fastest.slice(0, 20).map((v) => v.trial).sort((a, b) => a - b));
  await unfold(opened, "section:has(svg.parallel) .as-table summary");
  const rows = await cells(opened, "section:has(svg.parallel) .as-table");
  assert.equal(rows.length, shown.length);
  rows.forEach((row, i) => assert.equal(row[1], us(fastest[i].latency_us)));
  const heads = await opened.$$eval("section:has(svg.parallel) .as-table thead th", (list) => list.map((head) => head.innerText));
  heads.slice(2).forEach((gene, i) => assert.equal(rows[0][i + 2], String(fastest[0].genes[gene])));
  await opened.hover(".parallel polyline >> nth=-1", { force: true });
  assert.deepEqual(trouble, []);
  await close();
});

test("failures: where in the space, which message, which line", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=failures");
  const reasons = await cells(opened, "#reasons"), gates = data.funnel.filter((stage) => !["proposed", "better"].includes(stage.gate));
  const ways = gates.flatMap((stage) => stage.failed.map((way) => ({ ...way, gate: stage.gate })));
  assert.equal(reasons.length, ways.length);
  for (const way of ways) assert.ok(reasons.some((row) => row[0] === way.reason && row[2] === way.gate && Number(row[3]) === way.count), way.reason);
  // Each value that is called bad fails more often than its template, by lineage's own count.
  const values = await opened.$$eval("table", (tables) => tables.filter((one) => one.caption.innerText.startsWith("Values")).flatMap((one) => [...one.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))));
  for (const [template, value, count] of values) {
    const [gene, wanted] = value.split(" = "), own = lineage.filter((v) => v.template === template && v.status !== "no_op"), having = own.filter((v) => String(v.genes[gene]) === wanted);
    assert.equal(count, `${having.filter((v) => !isRight(v)).length} of ${having.length}`, value);
    assert.ok(having.filter((v) => !isRight(v)).length / having.length > own.filter((v) => !isRight(v)).length / own.length, value);
  }
  const messages = await opened.innerText("#messages"), told = data.evidence.flatMap((entry) => entry.items);
  for (const entry of data.evidence.slice(0, 5)) for (const item of entry.items) assert.ok(messages.includes(item.kind) || told.length > 40, item.kind);
  const places = [...messages.matchAll(/(\w+\.cu):(\d+)/g)];
  assert.ok(places.length > 0);
  for (const [, name, line] of places) assert.ok(told.some((item) => item.file === name && item.line === Number(line)), `${name}:${line}`);
  assert.deepEqual(trouble, []);
  await close();
});

test("environment, toolchain, seeds and the commands to repeat the run", async () => {
  const { tab: opened, close } = await tab(chrome, file, "view=run"), facts = new Map(await cells(opened, "#environment")), e = data.environment;
  for (const [name, value] of [["seed of the search", e.seed], ["seed of the inputs", e.input_seed], ["toolchain", e.toolchain], ["driver", e.driver], ["evo", e.evo], ["problem's hash", e.problem_hash], ["lineage", data.lineage_sha256], ["ledger's schema", String(e.ledger_schema)]]) assert.equal(facts.get(name), value, name);
  const commands = await opened.innerText("#commands");
  for (const word of ["evo replay", "evo run", `--seed ${e.seed}`, `--input-seed ${e.input_seed}`, "evo export", "evo bench"]) assert.ok(commands.includes(word), word);
  assert.equal((await opened.innerText(".view-run pre.file")).trim(), e.experiment_yaml.trim());
  await close();
});

test("a run of an older evo says so, and shows the same", async () => {
  const old = invented("older", "trials=60", "evo=0.0.9"), { tab: opened, trouble, close } = await tab(chrome, page("older", old));
  assert.match(await opened.innerText("body"), /made by evo 0\.0\.9/);
  for (const view of views) {
    await opened.evaluate((name) => (location.hash = `view=${name}`), view);
    await opened.waitForSelector(`.view-${view}`);
  }
  assert.deepEqual(trouble, []);
  await close();
});

test("of a very large run the page says what is of all trials and what of those listed", async () => {
  // As document.cpp lists a share of a run: every tenth trial has a row.
  const part = structuredClone(data), all = 10 * data.trials, target = file.replace(".html", "-part.html");
  part.trials = all;
  part.columns.left_out = all - part.columns.count;
  part.columns.index = part.columns.index.map((index) => 10 * index);
  let sum = 0;
  part.columns.device_seconds_until = part.columns.device_seconds.map((seconds) => (sum += 10 * seconds));
  const shell = readFileSync(new URL("../../report/page.html", import.meta.url), "utf8");
  writeFileSync(target, shell.replace("EVO_REPORT_DATA", () => JSON.stringify({ ...json("report", folder), runs: [part] }).replaceAll("<", "\\u003c")));
  const { tab: opened, trouble, close } = await tab(chrome, target, "x=device");
  assert.match(await opened.innerText("#left"), /^all 400 listed of 4,000 trials$/);
  assert.match(await opened.innerText("header"), /4,000 trials/);
  await opened.evaluate(() => (location.hash = "view=cost"));
  await opened.waitForSelector("#gate-times");
  const notes = await opened.$$eval(".view-cost section", (list) => list.filter((one) => ["Where the time went", "Workers over time"].includes(one.querySelector("h2").innerText)).map((one) => one.querySelector(".note").innerText));
  assert.equal(notes.length, 2);
  for (const note of notes) assert.match(note, /the 400 trials that are listed, of 4,000/);
  await opened.evaluate(() => (location.hash = "view=failures"));
  await opened.waitForSelector("#reasons");
  assert.match(await opened.innerText(".view-failures .note"), /all 4,000 trials/);
  assert.deepEqual(trouble, []);
  await close();
});
