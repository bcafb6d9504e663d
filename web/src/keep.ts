// What a person has opened and where they have scrolled to, kept while a view is drawn again with newer numbers.

/** What an element is called, and which of that name it is. */
function names(elements: Iterable<HTMLElement>, of: (element: HTMLElement) => string): Map<string, HTMLElement> {
  const found = new Map<string, HTMLElement>();
  for (const element of elements) {
    const section = element.closest("section")?.querySelector("h2")?.textContent ?? "", name = `${section}\n${of(element)}`;
    let at = 0;
    while (found.has(`${name}\n${at}`)) ++at;
    found.set(`${name}\n${at}`, element);
  }
  return found;
}
const opened = (root: HTMLElement) => names(root.querySelectorAll<HTMLDetailsElement>("details"), (details) => details.id || "details") as Map<string, HTMLDetailsElement>;
const scrolled = (root: HTMLElement) => names(root.querySelectorAll<HTMLElement>(".scroll, .changes"), (box) => box.getAttribute("aria-label") ?? "box");

/** Draws, and puts back what is open, scrolled and focused, as far as it is still there. */
export function keeping(root: HTMLElement, draw: () => void): void {
  const open = [...opened(root)].filter(([, details]) => details.open).map(([name]) => name);
  const at = [...scrolled(root)].filter(([, box]) => box.scrollTop || box.scrollLeft).map(([name, box]) => [name, box.scrollTop, box.scrollLeft] as const);
  const active = document.activeElement instanceof HTMLElement && root.contains(document.activeElement) ? document.activeElement : null;
  const focus = active?.id || active?.getAttribute("href"), chart = active?.matches(".chart") ? [...root.querySelectorAll(".chart")].indexOf(active) : -1;
  const top = scrollY;
  draw();
  const details = opened(root);
  for (const name of open) { const one = details.get(name); if (one) one.open = true; }
  const restore = () => {
    const boxes = scrolled(root);
    for (const [name, y, x] of at) boxes.get(name)?.scrollTo(x, y);
    if (scrollY !== top) scrollTo(scrollX, top);
  };
  // A table that opens is made by the event, which comes later.
  requestAnimationFrame(() => requestAnimationFrame(restore));
  if (chart >= 0) root.querySelectorAll<HTMLElement>(".chart")[chart]?.focus({ preventScroll: true });
  else if (focus) [...root.querySelectorAll<HTMLElement>("[id], a[href]")].find((one) => one.id === focus || one.getAttribute("href") === focus)?.focus({ preventScroll: true });
}
