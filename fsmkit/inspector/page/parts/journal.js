/** Journal: the latest log entries of the selected machine. */

const LIMIT = 5_000;

/**
 * @typedef {{seq: number, time: number, machine: string, kind: string, state?: string,
 *   event?: string, outcome?: string, sender?: string, data?: string, why?: string,
 *   text?: string, side?: string}} Entry
 */

export class Journal {
  /** The number of entries that are kept. */
  limit = 5_000;
  /** @type {Entry[]} */
  entries = [];
  /** A new number means: forget what you have read and start over. */
  volume = 0;
  /** The number of entries received so far, dropped ones included. */
  count = 0;

  clear() {
    this.entries = [];
    this.count = 0;
    this.volume += 1;
  }

  /** @param {Entry[]} entries */
  add(entries) {
    this.entries.push(...entries);
    this.count += entries.length;
    if (this.entries.length > this.limit * 1.2) this.entries = this.entries.slice(-this.limit);
  }

  /** The entries from the `position`th on, as far as they are kept. */
  since(position) {
    const news = Math.min(this.count - position, this.entries.length);
    return news > 0 ? this.entries.slice(-news) : [];
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

  /** Return the new entries; `isNew` is true if those read before no longer count. */
  read() {
    const isNew = this.#volume !== this.journal.volume;
    const entries = this.journal.since(isNew ? 0 : this.#position);
    this.#volume = this.journal.volume;
    this.#position = this.journal.count;
    return { isNew, entries };
  }
}
