/** The timeline: where each machine was, and a way back to any moment. */

import { byId, setAttribute, setText } from "./elements.js";
import { paints } from "./colours.js";
import { Reader } from "./journal.js";
import { TimeWindow } from "./time_window.js";
import { AXIS, LABELS, LANE, Painting } from "./timeline_painting.js";
import { firstIndex, Tracks } from "./tracks.js";
import { seconds } from "./wording.js";

const CLICK = 4;
const BAR = 37; // the height of the line above, with its border
const MOST_LANES = 3;

export class Timeline {
  #cursor = null;
  #dragged = null;
  #paints = null;

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.pane = byId("timeline-pane");
    this.canvas = byId("timeline-canvas");
    this.followButton = byId("timeline-follow");
    this.reader = new Reader(store.journal);
    this.tracks = new Tracks();
    this.window = new TimeWindow();
    this.#listen();
    new ResizeObserver(() => this.#draw()).observe(this.pane);
    store.watch("log selected", () => this.#read());
    store.watch("drawing", () => this.#arrange());
    store.watch("log selected drawing status moment detail", () => this.#draw());
  }

  /** The colours are others now. */
  recolour() {
    this.#paints = null;
    this.store.changed("drawing");
  }

  follow() {
    this.window.follow();
    this.#draw();
  }

  get #lanes() {
    return this.tracks.lanes;
  }

  #listen() {
    const { canvas } = this;
    this.followButton.onclick = () => this.#move(() => (this.window.isFollowing ? this.window.hold() : this.window.follow()));
    byId("timeline-in").onclick = () => this.#move(() => this.window.zoom(0.6, this.#middle));
    byId("timeline-out").onclick = () => this.#move(() => this.window.zoom(1 / 0.6, this.#middle));
    canvas.addEventListener("wheel", (event) => this.#turned(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.#pressed(event));
    canvas.addEventListener("pointermove", (event) => this.#pointed(event));
    canvas.addEventListener("pointerup", (event) => this.#released(event));
    canvas.addEventListener("pointercancel", () => (this.#dragged = null));
    canvas.addEventListener("pointerleave", () => this.#hover(null));
    canvas.addEventListener("dblclick", () => this.#move(() => this.window.fit()));
    canvas.addEventListener("keydown", (event) => this.#typed(event));
  }

  #read() {
    const { isNew, entries } = this.reader.read();
    if (isNew) {
      this.tracks.clear();
      this.window.follow();
      this.#arrange();
    }
    for (const entry of entries) this.tracks.add(entry);
  }

  #arrange() {
    const { drawing, selected } = this.store;
    const isOurs = drawing?.machines[0]?.machine === selected;
    const machines = isOurs ? drawing.machines : [{ machine: selected, title: selected ?? "" }];
    if (selected !== null) this.tracks.arrange(machines);
    if (isOurs || selected === null) this.#makeRoom(machines.length);
  }

  /** As high as its lanes are, so far; that is known once, and nothing moves afterwards. */
  #makeRoom(lanes) {
    const height = BAR + AXIS + LANE * Math.min(lanes, MOST_LANES);
    document.documentElement.style.setProperty("--timeline-height", `${height}px`);
  }

  #draw() {
    const { detail, status, moment } = this.store;
    if (detail) this.tracks.place(detail.machine, detail.state, status.clock - detail.time_in_state);
    this.window.update(this.tracks.start, status.clock);
    setAttribute(this.followButton, "aria-pressed", String(this.window.isFollowing));
    const view = this.#size();
    if (!view) return;
    this.#paints ??= paints();
    const painting = new Painting(this.canvas.getContext("2d"), view, this.#paints);
    painting.paint(this.#lanes, { cursor: this.#cursor, moment: moment?.time ?? null });
    this.#tell(view);
  }

  /** Fit the canvas to its pane and the screen. */
  #size() {
    const width = this.pane.clientWidth;
    const height = Math.max(this.pane.clientHeight, AXIS + this.#lanes.length * LANE);
    const pixels = [width, height].map((each) => Math.round(each * devicePixelRatio));
    if (width < LABELS * 2) return null;
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) {
      [this.canvas.width, this.canvas.height] = pixels;
      Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    this.canvas.getContext("2d").setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    return { from: this.window.from, to: this.window.to, now: this.store.status.clock, width, height };
  }

  /** The canvas says in attributes what it shows. */
  #tell({ from, to, now }) {
    const chosen = this.#cursor ?? this.store.moment?.time ?? now;
    Object.assign(this.canvas.dataset, { from: from.toFixed(3), to: to.toFixed(3), labels: LABELS });
    this.canvas.dataset.lanes = this.#lanes.map(({ machine }) => machine).join("\n");
    setAttribute(this.canvas, "aria-valuemax", now.toFixed(1));
    setAttribute(this.canvas, "aria-valuenow", chosen.toFixed(1));
    setAttribute(this.canvas, "aria-valuetext", this.#describe(chosen));
  }

  get #middle() {
    return (this.window.from + this.window.to) / 2;
  }

  /** The time at a place on the page; null among the names of the machines. */
  #timeAt(clientX) {
    const { left, width } = this.canvas.getBoundingClientRect();
    const share = (clientX - left - LABELS) / (width - LABELS);
    return share < 0 ? null : this.window.from + share * (this.window.to - this.window.from);
  }

  #move(change) {
    change();
    this.#draw();
  }

  #turned(event) {
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    const span = this.window.to - this.window.from;
    if (Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey) {
      this.#move(() => this.window.scroll((sideways / this.canvas.clientWidth) * span));
    } else {
      const at = this.#timeAt(event.clientX) ?? this.#middle;
      this.#move(() => this.window.zoom(Math.exp(event.deltaY * 0.0015), at));
    }
  }

  #pressed(event) {
    if (event.button === 0) this.#dragged = { x: event.clientX, moved: 0 };
  }

  #pointed(event) {
    if (this.#dragged) this.#drag(event);
    else this.#hover(this.#timeAt(event.clientX));
  }

  #drag(event) {
    const by = this.#dragged.x - event.clientX;
    this.#dragged.moved += Math.abs(by);
    if (this.#dragged.moved <= CLICK) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.#dragged.x = event.clientX;
    const perPixel = (this.window.to - this.window.from) / (this.canvas.clientWidth - LABELS);
    this.#move(() => this.window.scroll(by * perPixel));
  }

  #released(event) {
    const wasClick = this.#dragged && this.#dragged.moved <= CLICK;
    this.#dragged = null;
    if (wasClick) this.#travel(this.#timeAt(event.clientX));
  }

  #travel(time) {
    if (time === null) return;
    this.window.hold();
    this.commands.travel(Math.min(time, this.store.status.clock));
  }

  #hover(time) {
    this.#cursor = time;
    setText(byId("timeline-hover"), time === null ? "" : this.#describe(time));
    this.#draw();
  }

  #describe(time) {
    const now = this.store.status.clock;
    const states = this.#lanes.map(({ title, blocks }) => {
      const block = blocks[firstIndex(blocks, (each) => (each.to ?? Infinity) > time)];
      return block && block.from <= time && time <= now ? `${title}: ${block.state}` : "";
    });
    return [seconds(Math.max(0, time)), ...states.filter(Boolean)].join("  ·  ");
  }

  #typed(event) {
    const step = (this.window.to - this.window.from) / (event.shiftKey ? 10 : 100);
    const at = this.#cursor ?? this.store.moment?.time ?? this.store.status.clock;
    const choices = {
      ArrowLeft: () => this.#choose(at - step), ArrowRight: () => this.#choose(at + step),
      Home: () => this.#choose(this.tracks.start), End: () => this.follow(),
      "+": () => this.window.zoom(0.6, at), "-": () => this.window.zoom(1 / 0.6, at),
      Enter: () => this.#travel(at),
    };
    if (!choices[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    this.#move(choices[event.key]);
  }

  #choose(time) {
    const chosen = Math.min(this.store.status.clock, Math.max(0, time));
    this.window.reveal(chosen);
    this.#hover(chosen);
  }
}
