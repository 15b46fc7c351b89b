/** The states of all machines over time, and where something went wrong. */

const MOST_BLOCKS = 150_000; // of all machines together
const FEWEST_BLOCKS = 30; // of each
const MOST_MARKS = 50;
const MOST_REPEATED = 5_000;

/**
 * @typedef {{state: string, from: number, to: number|null}} Block `to` is null for the current one
 * @typedef {{time: number, last: number, isError: boolean}} Mark
 * @typedef {{blocks: Block[], marks: Mark[]}} Lane
 */

export class AllTracks {
  /** @type {Map<string, Lane>} */
  #lanes = new Map();
  /** @type {Map<number, Mark>} the latest marks by number: they may go on */
  #marks = new Map();
  start = Infinity;

  clear() {
    this.#lanes = new Map();
    this.#marks = new Map();
    this.start = Infinity;
  }

  /** @returns {Lane|undefined} */
  lane(machine) {
    return this.#lanes.get(machine);
  }

  forget(machines) {
    for (const machine of machines) this.#lanes.delete(machine);
  }

  add({ changes, entries, repeats }) {
    for (const [, time, machine, , state] of changes) this.#change(machine, time, state);
    for (const entry of entries) this.#mark(entry);
    for (const [seq, [, last]] of Object.entries(repeats)) this.#repeat(+seq, last);
  }

  /** The state of a machine at a time, with its block; undefined if it is not known. */
  blockAt(machine, time) {
    const blocks = this.#lanes.get(machine)?.blocks ?? [];
    return blocks.findLast((block) => block.from <= time && (block.to ?? Infinity) > time);
  }

  #change(machine, time, state) {
    const { blocks } = this.#lane(machine);
    const last = blocks.at(-1);
    if (last?.to === null) last.to = time;
    if (state !== null) blocks.push({ state, from: time, to: null });
    const most = Math.max(FEWEST_BLOCKS, MOST_BLOCKS / this.#lanes.size);
    if (blocks.length > most * 1.5) blocks.splice(0, blocks.length - Math.floor(most));
    this.start = Math.min(this.start, time);
  }

  #mark({ seq, time, last, machine, within, kind, outcome }) {
    if (kind !== "error" && outcome !== "unhandled") return;
    const lane = this.#lanes.get(within ?? machine);
    if (!lane) return; // it has left
    const mark = { time, last: last ?? time, isError: kind === "error" };
    lane.marks.push(mark);
    this.#marks.set(seq, mark);
    if (lane.marks.length > MOST_MARKS) lane.marks.shift();
    if (this.#marks.size > MOST_REPEATED) this.#marks.delete(this.#marks.keys().next().value);
  }

  #repeat(seq, last) {
    const mark = this.#marks.get(seq);
    if (mark) mark.last = last;
  }

  #lane(machine) {
    if (!this.#lanes.has(machine)) this.#lanes.set(machine, { blocks: [], marks: [] });
    return this.#lanes.get(machine);
  }
}
