// Sources and PTX as lines that can be laid side by side.
import Prism from "prismjs/components/prism-core";
import { diffArrays } from "diff";
import { h } from "./dom";
import type { Evidence } from "./document";
import type { Run } from "./run";

export interface Line {
  number: number; // in the text, from 1
  file: string; // the place in the candidate's own files; "" where there is none
  fileLine: number;
}

export interface Code {
  where: Line[];
  nodes: Node[][];
  keys: string[]; // lines with the same key are no difference
}

const cuda = (): Prism.Grammar => Prism.languages.extend("cpp", {
  "cuda": /\b(?:__global__|__device__|__shared__|__constant__|__restrict__|__launch_bounds__|__syncthreads|__syncwarp|threadIdx|blockIdx|blockDim|gridDim|half2?|uint32_t|uint4|float[24])\b/,
});
const ptx: Prism.Grammar = {
  "comment": /\/\/.*/, "string": /"[^"]*"/, "macro": /^\s*\.\w+/m, "keyword": /(?<=^\s*(?:@!?%p\d+\s+)?\{?\s*)[a-z]\w*(?:\.[\w:]+)*/m, "cuda": /%\w+(?:\.[xyz])?/, "number": /\b(?:0[xXfFdD][0-9a-fA-F]+|\d+)\b/,
};

/** Lines of coloured text nodes. */
function highlighted(text: string, grammar: Prism.Grammar): Node[][] {
  const lines: Node[][] = [[]];
  const add = (part: string, kind: string) => {
    part.split("\n").forEach((line, i) => {
      if (i > 0) lines.push([]);
      if (line) lines.at(-1)!.push(kind ? h("span", { class: `t-${kind}` }, line) : document.createTextNode(line));
    });
  };
  const walk = (token: string | Prism.Token, kind: string): void => {
    if (typeof token === "string") add(token, kind);
    else if (Array.isArray(token.content)) token.content.forEach((inner) => walk(inner, token.type));
    else walk(token.content, token.type);
  };
  for (const token of text.length < 300_000 ? Prism.tokenize(text, grammar) : [text]) walk(token, "");
  return lines;
}

/** Which line of which file each line is, by #line. */
function sourceCode(text: string[]): Code {
  let file = "", fileLine = 0;
  const where = text.map((line, i): Line => {
    const directive = /^\s*#\s*line\s+(\d+)(?:\s+"([^"]*)")?/.exec(line);
    if (directive) {
      fileLine = Number(directive[1]) - 1;
      file = directive[2] ?? file;
      return { number: i + 1, file: "", fileLine: 0 };
    }
    ++fileLine;
    return { number: i + 1, file, fileLine };
  });
  return { where, nodes: highlighted(text.join("\n"), cuda()), keys: text };
}

/** Instructions with the source lines that .loc gives them. Numbers of registers and labels are no difference: the compiler hands them out anew. */
function ptxCode(text: string[]): Code {
  const files = new Map<string, string>();
  for (const line of text) {
    const named = /^\s*\.file\s+(\d+)\s+"([^"]*)"/.exec(line);
    if (named) files.set(named[1]!, named[2]!);
  }
  const where: Line[] = [], kept: string[] = [];
  let file = "", fileLine = 0;
  text.forEach((line, i) => {
    const place = /^\s*\.loc\s+(\d+)\s+(\d+)/.exec(line);
    if (place) {
      file = files.get(place[1]!) ?? "";
      fileLine = Number(place[2]);
    } else if (line.trim()) {
      const instruction = /^\s*(?:@|[a-z{])/.test(line);
      where.push({ number: i + 1, file: instruction ? file : "", fileLine: instruction ? fileLine : 0 });
      kept.push(line.replace(/^\t/, ""));
    }
  });
  const keys = kept.map((line) => line.replace(/(%[a-z]+)\d+/g, "$1").replace(/\$L__\w+/g, "$L").replace(/<\d+>/, "<>").trim());
  return { where, nodes: highlighted(kept.join("\n"), ptx), keys };
}

export function codeOf(run: Run, kind: "source" | "ptx", row: number): Code | null {
  const text = row < 0 ? null : run.text(kind, row);
  return text && (kind === "ptx" ? ptxCode(text) : sourceCode(text));
}

export interface Pair { a: number; b: number } // line numbers from 0; -1: none on this side

export function aligned(a: string[], b: string[]): Pair[] {
  const pairs: Pair[] = [];
  let i = 0, j = 0;
  // Texts that have little in common: line by line, rather than a page that does not answer.
  const parts = diffArrays(a, b, { timeout: 1500 });
  if (!parts) return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => ({ a: at < a.length ? at : -1, b: at < b.length ? at : -1 }));
  for (const part of parts) {
    const count = part.value.length;
    if (!part.added && !part.removed) for (let k = 0; k < count; ++k) pairs.push({ a: i++, b: j++ });
    else if (part.removed) for (let k = 0; k < count; ++k) pairs.push({ a: i++, b: -1 });
    else {
      // Beside the lines that were removed just before, where there are any.
      let first = pairs.length;
      while (first > 0 && pairs[first - 1]!.b < 0) --first;
      for (let k = 0; k < count; ++k) {
        if (first + k < pairs.length) pairs[first + k]!.b = j++;
        else pairs.push({ a: -1, b: j++ });
      }
    }
  }
  return pairs;
}

const same = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);

/** The row's evidence by the line that it stands at. */
export function findings(run: Run, row: number, code: Code): Map<number, Evidence[]> {
  const found = new Map<number, Evidence[]>();
  const put = (file: string, number: number, item: Evidence) => {
    if (!file || number <= 0) return;
    const at = code.where.findIndex((line) => line.file !== "" && same(line.file, file) && line.fileLine === number);
    if (at >= 0) found.set(at, [...(found.get(at) ?? []), item]);
  };
  for (const item of run.evidence(row)) {
    put(item.file, item.line, item);
    const file = String(item["other_file"] ?? ""), line = Number(item["other_line"] ?? 0);
    if (line !== item.line) put(file, line, { ...item, kind: `${item.kind}, the other access` });
  }
  return found;
}
