/** TimeView: what the views over time have in common: the present, the moment shown, the window. */

export class TimeView {
  /** @type {import("./time_window.js").TimeWindow} set by the views */
  window = null;
  #isAway = false; // at a moment, and back again afterwards

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    store.watch("moment", () => this.#goAlong());
  }

  /** The present; of a recording its end. */
  get now() {
    return this.store.isPast ? this.store.hello.end : this.store.status.clock;
  }

  /** The moment that is shown; null for the present. */
  get shown() {
    return this.store.isPast ? this.store.status.clock : (this.store.moment?.time ?? null);
  }

  get middle() {
    return (this.window.from + this.window.to) / 2;
  }

  /** The time from which keys start; `cursor` is the one pointed at. */
  get chosen() {
    return this.cursor ?? this.shown ?? this.now;
  }

  /** Follow the present, and point at nothing. */
  follow() {
    this.window.follow();
    this.point(null);
  }

  /** Stay at a past moment that something else has chosen; then follow the present again. */
  #goAlong() {
    const { moment, isPast } = this.store;
    if (isPast) return;
    if (moment) {
      this.#isAway ||= this.window.isFollowing;
      if (this.window.isFollowing) this.window.hold();
      this.window.reveal(moment.time);
    } else if (this.#isAway) {
      this.#isAway = false;
      this.window.follow();
    }
  }

  /** Change the time window and redraw. */
  move(change) {
    change();
    this.draw();
  }
}
