// A browser without a network, invented runs, and evo's own JSON beside them.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const scratch = process.env.EVO_WEB_SCRATCH, evo = process.env.EVO_BINARY;

// The artifact cache: PTX that invent_run puts there, and no other.
process.env.XDG_CACHE_HOME = join(scratch, "cache");

export const run = (...words) => execFileSync(evo, words, { encoding: "utf8", maxBuffer: 1 << 29, stdio: ["ignore", "pipe", "pipe"] });
export const json = (...words) => JSON.parse(run(...words, "--json"));

/** The folder of an invented run, made once. */
export function invented(name, ...words) {
  const folder = join(scratch, name);
  if (!existsSync(folder)) execFileSync(process.env.EVO_INVENT, [folder, ...words], { stdio: ["ignore", "ignore", "inherit"] });
  return folder;
}

/** The page of some runs. */
export function page(name, ...folders) {
  const file = join(scratch, `${name}.html`);
  if (!existsSync(file)) {
    run("report", ...folders, "-o", file, "-q");
    // Who works on the page need not build evo for each look: its data in another page, such as report/page.html.
    const other = process.env.EVO_WEB_PAGE;
    if (other) writeFileSync(file, readFileSync(other, "utf8").replace("EVO_REPORT_DATA", () => /id="data">([\s\S]*?)<\/script>/.exec(readFileSync(file, "utf8"))[1]));
  }
  return file;
}

export async function browser() {
  return chromium.launch({ executablePath: process.env.EVO_CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

/** A tab that shows `file`; `trouble` collects requests, errors and what the policy refused. */
export async function tab(from, file, hash = "", { width = 1280, height = 900, scheme = "light" } = {}) {
  const context = await from.newContext({ viewport: { width, height }, colorScheme: scheme, offline: true });
  const opened = await context.newPage(), trouble = [];
  opened.on("request", (request) => { if (request.url() !== `file://${file}${hash ? `#${hash}` : ""}` && request.url().split("#")[0] !== `file://${file}`) trouble.push(`request: ${request.url().slice(0, 200)}`); });
  opened.on("pageerror", (error) => trouble.push(`error: ${error}`));
  opened.on("console", (message) => { if (["error", "warning"].includes(message.type())) trouble.push(`console: ${message.text()}`); });
  opened.on("dialog", (dialog) => { trouble.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  await opened.goto(`file://${file}${hash ? `#${hash}` : ""}`);
  await opened.waitForSelector("main .view");
  return { tab: opened, trouble, close: () => context.close() };
}

export const views = ["overview", "lineage", "genes", "insights", "failures", "source", "counters", "operators", "workloads", "cost", "trials", "run"];
export const settled = (opened) => opened.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
/** Opens a table that the page makes when it is opened (the event of it comes later than the click), and waits until it is there. */
export async function unfold(opened, summary) {
  await opened.click(summary);
  await filled(opened);
}
/** Waits until each table that is open has been made. */
export const filled = (opened) => opened.waitForFunction(() => [...document.querySelectorAll("details.as-table[open]")].every((details) => details.children.length > 1));
export const cells = (opened, selector) => opened.$$eval(`${selector} tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
