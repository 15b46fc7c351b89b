/** The time span that the timeline shows. It follows the present until scrolled back. */

const SHORTEST = 0.5;
const LONGEST = 7_200;
const AHEAD = 0.03; // share of the window to the right of now

export class TimeWindow {
  #span = 30;
  #from = null; // null: follows now
  #bounds = { start: 0, now: 0 };

  get isFollowing() {
    return this.#from === null;
  }

  get from() {
    const { start, now } = this.#bounds;
    return this.#from ?? Math.max(start, now - this.#span * (1 - AHEAD));
  }

  get to() {
    return this.from + this.#span;
  }

  /** Set the start of time and the present. */
  update(start, now) {
    this.#bounds = { start: Math.min(start, now), now };
  }

  follow() {
    this.#from = null;
  }

  /** Stay where it is. */
  hold() {
    this.#from = this.from;
  }

  toggle() {
    if (this.isFollowing) this.hold();
    else this.follow();
  }

  /** @param {number} by seconds, backwards if negative */
  scroll(by) {
    this.#set(this.from + by);
  }

  /** Zoom around a moment that stays in place; while following, around now. */
  zoom(factor, at) {
    const span = Math.min(LONGEST, Math.max(SHORTEST, this.#span * factor));
    const from = at - ((at - this.from) * span) / this.#span;
    this.#span = span;
    if (!this.isFollowing) this.#set(from);
  }

  /** Show all of it. */
  fit() {
    const { start, now } = this.#bounds;
    this.#span = Math.min(LONGEST, Math.max(SHORTEST, (now - start) / (1 - AHEAD)));
    this.follow();
  }

  /** Scroll just far enough to show a moment. */
  reveal(time) {
    if (time < this.from) this.#set(time - this.#span * 0.1);
    else if (time > this.to) this.#set(time - this.#span * 0.9);
  }

  #set(from) {
    const { start, now } = this.#bounds;
    const latest = Math.max(start, now - this.#span * (1 - AHEAD));
    this.#from = Math.max(start, from);
    if (this.#from >= latest) this.#from = null;
  }
}
