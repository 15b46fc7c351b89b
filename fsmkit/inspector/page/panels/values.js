/** Watched values and the public fields of the context; a changed value flashes. */

import { byId, element, matchChildren, setLongText } from "../parts/elements.js";
import { addPlace, listenToPlaces, updatePlace } from "./value_place.js";

const OFTEN = 700; // milliseconds; a value that changes more often is marked, without flickering
const LINE = 26; // letters that fit beside the name
const BOTH = 40; // letters of a name and a value on one line

export class Values {
  #machine = null;

  /**
   * @param {import("./value_editor.js").ValueEditor} editor
   * @param {import("../timeline/plotted.js").Plotted} plotted
   */
  constructor(store, editor, plotted) {
    this.store = store;
    this.plotted = plotted;
    this.list = byId("context");
    this.watched = byId("watched");
    for (const list of [this.list, this.watched]) listenToPlaces(list, editor, plotted);
    store.watch("detail hello connection plotted", () => this.#draw(store.shown));
  }

  #draw(detail) {
    const watched = detail?.watched ?? [];
    byId("watched-part").hidden = !watched.length;
    this.list.dataset.empty = emptyText(detail);
    const isOther = detail?.machine !== this.#machine;
    this.#machine = detail?.machine;
    this.#list(this.watched, watched, "watch", isOther);
    const kinds = detail?.kinds ?? {};
    const fields = (detail?.context ?? []).map(([name, text]) => [name, text, kinds[name] ?? ""]);
    this.#list(this.list, fields, "context", isOther);
  }

  #list(list, values, source, isOther) {
    const state = { isLocked: this.store.isLocked, plotted: this.plotted };
    matchChildren(list, values, ([name]) => name, make, (row, [name, text, kind]) => {
      const before = row.shown.textContent;
      setLongText(row.firstChild, name || "value");
      if (text.length > LINE || name.length + text.length > BOTH) row.dataset.long = "";
      updatePlace(row, { name, text, kind, path: [source, name] }, state);
      mark(row, before, isOther);
    });
  }
}

function emptyText(detail) {
  if (!detail) return "";
  if (detail.is_unwatched) return "Not known: nobody looked at it then.";
  return detail.unknown ? "Not in the recording." : "It has no public fields.";
}

function make([name]) {
  const row = addPlace(element("div", { data: { value: name } }, element("dt")), "dd");
  row.addEventListener("animationend", () => row.removeAttribute("data-changed"));
  row.changedAt = -Infinity;
  return row;
}

function mark(row, before, isOther) {
  if (row.shown.textContent !== before) {
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
