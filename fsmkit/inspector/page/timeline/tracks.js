/** The data of the timeline: for each machine its states over time, and its events. */

import { shortError } from "../parts/wording.js";

const MOST = 3_000; // blocks or marks
const MOST_OF_RECORDING = 100_000;
const BEGINNINGS = new Set(["enter", "resume"]);
const ENDS = new Set(["leave", "suspend"]);

/**
 * @typedef {{state: string, from: number, to: number|null}} Block `to` is null for the current one
 * @typedef {{time: number, until: number, name: string, outcome: string, seq: number}} Mark
 * @typedef {{machine: string, title: string, blocks: Block[], marks: Mark[]}} Lane
 */

export class Tracks {
  /** @type {Map<string, Lane>} */
  #lanes = new Map();
  #most = MOST;

  /** A recording is shown from its beginning, not just its last minutes. */
  keepAll(isPast) {
    this.#most = isPast ? MOST_OF_RECORDING : MOST;
  }

  clear() {
    this.#lanes = new Map();
  }

  /** @returns {Lane[]} */
  get lanes() {
    return [...this.#lanes.values()];
  }

  /** The time of the first known state or event. */
  get start() {
    const times = this.lanes.flatMap(({ blocks, marks }) => [blocks[0]?.from, marks[0]?.time]);
    return Math.min(Infinity, ...times.filter((time) => time !== undefined));
  }

  /** Arrange a lane for each of these machines, in this order, before any others. */
  arrange(machines) {
    const before = this.#lanes;
    this.#lanes = new Map();
    for (const { machine, title } of machines) {
      this.#lanes.set(machine, { ...(before.get(machine) ?? newLane(machine)), title });
    }
    for (const [machine, lane] of before)
      if (!this.#lanes.has(machine)) this.#lanes.set(machine, lane);
  }

  /** @param {import("../parts/journal.js").Entry} entry */
  add(entry) {
    const lane = this.#lane(laneOf(entry));
    if (BEGINNINGS.has(entry.kind)) this.#open(lane, entry.state, entry.time);
    else if (ENDS.has(entry.kind)) this.#close(lane, entry.time);
    else if (entry.kind === "event") this.#mark(lane, entry, entry.event, entry.outcome);
    else if (entry.kind === "error") this.#mark(lane, entry, shortError(entry.text.split("\n")[0]), "error");
  }

  /** Record a machine's state, although the way it got there may be unknown. */
  place(machine, state, since) {
    const lane = this.#lane(machine);
    const last = lane.blocks.at(-1);
    const isThere = last?.to === null && last.state === state;
    if (state === null) this.#close(lane, since);
    else if (!isThere) this.#open(lane, state, Math.max(0, since, last?.to ?? last?.from ?? 0));
  }

  #lane(machine) {
    if (!this.#lanes.has(machine)) this.#lanes.set(machine, newLane(machine));
    return this.#lanes.get(machine);
  }

  #open(lane, state, time) {
    this.#close(lane, time);
    lane.blocks.push({ state, from: time, to: null });
    if (lane.blocks.length > this.#most * 1.2) lane.blocks = lane.blocks.slice(-this.#most);
  }

  #close(lane, time) {
    const last = lane.blocks.at(-1);
    if (last?.to === null) last.to = time;
  }

  /** A mark of what was repeated lasts until the last time. */
  #mark(lane, { seq, time, times, last: until = time }, name, outcome) {
    const known = times > 1 && lane.marks.findLast((mark) => mark.seq === seq);
    if (known) known.until = until;
    else lane.marks.push({ time, until, name, outcome, seq });
    if (lane.marks.length > this.#most * 1.2) lane.marks = lane.marks.slice(-this.#most);
  }
}

/** Each of two recordings has lanes of its own. */
const laneOf = ({ machine, side }) => (side ? `${machine} ${side}` : machine);

const newLane = (machine) => ({ machine, title: machine, blocks: [], marks: [] });

/** The index of the first item that fits, in a list whose fitting items are at the end. */
export function firstIndex(items, fits) {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(items[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
