// Builds the page into the file that is given: one HTML file with style and script inside, each allowed by its hash only.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) throw new Error("usage: node build.mjs FILE");

/** uPlot asks Intl for its way with numbers and dates as it is loaded, which takes a tenth of a second where the page is
 * to be there within one. The page's charts write numbers themselves and have no axis of dates. */
const withoutIntl = {
  name: "without-intl",
  setup(building) {
    building.onLoad({ filter: /uPlot\.esm\.js$/ }, ({ path }) => {
      let text = readFileSync(path, "utf8");
      for (const [from, to] of [
        [/const numFormatter = new Intl\.NumberFormat\([^;]*\);/, "const numFormatter = { format: String };"],
        [/const localTz = new Intl\.DateTimeFormat\(\)\.resolvedOptions\(\)\.timeZone;/, 'const localTz = "UTC";'],
      ]) {
        if (!from.test(text)) throw new Error(`uPlot has changed: ${from} is not in it`);
        text = text.replace(from, to);
      }
      return { contents: text, loader: "js" };
    });
  },
};

const result = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
  outdir: "/",
  write: false,
  plugins: [withoutIntl],
});
const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
const script = text(".js"), style = text(".css");
if (/<\/(script|style)/i.test(script + style)) throw new Error("the bundle would end its element");
const hash = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;

const licences = ["uplot", "prismjs", "diff", "@dagrejs/dagre", "@dagrejs/graphlib"].map((name) => {
  const folder = join(here, "node_modules", name), about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${name} ${about.version} (${about.license})\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}`;
});
const policy = [
  "default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, "img-src data:", "base-uri 'none'", "form-action 'none'",
  "require-trusted-types-for 'script'", "trusted-types 'none'",
].join("; ");

writeFileSync(output, `<!doctype html>
<html lang="en">
<!-- Made by scripts/web from web/; do not edit. It holds, beside evo's own code:

${licences.join("\n\n---\n\n").replaceAll("--", "- -")}
-->
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>evo report</title>
<style>${style}</style>
</head>
<body>
<div id="page"><p>This page needs JavaScript, which is inside it. The same data: evo report RUN --json</p></div>
<script type="application/json" id="data">EVO_REPORT_DATA</script>
<script>${script}</script>
</body>
</html>
`);
