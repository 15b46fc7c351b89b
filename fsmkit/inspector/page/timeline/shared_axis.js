/** The time axis of what lies below the timelines: that of the timeline that is shown. */

export class SharedAxis {
  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {import("../all/all_timeline.js").AllTimeline} allTimeline
   * @param {HTMLElement} list what has the axis
   */
  constructor(timeline, allTimeline, list) {
    this.timeline = timeline;
    this.allTimeline = allTimeline;
    this.list = list;
  }

  get #shown() {
    return this.allTimeline.isShown ? this.allTimeline : this.timeline;
  }

  get window() {
    return this.#shown.window;
  }

  get labels() {
    return this.#shown.labels;
  }

  get now() {
    return this.#shown.now;
  }

  get middle() {
    return this.#shown.middle;
  }

  get chosen() {
    return this.#shown.chosen;
  }

  /** The time pointed at; null for none. */
  get cursor() {
    return this.#shown.cursor;
  }

  /** The moment that is shown; null for the present. */
  get moment() {
    return this.timeline.shown;
  }

  move(change) {
    this.#shown.move(change);
  }

  point(time) {
    this.#shown.point(time);
  }

  /** Show the selected machine as it was at a time. */
  travel(time) {
    this.#shown.window.hold();
    this.timeline.travel(time);
  }

  /** The wheel scrolls the list if it is longer than its place. */
  takesWheel(event) {
    return this.list.scrollHeight > this.list.clientHeight && !event.ctrlKey && !event.shiftKey;
  }
}
