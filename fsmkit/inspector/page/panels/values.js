/** The public fields of the context; a changed value flashes. */

import { byId, element, matchChildren, setLongText } from "../parts/elements.js";

const OFTEN = 700; // milliseconds; a value that changes more often is marked, without flickering
const LINE = 26; // letters that fit beside the name
const BOTH = 40; // letters of a name and a value on one line

export class Values {
  #machine = null;

  constructor(store) {
    this.list = byId("context");
    store.watch("detail", () => this.#draw(store.shown));
  }

  #draw(detail) {
    const values = detail?.context ?? [];
    this.list.dataset.empty = detail ? "It has no public fields." : "";
    const isOther = detail?.machine !== this.#machine;
    this.#machine = detail?.machine;
    const draw = (row, value) => update(row, value, isOther);
    matchChildren(this.list, values, ([name]) => name, make, draw);
  }
}

function make([name]) {
  const row = element(
    "div",
    { data: { value: name } },
    element("dt"),
    element("dd"),
  );
  setLongText(row.firstChild, name || "value");
  row.addEventListener("animationend", () => row.removeAttribute("data-changed"));
  row.changedAt = -Infinity;
  return row;
}

function update(row, [name, text], isOther) {
  const shown = row.lastChild;
  const before = shown.textContent;
  if (text.length > LINE || name.length + text.length > BOTH) row.dataset.long = "";
  setLongText(shown, text);
  if (shown.textContent !== before) {
    if (before && !isOther) markChange(row);
  } else if (row.dataset.changed === "often" && performance.now() - row.changedAt > OFTEN) {
    row.dataset.changed = "once";
  }
}

function markChange(row) {
  const now = performance.now();
  row.dataset.changed = now - row.changedAt < OFTEN ? "often" : "once";
  row.changedAt = now;
}
