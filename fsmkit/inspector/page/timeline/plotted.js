/** The values that are plotted: watched ones unless hidden, others if chosen. The browser remembers. */

import { recall, remember } from "../parts/preferences.js";

const MOST = 64;
const NAME = "plots";

export class Plotted {
  /** @type {Set<string>} the paths, as JSON, of values that differ from the rule */
  #toggled = new Set(known());

  constructor(store) {
    this.store = store;
  }

  /** The paths of the watched values, then those of the others in the order of choosing. */
  get paths() {
    const watched = (this.store.detail?.watched ?? []).map(([name]) => ["watch", name]);
    const others = [...this.#toggled].map((path) => JSON.parse(path)).filter((path) => !isWatch(path));
    return [...watched.filter((path) => this.has(path)), ...others];
  }

  has(path) {
    return this.#toggled.has(JSON.stringify(path)) !== isWatch(path);
  }

  toggle(path) {
    const key = JSON.stringify(path);
    if (!this.#toggled.delete(key)) this.#toggled.add(key);
    while (this.#toggled.size > MOST) this.#toggled.delete(this.#toggled.values().next().value);
    remember(NAME, JSON.stringify([...this.#toggled]));
    this.store.changed("plotted");
  }
}

const isWatch = ([source]) => source === "watch";

function known() {
  try {
    const paths = JSON.parse(recall(NAME) ?? "[]");
    return paths.filter((path) => JSON.parse(path).every((name) => typeof name === "string"));
  } catch {
    return []; // stored by another version
  }
}
