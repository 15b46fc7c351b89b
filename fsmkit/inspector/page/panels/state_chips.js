/** The number of machines in each state; a click shows only those. */

import { setSwatch } from "../parts/colours.js";
import { byId, element, matchChildren, setAttribute, setText } from "../parts/elements.js";
import { stateName } from "../parts/wording.js";

const ANY = Symbol("any state");

export class StateChips {
  #chosen = ANY;

  /** @param {() => void} changed called when another state is chosen, or none */
  constructor(changed) {
    this.changed = changed;
    this.place = byId("machines-states");
  }

  /** @param {string|null} state null: not running */
  fits(state) {
    return this.#chosen === ANY || this.#chosen === state;
  }

  /** @param {(string|null)[]} states of the machines to count */
  count(states) {
    const counts = new Map(this.#chosen === ANY ? [] : [[this.#chosen, 0]]);
    for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
    const sorted = [...counts].sort(([a], [b]) => stateName(a).localeCompare(stateName(b)));
    const make = ([state]) => this.#chip(state);
    matchChildren(
      this.place,
      sorted,
      ([state]) => JSON.stringify(state),
      make,
      (chip, count) => this.#update(chip, count),
    );
  }

  #chip(state) {
    const swatch = element("i", { class: "swatch" });
    const name = element("span", { class: "name" }, stateName(state));
    const data = state === null ? { stopped: "" } : { state };
    const on = { click: () => this.#choose(state) };
    return element("button", { class: "chip", data, on }, swatch, name, element("b"));
  }

  #update(chip, [state, count]) {
    setSwatch(chip.firstChild, state);
    setText(chip.lastChild, count.toLocaleString("en"));
    setAttribute(chip, "aria-pressed", String(state === this.#chosen));
  }

  #choose(state) {
    this.#chosen = this.#chosen === state ? ANY : state;
    this.changed();
  }
}
