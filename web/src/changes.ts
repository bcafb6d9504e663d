// What report/changes.cpp says of two documents, applied to the older one.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export interface Change { "="?: Json; "+"?: Json[]; at?: Record<string, Change>; "-"?: string[] }

/** The newer value. Lists and objects are changed in place. */
export function applied(before: Json | undefined, change: Change): Json {
  if ("=" in change) return change["="]!;
  if (change["+"]) {
    const list = before as Json[];
    for (const item of change["+"]) list.push(item);
    return list;
  }
  const inside = before as Record<string, Json>; // of a list its numbers are the keys
  for (const [key, one] of Object.entries(change.at ?? {})) {
    // A run may name anything: "__proto__" is a key as any other.
    const next = applied(Object.prototype.hasOwnProperty.call(inside, key) ? inside[key] : undefined, one);
    Object.defineProperty(inside, key, { value: next, writable: true, enumerable: true, configurable: true });
  }
  for (const key of change["-"] ?? []) delete inside[key];
  return inside;
}
