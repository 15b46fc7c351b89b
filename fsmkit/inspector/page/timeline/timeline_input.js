/** Mouse, touch and keyboard input of the timeline. */

import { byId } from "../parts/elements.js";

const CLICK = 4; // pixels that a pointer may move during a click
const ZOOM = 0.6;

export class TimelineInput {
  #dragged = null;

  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {HTMLElement} [canvas] another part with the same time axis
   */
  constructor(timeline, canvas = timeline.canvas) {
    this.timeline = timeline;
    this.canvas = canvas;
    if (canvas === timeline.canvas) {
      byId("timeline-in").addEventListener("click", () => this.#zoomMiddle(ZOOM));
      byId("timeline-out").addEventListener("click", () => this.#zoomMiddle(1 / ZOOM));
    }
    const on = (event, listener, options) => this.canvas.addEventListener(event, listener, options);
    on("wheel", (event) => this.#turned(event), { passive: false });
    on("pointerdown", (event) => this.#pressed(event));
    on("pointermove", (event) => this.#pointed(event));
    on("pointerup", (event) => this.#released(event));
    on("pointercancel", () => (this.#dragged = null));
    on("pointerleave", () => timeline.point(null));
    on("blur", () => timeline.point(null));
    on("dblclick", () => timeline.move(() => timeline.window.fit()));
    on("keydown", (event) => this.#typed(event));
  }

  get #span() {
    return this.timeline.window.to - this.timeline.window.from;
  }

  get #width() {
    return this.canvas.clientWidth - this.timeline.labels;
  }

  /** The time at a position on the page; null over the machines' names. */
  #timeAt(clientX) {
    const share =
      (clientX - this.canvas.getBoundingClientRect().left - this.timeline.labels) / this.#width;
    return share < 0 ? null : this.timeline.window.from + share * this.#span;
  }

  #zoom(factor, at) {
    this.timeline.move(() => this.timeline.window.zoom(factor, at));
  }

  /** Two timelines share the buttons; one of them is shown. */
  #zoomMiddle(factor) {
    if (this.canvas.checkVisibility()) this.#zoom(factor, this.timeline.middle);
  }

  #scroll(pixels) {
    this.timeline.move(() => this.timeline.window.scroll((pixels / this.#width) * this.#span));
  }

  #turned(event) {
    if (this.timeline.takesWheel?.(event)) return;
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.shiftKey || Math.abs(sideways) > Math.abs(event.deltaY)) this.#scroll(sideways);
    else
      this.#zoom(
        Math.exp(event.deltaY * 0.0015),
        this.#timeAt(event.clientX) ?? this.timeline.middle,
      );
  }

  #pressed(event) {
    if (event.button === 0 && !event.target.closest("button")) this.#dragged = { x: event.clientX, moved: 0 };
  }

  #pointed(event) {
    if (this.#dragged) this.#drag(event);
    else this.timeline.point(this.#timeAt(event.clientX), event.clientY);
  }

  #drag(event) {
    const by = this.#dragged.x - event.clientX;
    this.#dragged.moved += Math.abs(by);
    this.#dragged.x = event.clientX;
    if (this.#dragged.moved <= CLICK) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.#scroll(by);
  }

  #released(event) {
    const wasClick = this.#dragged && this.#dragged.moved <= CLICK;
    this.#dragged = null;
    if (wasClick) this.timeline.travel(this.#timeAt(event.clientX), event.clientY);
  }

  #typed(event) {
    if (event.target !== this.canvas) return;
    const { timeline } = this;
    const step = this.#span / (event.shiftKey ? 10 : 100);
    const at = timeline.chosen;
    const choices = {
      ArrowLeft: () => timeline.choose(at - step),
      ArrowRight: () => timeline.choose(at + step),
      Home: () => timeline.choose(timeline.tracks.start),
      ...timeline.moreKeys,
      End: () => timeline.follow(),
      "+": () => this.#zoom(ZOOM, at),
      "-": () => this.#zoom(1 / ZOOM, at),
      Enter: () => timeline.travel(at),
    };
    if (!choices[event.key]) return;
    event.preventDefault();
    choices[event.key]();
  }
}
