// evo serve: the page follows a run that goes on, shows it to nobody else, and changes nothing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, invented, unfold } from "./browser.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(() => chrome.close());

/** A server, its address, and what ends it. */
async function serving(...words) {
  const child = spawn(process.env.EVO_BINARY, ["serve", ...words, "--port", "0", "-q"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (part) => { text += part; if (text.includes("\n")) done(text.trim()); });
    child.on("exit", (code) => fail(new Error(`evo serve ended with ${code}`)));
  });
  return { address, end: () => new Promise((done) => { child.removeAllListeners("exit"); child.on("exit", done); child.kill("SIGINT"); }) };
}

/** Status and text of a request, with headers that fetch would not send. */
const ask = (address, { method = "GET", headers = {}, path } = {}) => new Promise((done, fail) => {
  const url = new URL(address), asked = request({ host: url.hostname, port: url.port, path: path ?? url.pathname + url.search, method, headers }, (answer) => {
    let text = "";
    answer.on("data", (part) => (text += part)).on("end", () => done({ status: answer.statusCode, text, headers: answer.headers }));
  });
  asked.on("error", fail).end();
});

test("a live run advances on the page, without losing what is selected", async () => {
  const folder = join(process.env.EVO_WEB_SCRATCH, "live");
  const writer = spawn(process.env.EVO_INVENT, [folder, "trials=60", "population=10", "wait=120"], { stdio: "ignore" });
  const ended = new Promise((done) => writer.on("exit", done));
  while (!existsSync(join(folder, "ledger.sqlite"))) await new Promise((done) => setTimeout(done, 50));
  await new Promise((done) => setTimeout(done, 800));
  const { address, end } = await serving(folder), opened = await chrome.newPage(), trouble = [];
  opened.on("pageerror", (error) => trouble.push(String(error)));
  opened.on("console", (message) => { if (message.type() === "error") trouble.push(message.text()); });
  await opened.goto(`${address}#view=trials&show=rf`);
  await opened.waitForSelector("#trials");
  const count = async () => Number(/(\d+) trials?$/.exec(await opened.innerText("#left"))[1]);
  const first = await count();
  assert.match(await opened.innerText("header"), /running/);
  await opened.waitForFunction((before) => Number(/(\d+) trials?$/.exec(document.getElementById("left").innerText)[1]) > before, first, { timeout: 15000 });
  await ended;
  await opened.waitForFunction(() => document.querySelector("header").innerText.includes("finished"), null, { timeout: 15000 });
  assert.equal(await count(), 60);
  assert.match(await opened.evaluate(() => location.hash), /view=trials&show=rf/);
  assert.deepEqual(trouble, []);
  assert.equal(await end(), 0);
  await opened.close();
});

test("what is open and where one has zoomed to stays while the run goes on, and only what is new is sent", async () => {
  const folder = join(process.env.EVO_WEB_SCRATCH, "kept");
  const writer = spawn(process.env.EVO_INVENT, [folder, "trials=400", "population=20", "wait=150", "from=100"], { stdio: "ignore" });
  while (!existsSync(join(folder, "ledger.sqlite"))) await new Promise((done) => setTimeout(done, 50));
  await new Promise((done) => setTimeout(done, 2500));
  const { address, end } = await serving(folder), opened = await chrome.newPage(), asked = [], trouble = [];
  opened.on("request", (request) => asked.push(new URL(request.url()).pathname));
  opened.on("pageerror", (error) => trouble.push(String(error)));
  await opened.goto(address);
  await opened.waitForSelector(".chart[data-x]");
  await unfold(opened, ".view-overview section:has(.chart) .as-table summary");
  await opened.focus(".chart");
  for (const key of ["+", "+"]) { await opened.keyboard.press(key); await opened.waitForTimeout(150); }
  const [zoomed, before] = [await opened.$eval(".chart", (box) => box.dataset.x), await opened.$eval("#left", (left) => left.innerText)];
  await opened.waitForFunction((text) => document.getElementById("left").innerText !== text, before, { timeout: 30000 });
  // Still open: made anew by each change, and filled a moment later.
  await opened.waitForFunction(() => { const details = document.querySelector(".view-overview section:has(.chart) .as-table"); return details.open && details.querySelectorAll("tbody tr").length > 0; });
  assert.equal(await opened.$eval(".chart", (box) => box.dataset.x), zoomed);
  assert.ok(await opened.$eval(".chart", (box) => box === document.activeElement), "keys still move the chart");
  assert.ok(asked.includes("/changes.json") && !asked.includes("/data.json"), asked.join());
  // What was put together from changes is what the server has.
  writer.kill();
  await opened.waitForFunction(() => document.querySelector("header").innerText.includes("stopped"), null, { timeout: 30000 });
  await opened.evaluate(() => (location.hash = "view=trials&sort=-trial"));
  const trials = JSON.parse((await ask(`${address}data.json`)).text).runs[0];
  await opened.waitForFunction((count) => document.getElementById("left").innerText === `all ${count} trials`, trials.trials, { timeout: 30000 });
  assert.ok((await opened.innerText("#trials tbody tr")).includes(trials.columns.variant.at(-1)));
  assert.deepEqual(trouble, []);
  await end();
  await opened.close();
});

test("a large ledger is served before it is read, and comes by itself", async () => {
  const folder = invented("large-served", "trials=9000", "population=500"), started = Date.now(), { address, end } = await serving(folder), up = Date.now() - started;
  assert.ok(statSync(join(folder, "ledger.sqlite")).size > 8 << 20);
  const opened = await chrome.newPage();
  await opened.goto(address);
  const first = await opened.innerText("body");
  await opened.waitForSelector("#headline", { timeout: 60000 });
  assert.match(await opened.innerText("header"), /9,000 trials/);
  console.log(`  9,000 trials: listening after ${up} ms, ${/Reading/.test(first) ? "first told that it reads" : "read at once"}, shown after ${Date.now() - started} ms`);
  await opened.close();
  await end();
});

test("it answers reads of its own name only", async () => {
  const { address, end } = await serving(invented("served", "trials=20"));
  assert.equal((await ask(address)).status, 200);
  assert.equal(JSON.parse((await ask(`${address}data.json`)).text).runs[0].trials, 20);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) assert.equal((await ask(address, { method })).status, 405, method);
  assert.equal((await ask(address, { headers: { host: "evil.example:80" } })).status, 403, "another name that resolves to this machine");
  for (const path of ["/../etc/passwd", "/ledger.sqlite", "/%2e%2e/x", "//"]) assert.equal((await ask(address, { path })).status, 404, path);
  assert.equal((await ask(address)).headers["access-control-allow-origin"], undefined);
  await end();
});

test("with a token nobody is answered without it", async () => {
  const { address, end } = await serving(invented("served", "trials=20"), "--token", "s3cret");
  assert.ok(address.endsWith("?token=s3cret"));
  assert.equal((await ask(address)).status, 200);
  const plain = address.split("?")[0];
  for (const path of ["/", "/data.json", "/events", "/?token=", "/?token=s3cre", "/?token=s3crets", "/?xtoken=s3cret", "/data.json?a=1"]) assert.equal((await ask(plain, { path })).status, 403, path);
  const opened = await chrome.newPage();
  await opened.goto(address);
  await opened.waitForFunction(() => document.querySelector("footer").innerText.startsWith("Live"));
  await opened.close();
  await end();
});

test("an address of the network always has a token", async () => {
  const { address, end } = await serving(invented("served", "trials=20"), "--host", "0.0.0.0");
  const token = /token=([0-9a-f]{32})$/.exec(address);
  assert.ok(token, address);
  const local = address.replace("0.0.0.0", "127.0.0.1");
  assert.equal((await ask(local)).status, 200);
  assert.equal((await ask(local.split("?")[0])).status, 403);
  await end();
});

test("fifty people look on", async () => {
  const folder = join(process.env.EVO_WEB_SCRATCH, "crowd");
  const writer = spawn(process.env.EVO_INVENT, [folder, "trials=400", "population=10", "wait=100"], { stdio: "ignore" });
  while (!existsSync(join(folder, "ledger.sqlite"))) await new Promise((done) => setTimeout(done, 50));
  await new Promise((done) => setTimeout(done, 500));
  const { address, end } = await serving(folder), seen = [];
  for (let i = 0; i < 50; ++i) {
    seen.push(new Promise((done, fail) => {
      const url = new URL(address), asked = request({ host: url.hostname, port: url.port, path: "/events" }, (answer) => {
        let text = "";
        answer.on("data", (part) => { text += part; if ((text.match(/^data: /gm) ?? []).length >= 3) { asked.destroy(); done(true); } });
      });
      asked.on("error", (error) => (asked.destroyed ? null : fail(error))).end();
    }));
  }
  assert.equal((await Promise.all(seen)).length, 50);
  await end();
  writer.kill();
});

test("a run that is killed is shown as it stood, and said to be stopped", async () => {
  const folder = join(process.env.EVO_WEB_SCRATCH, "killed");
  const writer = spawn(process.env.EVO_INVENT, [folder, "trials=2000", "population=10", "wait=60"], { stdio: "ignore" }), ended = new Promise((done) => writer.on("exit", done));
  while (!existsSync(join(folder, "ledger.sqlite"))) await new Promise((done) => setTimeout(done, 50));
  await new Promise((done) => setTimeout(done, 1500));
  const { address, end } = await serving(folder), opened = await chrome.newPage(), trouble = [];
  opened.on("pageerror", (error) => trouble.push(String(error)));
  await opened.goto(address);
  await opened.waitForSelector("#headline");
  assert.match(await opened.innerText("header"), /running/);
  writer.kill("SIGKILL");
  await ended;
  await opened.waitForFunction(() => document.querySelector("header").innerText.includes("stopped") && document.body.innerText.includes("evo resume"), null, { timeout: 20000 });
  const data = JSON.parse((await ask(`${address}data.json`)).text).runs[0];
  assert.equal(data.state, "stopped");
  assert.ok(data.trials > 0 && data.columns.count === data.trials);
  assert.deepEqual(data.notices.filter((notice) => /damaged|missing/.test(notice)), [], "what it left half done is no damage");
  assert.deepEqual(trouble, []);
  await opened.close();
  await end();
});
