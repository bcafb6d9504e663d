// The pictures of the documentation: every view, light and dark, wide, and some as on a phone.
//   node web/pictures.mjs FOLDER PAGE VIEW...    PAGE: what evo report wrote, the page or a card;
//                                                VIEW: "view", "view=more of the address", "name:view=..." for another name;
//                                                with "@Words" behind it the section alone whose title begins with these
// PNG with a palette of 256 colours: a third of what the browser writes.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { chromium } from "playwright-core";

const [folder, page, ...views] = process.argv.slice(2);
if (!folder || !page || views.length === 0) throw new Error("usage: node pictures.mjs FOLDER PAGE VIEW...");

/** In the browser: the picture's colours as numbers of at most 256, the most frequent ones. */
async function palette(address) {
  const picture = await createImageBitmap(await (await fetch(address)).blob()), canvas = new OffscreenCanvas(picture.width, picture.height), context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height), counts = new Map();
  const key = (i) => ((data[i] >> 2) << 12) | ((data[i + 1] >> 2) << 6) | (data[i + 2] >> 2);
  for (let i = 0; i < data.length; i += 4) {
    const entry = counts.get(key(i)) ?? [0, 0, 0, 0];
    entry[0]++; entry[1] += data[i]; entry[2] += data[i + 1]; entry[3] += data[i + 2];
    counts.set(key(i), entry);
  }
  // A small mark in a colour of its own counts for more than the many greys at the edges of letters.
  const weight = ([count, r, g, b]) => count * (1 + 60 * ((Math.max(r, g, b) - Math.min(r, g, b)) / count / 255) ** 2);
  const colours = [...counts.values()].sort((a, b) => weight(b) - weight(a)).slice(0, 256).map(([count, r, g, b]) => [Math.round(r / count), Math.round(g / count), Math.round(b / count)]);
  const nearest = new Map(), pixels = new Uint8Array(data.length / 4);
  for (let i = 0; i < data.length; i += 4) {
    const wanted = key(i);
    if (!nearest.has(wanted)) {
      let best = 0, distance = Infinity;
      colours.forEach(([r, g, b], at) => { const d = (r - data[i]) ** 2 + (g - data[i + 1]) ** 2 + (b - data[i + 2]) ** 2; if (d < distance) { distance = d; best = at; } });
      nearest.set(wanted, best);
    }
    pixels[i / 4] = nearest.get(wanted);
  }
  let text = "";
  for (let i = 0; i < pixels.length; i += 8192) text += String.fromCharCode(...pixels.subarray(i, i + 8192));
  return { width: picture.width, height: picture.height, colours, pixels: btoa(text) };
}

function png({ width, height, colours, pixels }) {
  const raw = Buffer.from(pixels, "base64"), rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; ++y) raw.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data]), out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("PLTE", Buffer.from(colours.flat())), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

const browser = await chromium.launch({ executablePath: process.env.EVO_CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const desk = await (await browser.newContext()).newPage();
for (const [name, scheme, width, most] of [["", "light", 1280, 1100], ["-dark", "dark", 1280, 1100], ["-phone", "light", 390, 844], ["-phone-dark", "dark", 390, 844]]) {
  const context = await browser.newContext({ viewport: { width, height: 400 }, colorScheme: scheme, offline: true }), opened = await context.newPage();
  for (const view of views) {
    const [address, section] = view.split("@"), [label, ...more] = address.split("="), [title, real] = label.includes(":") ? label.split(":") : [label, label];
    const card = page.endsWith(".svg");
    if (name.startsWith("-phone") && !["overview", "ptx"].includes(title)) continue;
    await opened.goto("about:blank");
    await opened.goto(`file://${resolve(page)}${card ? "" : `#view=${real}${more.length > 0 ? `&${more.join("=")}` : ""}`}`);
    if (!card) await opened.waitForSelector("main .view");
    await opened.waitForTimeout(300);
    // No taller than what there is to see.
    const height = card ? 675 : Math.min(most, await opened.evaluate(() => document.querySelector("footer").getBoundingClientRect().top + scrollY));
    await opened.setViewportSize({ width: card ? 1200 : width, height: Math.ceil(height) });
    await opened.waitForTimeout(300);
    const shown = section ? opened.locator(`section:has(> h2:text("${section}"))`).first() : opened;
    const shot = `data:image/png;base64,${(await shown.screenshot()).toString("base64")}`;
    writeFileSync(join(folder, `report-${title}${name}.png`), png(await desk.evaluate(palette, shot)));
    await opened.setViewportSize({ width, height: 400 });
  }
  await context.close();
}
await browser.close();
