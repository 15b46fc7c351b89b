/** How much of the graph is drawn: all states, or only the current ones and their neighbours. */

import { byId } from "../parts/elements.js";
import { recall, remember } from "../parts/preferences.js";

const LARGE = 25; // states; of a larger machine the neighbourhood is shown at first
const WORTH = 8; // states; a smaller machine is always shown whole

export class Extent {
  #isLarge = false;

  /** @param {() => void} changed called when the reader has chosen another one */
  constructor(changed) {
    this.changed = changed;
    this.select = byId("graph-extent");
    this.select.onchange = () => this.#choose();
  }

  /** The number of arrows around the current states; 0 for all of it. */
  get radius() {
    return this.select.hidden ? 0 : Number(this.select.value);
  }

  /** Offer what makes sense for a machine of that many states: what was chosen for one like it. */
  suit(size) {
    this.#isLarge = size > LARGE;
    this.select.hidden = size < WORTH;
    const chosen = recall(this.#preference) ?? (this.#isLarge ? "1" : "0");
    const options = [...this.select.options].map(({ value }) => value);
    this.select.value = options.includes(chosen) ? chosen : "0";
  }

  /** Choose the next one. */
  turn() {
    if (this.select.hidden) return;
    this.select.selectedIndex = (this.select.selectedIndex + 1) % this.select.length;
    this.#choose();
  }

  get #preference() {
    return this.#isLarge ? "extent-large" : "extent";
  }

  #choose() {
    remember(this.#preference, this.select.value);
    this.changed();
  }
}
