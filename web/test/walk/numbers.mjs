// Numbers in a text of the page against numbers of --json.
import assert from "node:assert/strict";

/** The numbers of a text, with the size of half a unit of the last digit that is shown. */
export function numbersIn(text) {
  // A minus of typography, thousands apart by commas, an exponent. Digits inside of words are no numbers.
  const found = [...text.matchAll(/(?<![\w.~])[−+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])(?!\.\d)/g)];
  return found.map(([word]) => {
    const plain = word.replace("−", "-").replace(/,(?=\d{3})/g, "").replace(/,+$/, ""), value = Number(plain);
    const [mantissa, exponent = "0"] = plain.split("e"), digits = (mantissa.split(".")[1] ?? "").length;
    return { value, half: 0.5000001 * 10 ** (Number(exponent) - digits), word };
  });
}

/** A number that is not shown to its last digit, such as 4 significant ones of a large one. */
export const about = (value, share = 5.1e-4) => ({ about: value, share });

/** Each number of the text is the wanted one, as exactly as it is shown; no number is missing, none is there beside them. */
export function sameNumbers(text, wanted, where) {
  const shown = numbersIn(text), list = wanted.flat(Infinity).filter((value) => value !== null && value !== undefined);
  assert.equal(shown.length, list.length, `${where}: shows ${shown.map((one) => one.word).join(" ")}, wanted ${list.map((one) => (typeof one === "object" ? one.about : one)).join(" ")}: ${text}`);
  shown.forEach((one, i) => {
    const [value, slack] = typeof list[i] === "object" ? [list[i].about, Math.abs(list[i].about) * list[i].share] : [list[i], 0];
    assert.ok(Math.abs(one.value - value) <= Math.max(one.half, slack), `${where}: shows ${one.word}, --json says ${value}: ${text}`);
  });
}

const squeeze = (text) => text.replace(/\s+/g, " ").trim();

/** A cell: a text is compared as it is, a list by its numbers, a pattern by matching, {text, numbers} by both. */
export function sameCell(text, wanted, where) {
  if (typeof wanted === "string") return assert.equal(squeeze(text), squeeze(wanted), where);
  if (wanted instanceof RegExp) return assert.match(text, wanted, where);
  if (Array.isArray(wanted)) return sameNumbers(text, wanted, where);
  if (typeof wanted === "number") return sameNumbers(text, [wanted], where);
  if (wanted === null) return assert.match(text, /^(–|)$/, where);
  assert.ok(squeeze(text).includes(squeeze(wanted.text)), `${where}: ${wanted.text} in ${text}`);
  if (wanted.numbers) sameNumbers(wanted.after ? text.slice(text.indexOf(wanted.after) + wanted.after.length) : text, wanted.numbers, where);
}

export function sameRows(rows, wanted, where) {
  assert.equal(rows.length, wanted.length, `${where}: rows`);
  wanted.forEach((cells, i) => {
    assert.equal(rows[i].length, cells.length, `${where}, row ${i}: cells: ${rows[i].join(" | ")}`);
    cells.forEach((cell, k) => sameCell(rows[i][k], cell, `${where}, row ${i}, cell ${k}`));
  });
}
