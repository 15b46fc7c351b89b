/** Roster: how each machine is doing, whether it is selected or not. */

import { shortError } from "../parts/wording.js";

const STUCK = 10; // seconds of the machines' time without a change of state

export class Roster {
  /** @type {Map<string, [number, number, string?]>} machine -> errors, unhandled events, the last error */
  #marks = new Map();
  /** @type {Map<string, number>} machine -> when it last changed its state */
  #since = new Map();
  /** @type {Map<string, number>} machine -> the errors that the reader has seen */
  #seen = new Map();
  /** @type {Map<string, number>} machine -> the unhandled events that the reader has looked at */
  #looked = new Map();
  /** The machines that the list shows, in its order. */
  found = [];

  /** Begin with the program's greeting. */
  greet({ marks = {}, since = {} }) {
    this.#marks = new Map(Object.entries(marks));
    this.#since = new Map(Object.entries(since));
    for (const [machine, seen] of this.#seen)
      this.#seen.set(machine, Math.min(seen, this.errors(machine)));
    for (const [machine, looked] of this.#looked)
      this.#looked.set(machine, Math.min(looked, this.unhandled(machine)));
  }

  /**
   * Take the news of a frame.
   *
   * @returns {string[]} the machines that have had their first error
   */
  receive({ clock, states = {}, joined = [], left = [], marks = {} }) {
    for (const machine of left) this.#forget(machine);
    for (const [machine] of joined) this.#since.set(machine, clock);
    for (const machine of Object.keys(states)) this.#since.set(machine, clock);
    const failed = Object.keys(marks).filter((each) => marks[each][0] && !this.errors(each));
    for (const [machine, mark] of Object.entries(marks)) this.#marks.set(machine, mark);
    return failed;
  }

  errors(machine) {
    return this.#marks.get(machine)?.[0] ?? 0;
  }

  /** The first line of its last error; empty if that is not known. */
  lastError(machine) {
    return shortError(this.#marks.get(machine)?.[2] ?? "");
  }

  unhandled(machine) {
    return this.#marks.get(machine)?.[1] ?? 0;
  }

  /** The unhandled events of a machine that the reader has not looked at. */
  unseenUnhandled(machine) {
    return Math.max(0, this.unhandled(machine) - (this.#looked.get(machine) ?? 0));
  }

  /** The reader has looked at the unhandled events of a machine. */
  seeUnhandled(machine) {
    this.#looked.set(machine, this.unhandled(machine));
  }

  /** The time of its last change of state. */
  since(machine) {
    return this.#since.get(machine) ?? 0;
  }

  /** True if a running machine has been in its state for long. */
  isStuck(machine, state, clock) {
    return state !== null && clock - this.since(machine) >= STUCK;
  }

  /** The machines with errors that the reader has not seen. */
  get unseen() {
    return [...this.#marks.keys()].filter(
      (machine) => this.errors(machine) > (this.#seen.get(machine) ?? 0),
    );
  }

  /** @returns {boolean} false if there was nothing to be seen */
  see(machine) {
    const isNew = this.errors(machine) > (this.#seen.get(machine) ?? 0);
    if (isNew) this.#seen.set(machine, this.errors(machine));
    return isNew;
  }

  seeAll() {
    for (const machine of this.#marks.keys()) this.see(machine);
  }

  #forget(machine) {
    this.#marks.delete(machine);
    this.#since.delete(machine);
    this.#seen.delete(machine);
    this.#looked.delete(machine);
  }
}
