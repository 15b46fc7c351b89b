/** Loads drawings: one at a time, only the newest that is wanted, and those seen before at once. */

import { loadDrawing } from "./drawing.js";

const MOST_KEPT = 48;
const SPACING = 300; // milliseconds between two pictures of the same machine

/**
 * @typedef {{machine: string, version: string, radius: number, around: string[]}} Wish
 *   the drawing of a machine in a version, all of it or the states `around` with their neighbours
 */

export class Drawings {
  /** @type {Wish|null} */
  #wish = null;
  /** @type {Map<string, object>} key of a wish -> the answer of the program */
  #kept = new Map();
  #isLoading = false;
  #shownAt = -Infinity;
  #shown = "";

  /**
   * @param {import("../parts/connection.js").Connection} connection
   * @param {{show: (answer: object, wish: Wish) => void, fail: (error: Error) => void}} listener
   */
  constructor(connection, listener) {
    this.connection = connection;
    this.listener = listener;
  }

  /** Nothing is wanted any more, and nothing is shown. */
  stop() {
    this.#wish = null;
    this.#shown = "";
  }

  /** Another program may number its drawings like the last one. */
  clear() {
    this.#kept.clear();
  }

  /** @param {Wish} wish what to show from now on, as soon as possible */
  want(wish) {
    const isOther = !this.#wish || areaOf(wish) !== areaOf(this.#wish);
    if (!isOther && keyOf(wish) === keyOf(this.#wish)) return;
    this.#wish = wish;
    if (isOther) this.#shownAt = -Infinity;
    this.#load();
  }

  async #load() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    while (this.#wish && keyOf(this.#wish) !== this.#shown) {
      await this.#pause();
      await this.#loadOne(this.#wish);
    }
    this.#isLoading = false;
  }

  /** States may change faster than pictures can be looked at. */
  #pause() {
    const rest = this.#shownAt + SPACING - performance.now();
    return rest > 0 && new Promise((resolve) => setTimeout(resolve, rest));
  }

  async #loadOne(wish) {
    const key = wish && keyOf(wish);
    if (!wish || key === this.#shown) return;
    try {
      const answer = this.#kept.get(key) ?? (await loadDrawing(this.connection, wish));
      this.#keep(key, answer);
      if (this.#isWanted(wish)) this.listener.show(answer, wish);
    } catch (error) {
      if (this.#isWanted(wish)) this.listener.fail(error);
    }
    if (this.#isWanted(wish)) this.#shown = key;
    this.#shownAt = performance.now();
  }

  /** True unless the reader has gone to another machine: an older neighbourhood is better than none. */
  #isWanted(wish) {
    return this.#wish !== null && areaOf(wish) === areaOf(this.#wish);
  }

  #keep(key, answer) {
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value);
  }
}

/** What does not change while a machine runs. */
const areaOf = ({ machine, version, radius }) => `${version} ${radius} ${machine}`;

const keyOf = (wish) => `${areaOf(wish)}\n${wish.around.join(" ")}`;
