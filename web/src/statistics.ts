/** Wilson's 95 % interval of a rate. */
export function wilson(count: number, of: number): [number, number] {
  if (of === 0) return [0, 1];
  const z = 1.959963984540054, p = count / of, n = 1 + (z * z) / of;
  const middle = (p + (z * z) / (2 * of)) / n, half = (z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))) / n;
  return [middle - half, middle + half];
}
