// Source and PTX against an ancestor, counters, and what was tried of the champion: the numbers of --json.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { browser, cells, invented, json, page, settled, tab, unfold } from "./browser.mjs";

let chrome, folder, file, data;
before(async () => {
  chrome = await browser();
  folder = invented("code", "trials=150", "population=30", "checks", "ptx");
  file = page("code", folder);
  data = json("report", folder).runs[0];
});
after(() => chrome.close());

const textOf = (texts, trial) => texts.of.find((entry) => entry.trial === trial).source.flatMap(([first, count]) => texts.lines.slice(first, first + count));

test("PTX stands side by side, and the numbers of registers are no difference", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=source");
  await opened.click('button:text-is("PTX")');
  await opened.waitForSelector("#source");
  assert.match(await opened.evaluate(() => location.hash), /code=ptx/);
  // What invent_run writes differs in one constant, in registers' numbers, and in the kernel's parameters not at all.
  const champion = data.champion_trial, parent = data.path.at(-2).trial;
  assert.match(await opened.innerText("#source thead"), new RegExp(`trial ${parent} .*trial ${champion} `, "s"));
  assert.match(await opened.innerText("#changed"), /^1 line differs/);
  const constant = textOf(data.ptx, champion).filter((line) => /mov\.u32/.test(line))[29].trim().replace(/\s+/g, " ");
  assert.equal((await opened.innerText("#source td.added")).trim().replace(/\s+/g, " "), constant);
  assert.equal(await opened.$eval("#source td.added", (cell) => cell.previousElementSibling.title), `${data.champion.template}.cu:30`, "the source line that .loc gives it");
  // Any ancestor, not the parent only.
  await opened.click('button:text-is("2 back")');
  assert.match(await opened.innerText("#source thead"), new RegExp(`trial ${data.path.at(-3).trial} `));
  assert.deepEqual(trouble, []);
  await close();
});

test("findings stand at the instruction of their line", async () => {
  const failed = data.ptx.of.map((entry) => entry.trial).find((trial) => data.evidence.some((entry) => entry.trial === trial));
  const finding = data.evidence.find((entry) => entry.trial === failed).items[0];
  const { tab: opened, close } = await tab(chrome, file, `view=source&code=ptx&a=-1&b=${failed}`);
  assert.ok((await opened.innerText("#source tr.finding")).includes(finding.message));
  assert.equal(await opened.$eval("#source tr.finding", (row) => row.previousElementSibling.querySelector(".ln").title), `${finding.file}:${finding.line}`);
  await close();
});

test("a page without PTX says how to have it", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, page("no-ptx", invented("no-ptx", "trials=30", "population=10", "seed=3")), "view=source&code=ptx");
  assert.match(await opened.innerText("#no-code"), /evo replay/);
  assert.deepEqual(trouble, []);
  await close();
});

test("counters are those of --json, and say that nothing was measured", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=counters");
  const workload = data.counters.of[0].workload, entries = data.counters.of.filter((entry) => entry.workload === workload);
  assert.match(await opened.innerText(".view-counters section"), /MODELLED[\s\S]*No profiler/);
  const heads = await opened.$$eval("#counts thead th", (list) => list.map((head) => head.innerText.trim())), rows = await cells(opened, "#counts");
  assert.equal(heads.length - 1, entries.length);
  const barriers = rows.find((row) => row[0] === "barriers");
  heads.slice(1).forEach((head, i) => {
    const entry = entries.find((each) => head.endsWith(`trial ${each.trial}`));
    assert.equal(barriers[i + 1].split("\n")[0].trim(), entry.counts.barriers.toLocaleString("en"), head);
  });
  const parts = await cells(opened, "#parts"), champion = entries.find((entry) => entry.trial === data.champion_trial);
  // A variant whose block fits on no SM has no modelled latency, and no column among the parts.
  const column = async (table) => (await opened.$$eval(`${table} thead th`, (list) => list.map((head) => head.innerText))).findIndex((head) => head.endsWith(`trial ${data.champion_trial}`));
  const at = await column("#parts");
  const bound = parts.find((row) => row[at].includes("the bound"));
  assert.ok(bound[0].startsWith(champion.model.bottleneck.replace("_", " ")) && bound[at].startsWith(`${champion.model.parts_us[champion.model.bottleneck].toFixed(3)} µs`), bound.join());
  const occupancy = await cells(opened, "#occupancy");
  assert.ok(occupancy.find((row) => row[0] === "warps an SM holds")[await column("#occupancy")].startsWith(String(champion.occupancy.warps_per_sm)));
  await opened.selectOption('select[aria-label="workload"]', data.counters.of.find((entry) => entry.workload !== workload).workload);
  assert.match(await opened.evaluate(() => location.hash), /workload=/);
  assert.deepEqual(trouble, []);
  await close();
});

test("measured counters are those of --json, and stand apart from modelled ones", async () => {
  const profiled = invented("profiled", "trials=150", "population=30", "ptx", "profiles"), stored = json("report", profiled).runs[0].profiles;
  assert.ok(stored.length >= 4 && stored.every((entry) => entry.basis === "measured"), "a champion and a baseline, two workloads each");
  const champion = json("report", profiled).runs[0].champion_trial, { tab: opened, trouble, close } = await tab(chrome, page("profiled", profiled), "view=counters");
  for (const workload of [...new Set(stored.map((entry) => entry.workload))]) {
    await opened.selectOption('select[aria-label="workload"]', workload);
    await settled(opened);
    const entries = stored.filter((entry) => entry.workload === workload), rows = await cells(opened, "#profile-measured");
    const heads = await opened.$$eval("#profile-measured thead th", (list) => list.slice(1).map((head) => head.innerText));
    assert.equal(heads.length, entries.length);
    assert.deepEqual(rows.map((row) => row[0]), Object.keys(entries[0].counters).map((name) => name.replaceAll("_", " ")));
    entries.forEach((entry, i) => {
      assert.ok(heads[i].includes(`trial ${entry.trial}`) && heads[i].startsWith("champion") === (entry.trial === champion), heads[i]);
      Object.values(entry.counters).forEach((value, line) => {
        const shown = Number(rows[line][i + 1].replaceAll(",", ""));
        assert.ok(Math.abs(shown - value) <= 1e-3 * Math.abs(value), `${rows[line][0]}: ${shown} for ${value}`);
      });
    });
    const text = await opened.innerText(".view-counters section");
    assert.match(text, /MEASURED/);
    assert.ok(!text.includes("MODELLED"), "the section of measured ones has nothing modelled");
    for (const entry of entries) assert.ok(text.includes(entry.limit), entry.limit);
  }
  assert.equal(await opened.locator("#profile-modelled").count(), 0);
  assert.match(await opened.locator(".view-counters section").nth(1).innerText(), /MODELLED/);
  assert.deepEqual(trouble, []);
  await close();
  const hostile = await tab(chrome, page("hostile-profiled", invented("hostile-profiled", "trials=60", "hostile", "profiles")), "view=counters");
  await hostile.tab.waitForSelector("#profile-measured");
  assert.equal(await hostile.tab.evaluate(() => globalThis.pwned), undefined);
  assert.deepEqual(hostile.trouble, []);
  await hostile.close();
});

test("what was tried of the champion has its status and its evidence", async () => {
  const { tab: opened, close } = await tab(chrome, file, "view=insights");
  const rows = await cells(opened, "#checks");
  assert.equal(rows.length, data.insight_checks.length);
  data.insight_checks.forEach((check, i) => {
    assert.ok(rows[i][4].startsWith(check.status), rows[i][4]);
    assert.ok(rows[i][2].includes(check.ratio.toFixed(3)) && rows[i][2].includes(check.interval[0].toFixed(4)), rows[i][2]);
    assert.ok(rows[i][0].startsWith(Object.keys(check.from)[0]));
  });
  await opened.evaluate(() => (location.hash = "view=overview"));
  await opened.waitForSelector("#verdict");
  assert.match(await opened.innerText("#verdict summary"), new RegExp(`promoted, ${data.final_verdict.speedup.toFixed(data.final_verdict.speedup < 10 ? 3 : 2)}×`));
  await close();
});

test("filters hold for tables and charts that count", async () => {
  const template = data.columns.template.values.find((name) => name !== data.champion.template), word = data.columns.template.values.indexOf(template);
  const rows = data.columns.template.of.flatMap((of, row) => (of === word ? [row] : []));
  const { tab: opened, close } = await tab(chrome, file, `view=failures&template=${template}`);
  const failed = rows.filter((row) => data.columns.gate.values[data.columns.gate.of[row]] !== "");
  const counts = await cells(opened, "#reasons");
  assert.equal(counts.reduce((sum, row) => sum + Number(row[3]), 0), failed.length);
  await opened.evaluate((name) => (location.hash = `view=cost&template=${name}`), template);
  await opened.waitForSelector("#gate-times");
  const legality = (await cells(opened, "#gate-times")).find((row) => row[0] === "legality");
  assert.equal(Number(legality[1]), rows.filter((row) => data.columns.gate_ms.legality[row] !== null).length);
  await unfold(opened, ".view-cost section:has(h2:text-is('Workers over time')) summary"); // hidden cells have no text
  const ended = (await cells(opened, "#work")).reduce((sum, row) => sum + Number(row[2]), 0);
  assert.equal(ended, rows.length);
  await close();
});

test("the selected trial is marked in every view that has it", async () => {
  const { tab: opened, close } = await tab(chrome, file, `view=trials&trial=5`);
  assert.match(await opened.innerText("#trials tr.selected"), /^trial 5\b/);
  await opened.click("#trials a.trial >> nth=8");
  assert.match(await opened.innerText("#trials tr.selected"), /^trial 8\b/);
  await opened.evaluate((trial) => (location.hash = `view=lineage&trial=${trial}`), data.champion_trial);
  await opened.waitForSelector("svg.roofline circle.selected");
  await opened.evaluate((trial) => (location.hash = `view=workloads&trial=${trial}`), data.champion_trial);
  await opened.waitForSelector("#workloads tr.selected");
  await close();
});

test("the tree is coloured by latency, too", async () => {
  const { tab: opened, trouble, close } = await tab(chrome, file, "view=lineage&tree=1&color=latency");
  await settled(opened);
  const colours = await opened.$eval(".tree canvas", (canvas) => {
    const { data: bytes } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), seen = new Set();
    for (let i = 0; i < bytes.length; i += 4) if (bytes[i + 3] === 255) seen.add((bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2]);
    return seen.size;
  });
  assert.ok(colours > 6, `${colours} colours`);
  assert.match(await opened.innerText(".view-lineage .legend >> nth=-1"), /fastest[\s\S]*slowest/);
  assert.deepEqual(trouble, []);
  await close();
});

test("axe finds nothing on code, counters and checks, wide and narrow", async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const profiled = page("profiled", invented("profiled", "trials=150", "population=30", "ptx", "profiles"));
  for (const [scheme, width, path] of [["light", 1280, file], ["dark", 390, file], ["light", 390, profiled], ["dark", 1280, profiled]]) {
    const context = await chrome.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, bypassCSP: true }), opened = await context.newPage();
    await opened.goto(`file://${path}`);
    await opened.evaluate(axe);
    for (const hash of ["view=source&code=ptx", "view=counters&trial=3", "view=insights", "view=overview"]) {
      await opened.evaluate((next) => (location.hash = next), hash);
      await settled(opened);
      const { violations } = await opened.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
      assert.deepEqual(violations.map((v) => `${hash} ${scheme}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`), []);
      assert.ok(await opened.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${hash} ${width}`);
    }
    await context.close();
  }
});

test("edits of the text are told as such: on the path, in the tables, in the filter", async () => {
  // No run that is invented edits its text: two edits come into the document by hand.
  const template = data.champion.template, unroll = "loop_unroll f/1#aa pragma unroll 4", remove = "barrier_delete f/2#bb delete";
  const edited = structuredClone(data), c = edited.columns, at = c.template.values.indexOf(template), path = edited.path.map((step) => step.trial);
  c.space[template]["~00"] = [unroll, remove];
  const rows = c.template.of.flatMap((of, row) => (of === at ? [row] : []));
  const with_ = (row) => (c.index[row] === path.at(-1) ? 1 : c.index[row] === path.at(-2) ? 0 : row % 5 === 0 ? 0 : -1);
  for (const row of rows) c.genomes[row].push(with_(row));
  const target = file.replace(".html", "-edited.html");
  const shell = readFileSync(new URL("../../report/page.html", import.meta.url), "utf8");
  writeFileSync(target, shell.replace("EVO_REPORT_DATA", () => JSON.stringify({ ...json("report", folder), runs: [edited] }).replaceAll("<", "\\u003c")));
  const { tab: opened, trouble, close } = await tab(chrome, target, "view=lineage");
  const last = (await opened.$$eval("#path .edge .changes", (list) => list.map((changes) => changes.innerText))).at(-1).split("\n");
  assert.ok(last.includes(`+${remove}`) && last.includes(`-${unroll}`), last.join(" | "));
  await opened.evaluate(() => (location.hash = "view=genes"));
  await opened.waitForSelector("#edits");
  const counted = (edit) => rows.filter((row) => with_(row) === c.space[template]["~00"].indexOf(edit) && c.status.values[c.status.of[row]] !== "no_op").length;
  for (const row of await cells(opened, "#edits")) assert.equal(Number(row[1]), counted(row[0].startsWith(unroll) ? unroll : remove), row[0]);
  assert.ok(!(await opened.innerText(".view-genes select >> nth=0")).includes("~00"), "an edit is no gene");
  await opened.click("#edits tbody a >> nth=0");
  await opened.waitForSelector("#trials");
  assert.equal(Number(/^(\d+) of/.exec(await opened.innerText("#left"))[1]), rows.filter((row) => with_(row) === 1).length, "the champion's edit comes first");
  assert.deepEqual(trouble, []);
  await close();
});
