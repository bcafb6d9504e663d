// How long the first load and the first click of a page take, and how many frames a second its chart moves, each time in a browser of its own: what one process has
// learned of a page is no help to the next.
//   node web/clicks.mjs TIMES PAGE...    PAGE: files that evo report wrote; by turns, TIMES each. EVO_CHROMIUM names the browser.
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const [times, ...pages] = process.argv.slice(2);
if (!(Number(times) > 0) || pages.length === 0) throw new Error("usage: node web/clicks.mjs TIMES PAGE...");

async function once(page) {
  const browser = await chromium.launch({ executablePath: process.env.EVO_CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
  const opened = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true })).newPage();
  const clock = await opened.context().newCDPSession(opened), metrics = async () => Object.fromEntries((await clock.send("Performance.getMetrics")).metrics.map((one) => [one.name, 1000 * one.value]));
  await clock.send("Performance.enable", { timeDomain: "threadTicks" });
  await opened.goto(`file://${resolve(page)}`);
  await opened.waitForSelector(".u-over");
  const shown = await opened.evaluate(() => performance.now()), before = await metrics();
  const click = await opened.evaluate(() => new Promise((done) => {
    const link = [...document.querySelectorAll("nav a")].find((a) => a.innerText === "Trials"), began = performance.now();
    link.click();
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
  }));
  const after = await metrics();
  // A key held down: a move in each frame, of the whole chart and zoomed in. Drawing ends before the next frame begins.
  await opened.evaluate(() => { location.hash = "view=overview"; });
  await opened.waitForSelector(".u-over");
  const frames = (zooms) => opened.evaluate((zooms) => new Promise((done) => {
    const chart = document.querySelector(".chart"), key = (key) => chart.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    let count = 0, start = 0;
    const step = () => {
      if (count === 0) start = performance.now();
      if (count === 60) return done(60000 / (performance.now() - start));
      key(count++ % 30 < 15 ? "ArrowRight" : "ArrowLeft");
      requestAnimationFrame(step);
    };
    for (let i = 0; i < zooms; ++i) key("+");
    requestAnimationFrame(() => requestAnimationFrame(step));
  }), zooms);
  const whole = await frames(1), zoomed = await frames(4);
  await browser.close();
  return { "chart there after": shown, "CPU until then": before.TaskDuration, "of that, script": before.ScriptDuration, "next view after the first click": click, "CPU of that": after.TaskDuration - before.TaskDuration, "script of that": after.ScriptDuration - before.ScriptDuration, "frames a second, moving": whole, "frames a second, zoomed in": zoomed };
}

const found = new Map(pages.map((page) => [page, []]));
for (let i = 0; i < Number(times); ++i) for (const page of pages) found.get(page).push(await once(page));
for (const [page, list] of found) {
  console.log(`${page}: median of ${list.length} (least, most), ms and frames a second`);
  for (const name of Object.keys(list[0])) {
    const sorted = list.map((one) => one[name]).sort((a, b) => a - b);
    console.log(`  ${name}: ${sorted[sorted.length >> 1].toFixed(1)} (${sorted[0].toFixed(1)}, ${sorted.at(-1).toFixed(1)})`);
  }
}
