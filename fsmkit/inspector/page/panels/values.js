/** Watched values and the public fields of the context; a changed value flashes. */

import { byId, element, matchChildren, setAttribute, setLongText } from "../parts/elements.js";
import { HOLDER } from "./holders.js";
import { addPlace, listenToPlaces, updatePlace } from "./value_place.js";

const OFTEN = 700; // milliseconds; a value that changes more often is marked, without flickering
const LINE = 26; // letters that fit beside the name
const BOTH = 40; // letters of a name and a value on one line

export class Values {
  #machine = null;

  /**
   * @param {import("./value_editor.js").ValueEditor} editor
   * @param {import("../timeline/plotted.js").Plotted} plotted
   * @param {import("./holders.js").Holders} holders
   */
  constructor(store, editor, plotted, holders) {
    this.store = store;
    this.plotted = plotted;
    this.holders = holders;
    this.list = byId("context");
    this.watched = byId("watched");
    for (const list of [this.list, this.watched]) listenToPlaces(list, editor, plotted);
    this.list.addEventListener("click", ({ target }) => {
      if (target.closest(".inside")) holders.toggle(target.closest("dd").path[1]);
    });
    store.watch("detail hello connection plotted holders", () => this.#draw(store.shown));
  }

  #draw(detail) {
    const watched = detail?.watched ?? [];
    byId("watched-part").hidden = !watched.length;
    this.list.dataset.empty = emptyText(detail);
    const isOther = detail?.machine !== this.#machine;
    this.#machine = detail?.machine;
    const values = watched.map(([name, text, kind]) => ({ name, text, kind, path: ["watch", name] }));
    this.#list(this.watched, values, isOther);
    this.#list(this.list, [...this.#fields(detail)], isOther);
  }

  /** The fields of the context, each followed by those of the object in it if that is open. */
  *#fields(detail) {
    const isNow = this.store.moment === null;
    for (const [name, text] of detail?.context ?? []) {
      const kind = detail.kinds?.[name] ?? "";
      yield { name, text, kind, path: ["context", name] };
      if (kind === HOLDER && isNow) yield* this.holders.fields(name);
    }
  }

  #list(list, values, isOther) {
    const state = { isLocked: this.store.isLocked, plotted: this.plotted };
    matchChildren(list, values, keyOf, make, (row, value) => {
      const { name, text, kind, path } = value;
      const place = row.lastChild;
      const before = place.shown.textContent;
      setLongText(row.firstChild, name || "value");
      if (text.length > LINE || name.length + text.length > BOTH) row.dataset.long = "";
      updatePlace(place, value, state);
      updateInside(place.lastChild, name, kind === HOLDER && this.store.moment === null, this.holders);
      setAttribute(row, "data-inner", path.length > 2);
      mark(row, before, isOther);
    });
  }
}

function emptyText(detail) {
  if (!detail) return "";
  if (detail.is_unwatched) return "Not known: nobody looked at it then.";
  return detail.unknown ? "Not in the recording." : "It has no public fields.";
}

const keyOf = ({ path }) => JSON.stringify(path);

function make({ path: [, ...names] }) {
  const place = addPlace(element("dd"), "span");
  place.append(element("button", { class: "inside icon" }, "▸"));
  const row = element("div", { data: { value: names.join(".") } }, element("dt"), place);
  row.addEventListener("animationend", () => row.removeAttribute("data-changed"));
  row.changedAt = -Infinity;
  return row;
}

function updateInside(button, name, isHolder, holders) {
  button.hidden = !isHolder;
  if (!isHolder) return;
  setAttribute(button, "aria-expanded", String(holders.isOpen(name)));
  setAttribute(button, "aria-label", `Fields of ${name}`);
}

function mark(row, before, isOther) {
  if (row.lastChild.shown.textContent !== before) {
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
