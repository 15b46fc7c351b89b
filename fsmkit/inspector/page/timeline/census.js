/** Census: the number of agents in each state of a crowd over time. */

import { Reader } from "../parts/journal.js";
import { counted, percent, seconds } from "../parts/wording.js";

const MOST = 5_000;

export class Census {
  /** @type {{time: number, counts: number[]}[]} */
  samples = [];

  constructor(store) {
    this.store = store;
    this.reader = new Reader(store.journal);
  }

  /** True if the crowd itself is selected, rather than one of its agents. */
  get isShown() {
    return Boolean(this.store.detail?.census);
  }

  get states() {
    return this.store.detail?.states ?? [];
  }

  get start() {
    return this.samples[0]?.time ?? Infinity;
  }

  /** Read the counts that have come since the last time. */
  read() {
    const { isNew, entries } = this.reader.read();
    if (isNew) this.samples = [];
    for (const { kind, time, counts } of entries)
      if (kind === "census") this.samples.push({ time, counts: counts.split(" ").map(Number) });
    if (this.samples.length > MOST * 1.2) this.samples = this.samples.slice(-MOST);
  }

  /** The last count up to a time; undefined before the first one. */
  at(time) {
    return this.samples.findLast((sample) => sample.time <= time);
  }

  /** "12 s · Sitting: 4,210 (21 %) · ..." */
  describe(time) {
    const counts = this.at(time)?.counts ?? [];
    const all = counts.reduce((sum, count) => sum + count, 0);
    const parts = counts
      .map((count, index) => [count, this.states[index]])
      .filter(([count]) => count)
      .sort(([a], [b]) => b - a)
      .map(([count, state]) => `${state}: ${count.toLocaleString("en")} (${percent(count / all)})`);
    const who = all ? parts.slice(0, 4) : [counted(0, "running agent")];
    return [seconds(Math.max(0, time)), ...who].join("  ·  ");
  }
}
