// A page that evo serve sent: takes the runs again whenever they have changed.
import type { ReportDocument } from "./document";

export function follow(take: (next: ReportDocument) => void, line: HTMLElement): void {
  let version = document.getElementById("data")?.dataset["version"] ?? "", wanted = version, busy = false;
  const say = (text: string) => { line.textContent = text; line.setAttribute("role", "status"); };
  const events = new EventSource(`events${location.search}`);
  const load = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      // What changes while this one is on its way is taken by another round.
      while (version !== wanted) {
        const next = wanted, answer = await fetch(`data.json${location.search}`);
        if (!answer.ok) throw new Error(String(answer.status));
        take((await answer.json()) as ReportDocument);
        version = next;
        say(`Live: as of ${new Date().toLocaleTimeString()}.`);
      }
    } catch (error) {
      say(`Live, but the last change could not be taken (${String(error)}).`);
    } finally {
      busy = false;
    }
  };
  events.onopen = () => say("Live: waiting for a change.");
  events.onerror = () => say("The server does not answer: this is how the run last stood.");
  events.onmessage = (event) => {
    wanted = String(event.data);
    void load();
  };
}
