// What evo serve sends while it still reads a large ledger, or where it cannot.
import { h } from "./dom";
import type { ReportDocument } from "./document";

export function showReading(report: ReportDocument, root: HTMLElement): void {
  const trouble = report.trouble ?? "";
  root.replaceChildren(h("main", {}, h("h1", {}, "evo"), trouble
    ? h("p", { class: "notice", role: "alert" }, `The run cannot be read: ${trouble}`)
    : h("p", { class: "notice", role: "status", id: "reading" }, `Reading ${(report.reading ?? []).join(", ")}: the ledger is large. The page comes by itself.`)));
  if (!location.protocol.startsWith("http")) return;
  const version = document.getElementById("data")?.dataset["version"] ?? "";
  const events = new EventSource(`events${location.search}`);
  events.onmessage = (event) => { if (String(event.data) !== version) location.reload(); };
}
