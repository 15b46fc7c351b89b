/** Journal: the latest log entries of the selected machine. */

import { firstIndex } from "../timeline/tracks.js";

const LIMIT = 5_000;

/** Entries of an earlier run, then the mark where the program was started again. */
export const asBefore = (entries, last = entries.at(-1)) =>
  last === undefined || last.isRestart
    ? entries
    : [...entries.slice(-LIMIT).map((entry) => ({ ...entry, isBefore: true })), STARTED_AGAIN];

const STARTED_AGAIN = { seq: -1, time: 0, machine: null, kind: "note", text: "started again", isRestart: true };

/**
 * @typedef {{seq: number, time: number, machine: string, kind: string, state?: string,
 *   event?: string, outcome?: string, sender?: string, data?: string, why?: string,
 *   text?: string, side?: string, times?: number, last?: number,
 *   isBefore?: boolean, isRestart?: boolean}} Entry `times` and `last` are those of one that was
 *   repeated; `isBefore` one of an earlier run of the program
 */

export class Journal {
  /** The number of entries that are kept. */
  limit = 5_000;
  /** @type {Entry[]} */
  entries = [];
  /** @type {Entry[]} in the order of arrival, each repeated one once more */
  arrivals = [];
  /** @type {Entry[]} those of earlier runs of the program */
  before = [];
  /** A new number means: forget what you have read and start over. */
  volume = 0;
  /** The number of arrivals so far, dropped ones included. */
  count = 0;

  /** The program was started again. */
  retire() {
    this.before = asBefore([...this.before, ...this.entries]);
    this.clear();
  }

  clear() {
    this.entries = [];
    this.arrivals = [];
    this.count = 0;
    this.volume += 1;
  }

  /** @param {Entry[]} entries */
  add(entries) {
    for (const entry of entries) this.#put(entry);
    this.arrivals.push(...entries);
    this.count += entries.length;
    if (this.entries.length > this.limit * 1.2) this.entries = this.entries.slice(-this.limit);
    if (this.arrivals.length > this.limit * 1.2) this.arrivals = this.arrivals.slice(-this.limit);
  }

  /** A repeated entry takes the place that it had before. */
  #put(entry) {
    if (!(entry.times > 1)) return this.entries.push(entry);
    const at = firstIndex(this.entries, ({ seq }) => seq >= entry.seq);
    this.entries.splice(at, this.entries[at]?.seq === entry.seq ? 1 : 0, entry);
  }

  /** The arrivals from the `position`th on, as far as they are kept. */
  since(position) {
    const news = Math.min(this.count - position, this.arrivals.length);
    return news > 0 ? this.arrivals.slice(-news) : [];
  }
}

/** A bookmark in a journal. */
export class Reader {
  #volume = -1;
  #position = 0;

  /** @param {Journal} journal */
  constructor(journal) {
    this.journal = journal;
  }

  /** Return the new and the repeated entries; `isNew` is true if those read before no longer count. */
  read() {
    const isNew = this.#volume !== this.journal.volume;
    const entries = this.journal.since(isNew ? 0 : this.#position);
    this.#volume = this.journal.volume;
    this.#position = this.journal.count;
    return { isNew, entries };
  }
}
