/** GroupMoment: the states of all machines at a past moment, as far as they are known. */

import { counted, seconds } from "../parts/wording.js";

const NAMED = 5;

export class GroupMoment {
  /** @type {Map<string, string|null>} */
  #states = new Map();
  /** @type {Set<string>} */
  #absent;

  /** @param {object} answer to the request `group_moment` */
  constructor({ time, running, stopped, absent, left, go_on: goOn }) {
    this.time = time;
    /** The machines that were there then, and have left. @type {string[]} */
    this.left = left;
    /** The moment to which the group can go back. @type {{seq: number, time: number, others: string[]}|null} */
    this.goOn = goOn;
    for (const [state, machines] of Object.entries(running))
      for (const machine of machines) this.#states.set(machine, state);
    for (const machine of stopped) this.#states.set(machine, null);
    this.#absent = new Set(absent);
  }

  /** The state of a machine, null if it was not running; undefined if it is not known. */
  state(machine) {
    return this.#states.get(machine);
  }

  /** Why the state of a machine is not known. */
  why(machine) {
    return this.#absent.has(machine) ? "not there yet" : "not known";
  }

  /** What there is to say of it in the banner. */
  get text() {
    const left = this.left.length ? ` ${counted(this.left.length, "machine")} of then left since.` : "";
    return `The group as it was at ${seconds(this.time, 1)}.${left}`;
  }

  /** The names of those that have left. */
  get leftText() {
    const more = this.left.length - NAMED;
    return this.left.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  }
}
