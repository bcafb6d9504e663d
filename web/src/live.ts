// A page that evo serve sent: takes what is new of the runs whenever they have changed.
import { applied, type Change, type Json } from "./changes";
import type { ReportDocument } from "./document";

export function follow(report: ReportDocument, take: (next: ReportDocument) => void, line: HTMLElement): void {
  let known = Number(document.getElementById("data")?.dataset["version"] ?? 0), wanted = known, busy = false;
  let current: ReportDocument | null = report;
  const say = (text: string) => { line.textContent = text; line.setAttribute("role", "status"); };
  const events = new EventSource(`events${location.search}`);
  const ask = async (what: string): Promise<[unknown, number]> => {
    const answer = await fetch(what);
    if (!answer.ok) throw new Error(String(answer.status));
    return [await answer.json(), Number(answer.headers.get("X-Evo-Version") ?? wanted)];
  };
  /** What has changed since the version that is shown; all of it where the server does not have that any more. */
  const next = async (): Promise<void> => {
    if (current) {
      const [changes, version] = await ask(`changes.json${location.search ? `${location.search}&` : "?"}since=${known}`);
      if (changes) {
        let now: Json = current as unknown as Json;
        current = null; // while it is half of one and half of the other
        for (const change of changes as Change[]) now = applied(now, change);
        current = now as unknown as ReportDocument;
        known = version;
        return;
      }
    }
    const [whole, version] = await ask(`data.json${location.search}`);
    current = whole as ReportDocument;
    known = version;
  };
  const load = async (): Promise<void> => {
    // Nobody looks: what is new is taken when somebody does.
    if (busy || document.hidden) return;
    busy = true;
    try {
      // What changes while this one is on its way is taken by another round.
      while (known !== wanted) {
        const before = known;
        await next();
        take(current!);
        say(`Live: as of ${new Date().toLocaleTimeString()}.`);
        if (known === before) break;
      }
    } catch (error) {
      say(`Live, but the last change could not be taken (${String(error)}).`);
    } finally {
      busy = false;
    }
  };
  document.addEventListener("visibilitychange", () => void load());
  let opened = false;
  events.onopen = () => {
    // Perhaps another server, which counts its versions anew: nothing of it goes with what is shown.
    if (opened) {
      current = null;
      known = -1;
    }
    opened = true;
    say("Live: waiting for a change.");
  };
  events.onerror = () => say("The server does not answer: this is how the run last stood.");
  events.onmessage = (event) => {
    wanted = Number(event.data);
    void load();
  };
}
