/** TimeView: what the views over time have in common: the present, the moment shown, the window. */

export class TimeView {
  /** @type {import("./time_window.js").TimeWindow} set by the views */
  window = null;

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
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

  /** Change the time window and redraw. */
  move(change) {
    change();
    this.draw();
  }
}
