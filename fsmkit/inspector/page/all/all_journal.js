/** AllJournal: the latest changes and troubles of all machines. */

import { asBefore } from "../parts/journal.js";
import { firstIndex } from "../timeline/tracks.js";

const LIMIT = 5_000;

/** @typedef {import("../parts/journal.js").Entry} Entry */

export class AllJournal {
  /** @type {Entry[]} so many that those of errors are kept apart from them */
  #changes = [];
  /** @type {Entry[]} errors, unhandled events and notes */
  #troubles = [];
  /** @type {Entry[]|null} */
  #merged = null;
  /** @type {Entry[]} those of earlier runs of the program */
  before = [];

  get count() {
    return this.#changes.length + this.#troubles.length;
  }

  /** All of them, in the order in which they happened. */
  get entries() {
    this.#merged ??= merged(this.#changes, this.#troubles);
    return this.#merged;
  }

  /** The program was started again. */
  retire() {
    this.before = asBefore([...this.before, ...this.entries]);
    this.clear();
  }

  clear() {
    [this.#changes, this.#troubles, this.#merged] = [[], [], null];
  }

  add({ changes, entries, repeats }) {
    for (const [seq, time, machine, kind, state, event] of changes)
      this.#changes.push({ seq, time, machine, kind, state, event });
    this.#troubles.push(...entries);
    for (const [seq, [times, last]] of Object.entries(repeats)) this.#repeat(+seq, times, last);
    this.#changes = latest(this.#changes);
    this.#troubles = latest(this.#troubles);
    this.#merged = null;
  }

  /** Forget what machines that have left have changed; their troubles stay. */
  forget(machines) {
    if (!machines.length) return;
    const left = new Set(machines);
    this.#changes = this.#changes.filter(({ machine }) => !left.has(machine));
    this.#merged = null;
  }

  #repeat(seq, times, last) {
    const at = firstIndex(this.#troubles, (entry) => entry.seq >= seq);
    const entry = this.#troubles[at];
    if (entry?.seq === seq) this.#troubles[at] = { ...entry, times, last };
  }
}

function latest(entries) {
  return entries.length > LIMIT * 1.2 ? entries.slice(-LIMIT) : entries;
}

/** Two lists that are in order, as one. */
function merged(one, other) {
  const all = [];
  let at = 0;
  for (const entry of other) {
    while (at < one.length && one[at].seq < entry.seq) all.push(one[at++]);
    all.push(entry);
  }
  while (at < one.length) all.push(one[at++]);
  return all;
}
