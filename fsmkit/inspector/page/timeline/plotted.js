/** The values that are plotted: watched ones unless hidden, others if chosen. The browser remembers. */

import { recall, remember } from "../parts/preferences.js";

const MOST = 64;
const NAME = "plots";
const OTHER = "-"; // see value_kinds.py

export class Plotted {
  /** @type {Set<string>} the paths, as JSON, of values that differ from the rule */
  #toggled = new Set(known());

  /** The watched values that could ever be plotted: at times one may be an error. */
  #seen = new Set();

  constructor(store) {
    this.store = store;
  }

  /** The paths of the watched values, then those of the others in the order of choosing. */
  get paths() {
    const all = this.store.detail?.watched ?? [];
    for (const [name, , kind] of all) if (kind !== OTHER) this.#seen.add(name);
    const watched = all.filter(([name]) => this.#seen.has(name)).map(([name]) => ["watch", name]);
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
