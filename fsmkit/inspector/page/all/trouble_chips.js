/** Chips above the list of machines: those with errors, with unhandled events, stuck for long. */

import { byId, element, setAttribute, setText } from "../parts/elements.js";

const KINDS = { errors: "with errors", unhandled: "unhandled", stuck: "stuck for 10 s" };

export class TroubleChips {
  #chosen = null;

  /**
   * @param {import("../parts/store.js").Store} store
   * @param {() => void} changed called when another one is chosen, or none
   */
  constructor(store, changed) {
    this.store = store;
    this.changed = changed;
    this.place = byId("machines-troubles");
    this.chips = Object.entries(KINDS).map(([kind, text]) => this.#chip(kind, text));
    this.place.append(...this.chips);
  }

  /** @returns {boolean} true if the list is to show the machine */
  fits(machine, state) {
    return this.#chosen === null || this.#has(this.#chosen, machine, state);
  }

  /** @param {[string, string|null][]} machines to count, with their states */
  count(machines) {
    for (const chip of this.chips) {
      const { kind } = chip.dataset;
      const count = machines.filter(([machine, state]) => this.#has(kind, machine, state)).length;
      chip.hidden = !count && kind !== this.#chosen;
      setText(chip.lastChild, count.toLocaleString("en"));
      setAttribute(chip, "aria-pressed", String(kind === this.#chosen));
    }
    this.place.hidden = this.chips.every((chip) => chip.hidden);
  }

  #has(kind, machine, state) {
    const { roster } = this.store.everyone;
    if (kind === "stuck") return roster.isStuck(machine, state, this.store.status.clock);
    return roster[kind](machine) > 0;
  }

  #chip(kind, text) {
    const on = { click: () => this.#choose(kind) };
    return element("button", { class: "chip", data: { kind }, on }, `${text} `, element("b"));
  }

  #choose(kind) {
    this.#chosen = this.#chosen === kind ? null : kind;
    this.changed();
  }
}
