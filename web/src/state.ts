// What is shown, kept in the address after "#": a link to it shows the same.

export interface State {
  view: string;
  run: number;
  trial: number | null; // index of the selected trial
  show: string; // which groups of states: letters of r(ight), f(ailed), d(uplicates)
  top: number; // only so many of the fastest; 0 = all
  template: string;
  reason: string; // "status/reason"
  where: string; // "GENE=value"
  x: "trial" | "time" | "device";
  log: boolean;
  tree: boolean;
  color: "template" | "operator" | "status" | "latency";
  a: number | null; // trials whose sources are compared
  b: number | null;
  theme: string; // "", light, dark
  page: number;
  sort: string;
  pair: string; // "GENE~GENE"
  workload: string; // of the roofline and the counters
  code: "source" | "ptx";
}

export const initial: State = {
  view: "overview", run: 0, trial: null, show: "rfd", top: 0, template: "", reason: "", where: "", x: "trial", log: true,
  tree: false, color: "status", a: null, b: null, theme: "", page: 0, sort: "", pair: "", workload: "", code: "source",
};

type Listener = (state: State, changed: Set<keyof State>) => void;

function read(): State {
  const state: State = { ...initial };
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
    if (!(key in initial)) continue;
    const known = initial[key as keyof State];
    if (typeof known === "boolean") Object.assign(state, { [key]: value === "1" });
    else if (typeof known === "number" || known === null) {
      const number = Number(value);
      if (Number.isFinite(number)) Object.assign(state, { [key]: number });
    } else Object.assign(state, { [key]: value });
  }
  if (!["trial", "time", "device"].includes(state.x)) state.x = "trial";
  if (state.code !== "ptx") state.code = "source";
  return state;
}

function written(state: State): string {
  const parameters = new URLSearchParams();
  for (const key of Object.keys(initial) as (keyof State)[]) {
    const value = state[key];
    if (value === initial[key] || value === null) continue;
    parameters.set(key, value === true ? "1" : value === false ? "0" : String(value));
  }
  return `#${parameters}`;
}

let current = read();
const listeners: Listener[] = [];

export const state = (): State => current;

export function onChange(listener: Listener): void {
  listeners.push(listener);
}

function tell(before: State): void {
  const changed = new Set<keyof State>();
  for (const key of Object.keys(initial) as (keyof State)[]) if (before[key] !== current[key]) changed.add(key);
  if (changed.size > 0) for (const listener of listeners) listener(current, changed);
}

/** Changes some of it: a new entry of the browser's history when the view or the trial changes. */
export function go(change: Partial<State>): void {
  const before = current;
  current = { ...current, ...change };
  const address = written(current);
  if (before.view !== current.view || before.trial !== current.trial) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  tell(before);
}

/** The address of the page with some of it changed. */
export const link = (change: Partial<State>): string => written({ ...current, ...change });

function reread(): void {
  const before = current;
  current = read();
  tell(before);
}
addEventListener("popstate", reread);
addEventListener("hashchange", reread);
