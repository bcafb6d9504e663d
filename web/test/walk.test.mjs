// Every view and every chart of the page, table by table, list by list, tip by tip, against --json. What there is to
// look at comes from the page: what has no entry in walk/ fails.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { browser, filled, invented, json, page, settled, tab } from "./browser.mjs";
import { charts } from "./walk/charts.mjs";
import { Facts } from "./walk/facts.mjs";
import { lists, notes } from "./walk/lists.mjs";
import { numbersIn, sameCell, sameNumbers, sameRows } from "./walk/numbers.mjs";
import { panel, tables } from "./walk/tables.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(() => chrome.close());

/** All that a view shows: tables, lists, charts, and what stands beside them in each section. */
const seen = (opened) => opened.evaluate(() => {
  const main = document.querySelector("main"), whole = (element) => element.innerText.trim();
  const title = (element) => element.closest("section")?.querySelector("h2")?.innerText ?? "";
  const tables = [...main.querySelectorAll("table:not(.source)")].map((table) => ({ name: table.id || table.caption.innerText, rows: [...table.tBodies[0].rows].map((row) => [...row.cells].filter((cell) => !(table.id === "pairs" || table.id === "funnel") || cell.localName === "td").map(whole)) }));
  const lists = [...main.querySelectorAll("ul:not(.legend):not(li ul):not(.answer ul), ol:not(li ol), dl, article.card .answer, #headline .headline, #headline .bar-row, details > summary")].map((list) => ({ name: list.id || list.closest("article, details")?.id || `${title(list)}: ${list.className || list.localName}`, items: list.matches("ul, ol") ? [...list.children].map(whole) : [whole(list)] }));
  const charts = [...main.querySelectorAll(".chart, svg, #forest, canvas:not(.chart canvas)")].map((chart) => chart.getAttribute("aria-label") ?? chart.querySelector("canvas")?.getAttribute("aria-label") ?? chart.id ?? chart.className);
  const notes = [...main.querySelectorAll("section")].map((section) => {
    const rest = section.cloneNode(true);
    for (const known of rest.querySelectorAll("table, details, .chart, svg, ul, ol, dl, pre, select, .headline, .bar-row, article.card, #parallel-tip, code")) known.remove();
    const walker = document.createTreeWalker(rest, NodeFilter.SHOW_TEXT), words = [];
    while (walker.nextNode()) words.push(walker.currentNode.data);
    // Texts of neighbours do not run together, those of one sentence do.
    return { name: rest.querySelector("h2")?.textContent ?? section.id, text: words.join(" ") };
  });
  return { tables, lists, charts, notes };
});

/** Entries that were compared with something. */
const met = new Set();
const entryOf = (known, name) => Object.keys(known ?? {}).filter((key) => name === key || name.startsWith(key)).sort((a, b) => b.length - a.length)[0];

/** The view as it is. Tells of all that is wrong in a view, not of the first. */
async function look(opened, f, view, where) {
  await opened.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
  await filled(opened);
  await settled(opened);
  const found = await seen(opened), wrong = [];
  const compare = async (act) => { try { await act(); } catch (error) { wrong.push(error.message); } };
  const entry = (kind, known, name, what) => {
    const key = entryOf(known[view], name);
    assert.ok(key, `${where}: ${what} "${name}" is compared with nothing: it needs an entry in web/test/walk/${kind}.mjs`);
    met.add(`${kind} ${view} ${key}`);
    return known[view][key];
  };
  for (const { name, rows } of found.tables) await compare(() => sameRows(rows, entry("tables", tables, name, "the table")(f), `${where}: ${name}`));
  for (const { name, items } of found.lists) await compare(() => {
    if (!entryOf(lists[view], name) && items.every((text) => numbersIn(text).length === 0)) return;
    const wanted = entry("lists", lists, name, "the list")(f);
    if (typeof wanted === "function") return items.forEach((item) => wanted(item, `${where}: ${name}`));
    assert.equal(items.length, wanted.length, `${where}: ${name}: ${items.join(" | ")}`);
    items.forEach((item, i) => sameCell(item, wanted[i], `${where}: ${name}, ${i}`));
  });
  for (const { name, text } of found.notes) await compare(() => sameCell(text.replace("95 % interval", "interval"), notes[view]?.[entryOf(notes[view], name)]?.(f) ?? [], `${where}: beside "${name}"`));
  const names = new Set(found.charts);
  for (const name of names) await compare(() => entry("charts", charts, name, "the chart")(opened, f, `${where}: ${name}`));
  assert.equal(wrong.length, 0, `\n${wrong.join("\n")}`);
}

/** All views of a page, each as its links lead to it. */
async function walk(name, folders, { hash = "", change } = {}) {
  const document = json("report", ...folders);
  let file;
  if (change) {
    // What no run that is invented has comes into the document by hand.
    document.runs.forEach(change);
    file = join(process.env.EVO_WEB_SCRATCH, `${name}.html`);
    writeFileSync(file, readFileSync(new URL("../../report/page.html", import.meta.url), "utf8").replace("EVO_REPORT_DATA", () => JSON.stringify(document).replaceAll("<", "\\u003c")));
  } else file = page(name, ...folders);
  const facts = document.runs.map((run) => new Facts(run));
  const { tab: opened, trouble, close } = await tab(chrome, file, hash), wrong = [];
  const links = await opened.$$eval("nav a", (list) => list.map((a) => new URLSearchParams(a.hash.slice(1)).get("view") ?? "overview"));
  assert.ok(links.length >= 12, links.join());
  for (const view of links) {
    await opened.evaluate(([next, tail]) => (location.hash = `view=${next}&tree=1&${tail}`), [view, hash]);
    await opened.waitForSelector(`.view-${view}`);
    const facts_ = view === "compare" ? Object.assign(Object.create(facts[0]), { all: facts }) : facts[0];
    try { await look(opened, facts_, view, `${name}, ${view}`); } catch (error) { wrong.push(error.message); }
  }
  assert.equal(wrong.length, 0, wrong.join("\n"));
  assert.deepEqual(trouble, []);
  await close();
}

test("a measured run with all that a run can have: each number of each view is that of --json", async () => {
  await walk("all", [invented("all", "trials=300", "population=30", "models", "bandit", "checks", "screened", "farm", "ptx", "profiles")]);
});

test("a run with patterns of failures", async () => {
  await walk("walk-patterns", [invented("walk-patterns", "trials=60", "population=20", "seed=3")], { change: (run) => {
    const template = run.champion.template, [gene] = Object.keys(run.columns.space[template]), value = run.columns.space[template][gene][0];
    run.insights.failures = [9, 4].map((count, i) => ({ id: `g2-f${i + 1}`, template, when: { [gene]: value }, status: "sanitizer_failed", reason: i ? "out_of_bounds" : "race_shared", count, of: 10 + i, rate_at_least: 0.5 }));
  } });
});

test("a modelled run", async () => {
  await walk("walk-modelled", [invented("walk-modelled", "trials=80", "population=20", "modelled")]);
});

test("several runs", async () => {
  await walk("walk-both", [invented("measured", "trials=400"), invented("drawn", "trials=300", "strategy=random", "seed=11")]);
});

test("what the walk knows is there: an entry that nothing uses compares nothing", () => {
  const all = Object.entries({ tables, lists, charts }).flatMap(([kind, known]) => Object.keys(known).flatMap((view) => Object.keys(known[view]).map((key) => `${kind} ${view} ${key}`)));
  assert.deepEqual(all.filter((one) => !met.has(one)), [], "no page has these");
});

test("what opens of a trial has its numbers", async () => {
  const folder = invented("all", "trials=300", "population=30", "models", "bandit", "checks", "screened", "farm", "ptx", "profiles"), f = new Facts(json("report", folder).runs[0]);
  const { tab: opened, trouble, close } = await tab(chrome, page("all", folder));
  const kinds = [f.champion, f.baseline, f.rows.find((row) => f.isFailed(row)), f.rows.find((row) => f.isDuplicate(row)), f.rows.find((row) => f.status(row) === "tie"), f.path(f.champion).at(-2)];
  for (const row of kinds) {
    await opened.evaluate((trial) => (location.hash = `view=trials&trial=${trial}`), f.c.index[row]);
    await opened.waitForFunction((trial) => document.querySelector("#panel h2")?.innerText.match(/\d+/)?.[0] === String(trial), f.c.index[row]);
    const facts = Object.fromEntries(await opened.$$eval("#panel dt", (list) => list.map((dt) => [dt.innerText, dt.nextElementSibling.innerText.trim()]))), wanted = panel.facts(f, row);
    for (const [name, text] of Object.entries(facts)) {
      const key = entryOf(wanted, name);
      assert.ok(key, `"${name}" of a trial is compared with nothing`);
      sameCell(text, wanted[key], `trial ${row}: ${name}`);
    }
    const genes = await opened.$$eval("#panel table tbody tr", (list) => list.map((tr) => [...tr.cells].map((cell) => cell.innerText.trim())));
    sameRows(genes, panel.genes(f, row), `trial ${row}: genes`);
  }
  assert.deepEqual(trouble, []);
  await close();
});

test("report, lineage, insights and run --json say the same of a run", () => {
  const folder = invented("all", "trials=300", "population=30", "models", "bandit", "checks", "screened", "farm", "ptx", "profiles"), f = new Facts(json("report", folder).runs[0]), { variants } = json("lineage", folder), last = json("insights", folder).generations.at(-1);
  assert.equal(variants.length, f.data.trials);
  variants.forEach((v, row) => {
    assert.deepEqual([v.id, v.template, v.operator, v.status, v.gate ?? "", v.reason ?? "", v.latency_us], [f.c.variant[row], f.word("template", row), f.word("operator", row), f.status(row), f.word("gate", row), f.word("reason", row), f.latency(row)]);
    assert.deepEqual(Object.fromEntries(f.genes(row)), v.genes);
  });
  assert.deepEqual(last.effects, f.data.insights.effects);
  assert.deepEqual(last.failures, f.data.insights.failures);
});
