// Runs that mean harm, runs that are damaged, runs that are large.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { copyFileSync, mkdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { browser, cells, invented, json, page, run, settled, tab, views } from "./browser.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(() => chrome.close());

test("a hostile run executes nothing and adds no element", async () => {
  const folder = invented("hostile", "trials=120", "hostile"), file = page("hostile", folder);
  const { tab: opened, trouble, close } = await tab(chrome, file);
  for (const view of views) {
    await opened.evaluate((name) => (location.hash = `view=${name}&tree=1&trial=30&show=rfd`), view);
    await opened.waitForSelector(`.view-${view}`);
    await opened.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    await settled(opened);
    assert.equal(await opened.evaluate(() => globalThis.pwned), undefined, view);
    assert.equal(await opened.locator("main img, main script, main iframe, main [onload], main [onerror]").count(), 0);
    for (const href of await opened.$$eval("a", (list) => list.map((a) => a.getAttribute("href")))) assert.ok(href.startsWith("#"), href);
  }
  assert.match(await opened.innerText("body"), /.*/);
  await opened.evaluate(() => (location.hash = "view=failures"));
  await opened.waitForSelector("#messages");
  assert.ok((await opened.innerText("#messages")).includes("<img src=x onerror=window.pwned=2>"), "it is shown, as text");
  assert.deepEqual(trouble, []);
  await close();
});

test("a hostile run's share card is a picture and nothing else", async () => {
  const folder = invented("hostile", "trials=120", "hostile"), target = `${folder}.svg`;
  run("report", folder, "--card", target, "-q");
  const context = await chrome.newContext({ offline: true }), opened = await context.newPage(), asked = [];
  opened.on("request", (request) => { if (!request.url().startsWith("file:")) asked.push(request.url()); });
  await opened.goto(`file://${target}`);
  assert.equal(await opened.evaluate(() => globalThis.pwned), undefined);
  assert.deepEqual(await opened.evaluate(() => [...new Set([...document.querySelectorAll("*")].map((e) => e.localName))].sort()), ["path", "rect", "style", "svg", "text", "title"]);
  assert.deepEqual(await opened.evaluate(() => [...document.querySelectorAll("*")].flatMap((e) => [...e.attributes].map((a) => a.name)).filter((name) => name.startsWith("on") || name.includes("href"))), []);
  assert.deepEqual(asked, []);
  await context.close();
});

test("the page of a large ledger that is still being read, and of one that cannot be", async () => {
  const file = page("hostile", invented("hostile", "trials=120", "hostile")), text = readFileSync(file, "utf8");
  const { writeFileSync } = await import("node:fs");
  for (const [trouble, wanted] of [["", /^Reading .*<img src=x onerror=window.pwned=2>/], ["<b>no disk</b>", /cannot be read: <b>no disk<\/b>/]]) {
    const made = file.replace(".html", "-reading.html"), data = JSON.stringify({ schema_version: 1, evo: "x", written: 0, benches: [], runs: [], reading: ["runs/<img src=x onerror=window.pwned=2>"], trouble }).replaceAll("<", "\\u003c");
    writeFileSync(made, text.replace(/(id="data">)[\s\S]*?(<\/script>)/, (_, before, after) => before + data + after));
    const context = await chrome.newContext({ offline: true }), opened = await context.newPage();
    await opened.goto(`file://${made}`);
    assert.match(await opened.innerText(".notice"), wanted);
    assert.equal(await opened.evaluate(() => globalThis.pwned), undefined);
    await context.close();
  }
});

test("hostile words in the address do nothing", async () => {
  const file = page("hostile", invented("hostile", "trials=120", "hostile"));
  for (const hash of ["view=<img src=x onerror=window.pwned=1>", "view=__proto__&trial=NaN&top=-5&run=99&a=x&page=1e9&sort=constructor", "template=constructor&where=__proto__=1&reason=</script>", "theme=\"><script>"]) {
    const { tab: opened, trouble, close } = await tab(chrome, file, hash);
    assert.equal(await opened.evaluate(() => globalThis.pwned), undefined);
    assert.ok((await opened.innerText("main")).length > 0);
    assert.deepEqual(trouble.filter((line) => !line.startsWith("request")), []);
    await close();
  }
});

test("a ledger that was cut short is shown as far as it goes, with a notice", async () => {
  const folder = invented("measured", "trials=400"), cut = `${folder}-cut`;
  mkdirSync(cut);
  for (const name of ["ledger.sqlite", "experiment.yaml"]) copyFileSync(join(folder, name), join(cut, name));
  truncateSync(join(cut, "ledger.sqlite"), Math.floor(statSync(join(cut, "ledger.sqlite")).size * 0.9));
  const { tab: opened, trouble, close } = await tab(chrome, page("cut", cut));
  assert.match(await opened.innerText(".notice"), /damaged/);
  assert.deepEqual(trouble, []);
  await close();
});

test("a run without a trial, and one that is not finished", async () => {
  const begun = invented("begun", "trials=0", "unfinished"), unfinished = invented("unfinished", "trials=30", "unfinished");
  for (const folder of [begun, unfinished]) {
    const { tab: opened, trouble, close } = await tab(chrome, page(folder.split("/").at(-1), folder));
    assert.match(await opened.innerText("body"), /evo resume/);
    for (const view of views) {
      await opened.evaluate((name) => (location.hash = `view=${name}&tree=1`), view);
      await opened.waitForSelector(`.view-${view}`);
    }
    assert.deepEqual(trouble, []);
    await close();
  }
});

test("a page that was cut off says so", async () => {
  const file = page("measured", invented("measured", "trials=400")), cut = file.replace(".html", "-cut.html");
  copyFileSync(file, cut);
  const text = readFileSync(file, "utf8");
  const { writeFileSync } = await import("node:fs");
  writeFileSync(cut, text.replace(/("columns":)/, "$1 oops "));
  const context = await chrome.newContext(), opened = await context.newPage();
  await opened.goto(`file://${cut}`);
  assert.match(await opened.innerText("#page"), /holds no report/);
  await context.close();
});

test("2,000 trials: at most 2 MB, interactive within a second", async () => {
  const folder = invented("two-thousand", "trials=2000", "population=100"), file = page("two-thousand", folder);
  assert.ok(statSync(file).size < 2_000_000, String(statSync(file).size));
  const { tab: opened, close } = await tab(chrome, file);
  const clock = await opened.context().newCDPSession(opened), spent = async () => 1000 * (await clock.send("Performance.getMetrics")).metrics.find((metric) => metric.name === "TaskDuration").value;
  await clock.send("Performance.enable", { timeDomain: "threadTicks" });
  await opened.reload();
  await opened.waitForSelector(".u-over");
  const shown = await opened.evaluate(() => performance.now()), before = await spent();
  // From the click to the frame that has the next view, by the page's own clock.
  const clicked = await opened.evaluate(() => new Promise((done) => {
    const link = [...document.querySelectorAll("nav a")].find((a) => a.innerText === "Trials"), began = performance.now();
    link.click();
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
  }));
  console.log(`  2,000 trials: ${statSync(file).size} bytes, chart after ${Math.round(shown)} ms (${Math.round(before)} ms of the page's CPU), the first click's view after ${Math.round(clicked)} ms (${Math.round(await spent() - before)} ms of CPU)`);
  assert.equal((await cells(opened, "#trials")).length, 100);
  assert.ok(shown < 6000, `${shown} ms, on a machine that is busy`);
  await close();
});

test("100,000 trials are usable", { skip: process.env.EVO_WEB_LARGE ? false : "EVO_WEB_LARGE=1 runs it (a minute)" }, async () => {
  const folder = invented("large", "trials=100000", "population=500"), file = page("large", folder);
  const { tab: opened, trouble, close } = await tab(chrome, file);
  await opened.waitForSelector(".u-over", { timeout: 20000 });
  const shown = await opened.evaluate(() => performance.now());
  const over = await opened.locator(".u-over").boundingBox(), times = [];
  for (let i = 0; i < 40; ++i) {
    const before = Date.now();
    await opened.mouse.move(over.x + 20 + i * 20, over.y + 100);
    await settled(opened);
    times.push(Date.now() - before);
  }
  times.sort((a, b) => a - b);
  // Moves along the chart, whole and zoomed in. Beside the wall clock, which a busy machine draws out, the time of the page's own thread.
  const clock = await opened.context().newCDPSession(opened), spent = async () => (await clock.send("Performance.getMetrics")).metrics.find((metric) => metric.name === "TaskDuration").value;
  await clock.send("Performance.enable", { timeDomain: "threadTicks" });
  await opened.focus(".chart");
  const moves = [];
  for (const zooms of [1, 4]) {
    for (let i = 0; i < zooms; ++i) await opened.keyboard.press("+");
    await settled(opened);
    const before = await spent(), began = Date.now();
    for (let i = 0; i < 30; ++i) { await opened.keyboard.press(i < 15 ? "ArrowRight" : "ArrowLeft"); await settled(opened); }
    const alone = `${((1000 * (await spent() - before)) / 30).toFixed(1)} ms of CPU and ${((Date.now() - began) / 30).toFixed(0)} ms a move`;
    // A key held down: a move in each frame. Drawing ends before the next frame begins.
    const frame = await opened.evaluate(() => new Promise((done) => {
      const chart = document.querySelector(".chart"), start = performance.now();
      let count = 0;
      const step = () => {
        if (count === 60) return done((performance.now() - start) / 60);
        chart.dispatchEvent(new KeyboardEvent("keydown", { key: count++ % 30 < 15 ? "ArrowRight" : "ArrowLeft", bubbles: true }));
        requestAnimationFrame(step);
      };
      step();
    }));
    moves.push(`${alone}, held down ${(1000 / frame).toFixed(0)} frames a second`);
  }
  const clicked = Date.now();
  await opened.click("nav a:text-is('Trials')");
  await opened.waitForSelector("#trials");
  console.log(`  100,000 trials: ${(statSync(file).size / 1e6).toFixed(1)} MB, chart after ${Math.round(shown)} ms, pointer ${times[20]} ms (median), moving ${moves.join(", zoomed in ")}, trials' view ${Date.now() - clicked} ms`);
  assert.deepEqual(trouble, []);
  assert.ok(shown < 15000 && times[20] < 200);
  await close();
});

test("of a million trials the page opens, moves and filters", { skip: process.env.EVO_WEB_LARGE ? false : "EVO_WEB_LARGE=1 runs it (ten minutes, 5 GB of memory)" }, async () => {
  // EVO_WEB_MILLION: a run folder of a million trials that is there already.
  const folder = process.env.EVO_WEB_MILLION ?? invented("million", "trials=1000000", "population=500"), file = page("million", folder), all = Number(/"trials":(\d+)/.exec(readFileSync(file, "utf8"))[1]);
  const { tab: opened, trouble, close } = await tab(chrome, file);
  await opened.waitForSelector(".u-over", { timeout: 60000 });
  const shown = await opened.evaluate(() => performance.now());
  assert.ok((await opened.innerText("header")).includes(`${all.toLocaleString("en")} trials`));
  const listed = Number(/^all ([\d,]+) listed/.exec(await opened.innerText("#left"))[1].replaceAll(",", ""));
  assert.ok(listed > 50_000 && listed < 150_000, `${listed} listed`);
  await opened.focus(".chart");
  const frame = await opened.evaluate(() => new Promise((done) => {
    const chart = document.querySelector(".chart"), start = performance.now();
    let count = 0;
    chart.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
    const step = () => {
      if (count === 60) return done((performance.now() - start) / 60);
      chart.dispatchEvent(new KeyboardEvent("keydown", { key: count++ % 30 < 15 ? "ArrowRight" : "ArrowLeft", bubbles: true }));
      requestAnimationFrame(step);
    };
    step();
  }));
  const filtered = await opened.evaluate(() => new Promise((done) => {
    const began = performance.now();
    document.querySelector(".bar-of-filters .toggle.failed").click();
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
  }));
  assert.match(await opened.innerText("#left"), /^[\d,]+ of [\d,]+ trials$/);
  const memory = await opened.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  console.log(`  ${all.toLocaleString("en")} trials: ${(statSync(file).size / 1e6).toFixed(1)} MB, ${listed.toLocaleString("en")} listed, chart after ${Math.round(shown)} ms, moving ${(1000 / frame).toFixed(0)} frames a second, a filter after ${Math.round(filtered)} ms, ${(memory / 1e6).toFixed(0)} MB of script's memory`);
  for (const view of views) {
    await opened.evaluate((name) => (location.hash = `view=${name}`), view);
    await opened.waitForSelector(`.view-${view} h2, .view-${view} #headline`, { timeout: 60000 });
  }
  assert.deepEqual(trouble, []);
  assert.ok(shown < 30000);
  await close();
});
