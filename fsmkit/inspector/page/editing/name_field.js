/** A name that is typed in its place in the graph: Enter takes it, Escape does not. */

import { byId, setAttribute, setText } from "../parts/elements.js";
import { showRefusal } from "./refusals.js";
import { setUpForm } from "./sheet_forms.js";

const GAP = 6;

export class NameField {
  #take = null;

  /** @param {import("./edits.js").Edits} edits */
  constructor(edits) {
    this.edits = edits;
    this.popover = byId("name-field");
    this.form = this.popover.querySelector("form");
    this.problem = byId("name-field-problem");
    setUpForm(this.popover, this.form, () => this.#submit(), () => this.#show(null));
  }

  get input() {
    return this.form.elements.name;
  }

  /**
   * Ask for a name at a place in the window.
   *
   * @param {string} label
   * @param {string} name to begin with
   * @param {{left: number, right: number, top: number, bottom: number}} place
   * @param {(name: string) => object} editFor the edit that gives the name
   * @param {(name: string) => void} [done] called when that was made
   */
  open(label, name, place, editFor, done = () => {}) {
    this.#take = { editFor, done, name };
    setAttribute(this.popover, "aria-label", label);
    setText(byId("name-field-label"), label);
    this.input.value = name;
    this.input.placeholder = label;
    this.#show(null);
    this.popover.showPopover();
    this.#put(place);
    this.input.focus();
    this.input.select();
  }

  #put({ left, right, top, bottom }) {
    const { offsetWidth: width, offsetHeight: height } = this.popover;
    const fitting = (at, size, room) => Math.max(GAP, Math.min(at, room - size - GAP));
    this.popover.style.left = `${fitting((left + right - width) / 2, width, innerWidth)}px`;
    this.popover.style.top = `${fitting((top + bottom - height) / 2, height, innerHeight)}px`;
  }

  async #submit(options) {
    const { editFor, done, name: before } = this.#take;
    const name = this.input.value.trim();
    if (!name || name === before) return this.popover.hidePopover();
    setAttribute(this.form, "aria-busy", "true");
    const refusal = await this.edits.make(editFor(name), options);
    setAttribute(this.form, "aria-busy", null);
    this.#show(refusal);
    if (refusal) return this.input.focus();
    this.popover.hidePopover();
    done(name);
  }

  #show(refusal) {
    setAttribute(this.input, "aria-invalid", refusal ? "true" : null);
    showRefusal(this.problem, refusal, this.edits, () => this.#submit({ everywhere: true }));
  }
}
