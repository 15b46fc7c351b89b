/** The events sent between machines as a list: for a phone, and to be read aloud. */

import { byId, element, setAttribute, setText } from "../parts/elements.js";
import { fillPlace, makePlace } from "../parts/place.js";
import { Rows } from "../parts/rows.js";
import { arrowText, fullText, signOf } from "./sends_journal.js";

const ROW = matchMedia("(pointer: coarse)").matches ? 32 : 22;

export class SendsList {
  #arrows = [];
  #at = -1;

  /** @param {(arrow: import("./sends_journal.js").Arrow) => void} visit goes to its receiver */
  constructor(visit) {
    this.visit = visit;
    this.list = byId("sends-list");
    this.rows = new Rows(this.list, ROW, (row, arrow, index) => this.#fill(row, arrow, index), "row");
    this.list.addEventListener("click", ({ target }) => this.#clicked(target.closest(".row")));
    this.list.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** @param {import("./sends_journal.js").Arrow[]} arrows @param {boolean} follows */
  show(arrows, follows) {
    const chosen = this.#arrows[this.#at]?.send.seq;
    this.#arrows = arrows;
    this.#at = arrows.findIndex(({ send }) => send.seq === chosen);
    setAttribute(this.list, "aria-rowcount", String(arrows.length));
    this.rows.show(arrows);
    if (follows && this.#at < 0) this.rows.scrollToEnd();
  }

  #fill(row, arrow, index) {
    if (!row.firstChild) fillRow(row);
    const [mark, what, place] = row.children;
    mark.dataset.outcome = arrow.send.outcome;
    setText(mark, signOf(arrow));
    setText(what, arrowText(arrow));
    fillPlace(place, arrow.send.place);
    row.title = fullText(arrow);
    row.arrow = arrow;
    row.id = `send-row-${index}`;
    setAttribute(row, "aria-selected", String(index === this.#at));
    setAttribute(row, "aria-rowindex", String(index + 1));
  }

  #clicked(row) {
    if (row) this.visit(row.arrow);
  }

  #pressed(event) {
    const last = this.#arrows.length - 1;
    const start = this.#at < 0 ? last + 1 : this.#at;
    const next = { ArrowUp: start - 1, ArrowDown: start + 1, Home: 0, End: last }[event.key];
    if (event.key === "Enter" && this.#at >= 0) this.visit(this.#arrows[this.#at]);
    if (next === undefined || last < 0) return;
    event.preventDefault();
    this.#at = Math.min(last, Math.max(0, next));
    this.rows.reveal(this.#at);
    this.rows.draw();
    setAttribute(this.list, "aria-activedescendant", `send-row-${this.#at}`);
  }
}

function fillRow(row) {
  const cells = [element("span", { class: "mark" }), element("span", { class: "what" }), makePlace()];
  for (const cell of cells) cell.role = "gridcell";
  row.append(...cells);
}
