/** The timeline: the states of each machine over time, and a way back to any moment. */

import { paints } from "../parts/colours.js";
import { byId, setAttribute, setText } from "../parts/elements.js";
import { Reader } from "../parts/journal.js";
import { seconds } from "../parts/wording.js";
import { Census } from "./census.js";
import { TimeView } from "./time_view.js";
import { TimeWindow } from "./time_window.js";
import { TimelineInput } from "./timeline_input.js";
import { AXIS, labelsWidth, LANE, Painting } from "./timeline_painting.js";
import { firstIndex, Tracks } from "./tracks.js";

const BAR = 36; // height of the title bar while it is not shown
const BORDER = 1;
const MOST_LANES = 3;
const MOST_LANES_IF_LOW = 2;
const CENSUS_LANES = 3; // the height of a census, in lanes
const LOW = 800; // pixels of window height below which the graph needs the room

/** The lanes of a machine in two recordings. */
const bothOf = ({ machine, title }) =>
  ["A", "B"].map((side) => ({ machine: `${machine} ${side}`, title: `${side} ${title}` }));

export class Timeline extends TimeView {
  /** The time pointed at, or null. */
  #cursor = null;
  #paints = null;

  /** Called after each drawing: what is shown beside it has the same axis and cursor. */
  besides = [];

  constructor(store, commands) {
    super(store, commands);
    this.pane = byId("timeline-pane");
    this.canvas = byId("timeline-canvas");
    this.followButton = byId("timeline-follow");
    this.reader = new Reader(store.journal);
    this.tracks = new Tracks();
    this.census = new Census(store);
    this.window = new TimeWindow();
    this.input = new TimelineInput(this);
    this.followButton.addEventListener("click", () => this.move(() => this.window.toggle()));
    new ResizeObserver(() => this.draw()).observe(this.pane);
    store.watch("log selected", () => this.#read());
    store.watch("drawing", () => this.#arrange());
    store.watch("log selected drawing status moment detail", () => this.draw());
  }

  /** The time pointed at; null for none. */
  get cursor() {
    return this.#cursor;
  }

  /** Pixels at the left for the machines' names. */
  get labels() {
    return labelsWidth(this.pane.clientWidth);
  }

  /** Read the colours again and repaint. */
  recolour() {
    this.#paints = null;
    this.store.changed("drawing");
  }

  /** Point at a time and describe it; null points at none. */
  point(time) {
    this.#cursor = time;
    this.draw();
  }

  /** Point at a time that may be out of view. */
  choose(time) {
    const chosen = Math.min(this.now, Math.max(0, time));
    this.window.reveal(chosen);
    this.point(chosen);
  }

  /** Show the machine as it was at a time. */
  travel(time) {
    if (time === null) return;
    this.window.hold();
    this.commands.travel(Math.min(time, this.now));
  }

  #read() {
    const { isNew, entries } = this.reader.read();
    if (isNew) {
      this.tracks.clear();
      this.tracks.keepAll(this.store.isPast);
      this.#open();
      this.#arrange();
    }
    for (const entry of entries) if (entry.kind !== "census") this.tracks.add(entry);
    this.census.read();
  }

  /** Begin at the present; of a recording show all. */
  #open() {
    const { isPast, hello } = this.store;
    if (!isPast) return this.window.follow();
    this.window.update(hello.start, hello.end);
    this.window.fit();
    this.window.hold();
  }

  #arrange() {
    const { drawing, selected } = this.store;
    const isOurs = drawing?.machines[0]?.machine === selected;
    const known = isOurs ? drawing.machines : [{ machine: selected, title: selected ?? "" }];
    const machines = this.store.hello?.kind === "comparison" ? known.flatMap(bothOf) : known;
    if (selected !== null) this.tracks.arrange(machines);
    const lanes = this.store.hello?.kind === "crowd" ? CENSUS_LANES : machines.length;
    if (isOurs || selected === null) this.#makeRoom(lanes);
  }

  /** Set the height for that many lanes, once, so that nothing moves afterwards. */
  #makeRoom(lanes) {
    const most = innerHeight < LOW ? MOST_LANES_IF_LOW : MOST_LANES;
    const bar = this.pane.previousElementSibling.offsetHeight || BAR;
    const height = bar + BORDER + AXIS + LANE * Math.min(lanes, most);
    document.documentElement.style.setProperty("--timeline-height", `${height}px`);
  }

  draw() {
    const { detail, isPast } = this.store;
    const { isShown: isCensus } = this.census;
    if (detail && !isPast && !isCensus)
      this.tracks.place(detail.machine, detail.state, this.now - detail.time_in_state);
    const start = isCensus ? this.census.start : this.tracks.start;
    this.window.update(isPast ? this.store.hello.start : start, this.now);
    if (isPast && !this.store.status.paused) this.window.reveal(this.shown);
    if (this.pane.hidden) return; // all machines are shown in its place
    setAttribute(this.followButton, "aria-pressed", String(this.window.isFollowing));
    const view = this.#size();
    if (!view) return;
    this.#paints ??= paints();
    const painting = new Painting(this.canvas.getContext("2d"), view, this.#paints);
    painting.paint(isCensus ? [] : this.tracks.lanes, {
      cursor: this.#cursor,
      moment: this.shown,
      census: isCensus ? this.census : null,
      differences: this.store.hello?.differences ?? [],
      exchanges: this.store.status.exchanges,
    });
    setText(byId("timeline-hover"), this.#cursor === null ? "" : this.#describe(this.#cursor));
    this.#describeView(view);
    for (const draw of this.besides) draw();
  }

  /** Fit the canvas to its pane and the screen; null if it is not visible. */
  #size() {
    const width = this.pane.clientWidth;
    const height = Math.max(this.pane.clientHeight, AXIS + this.tracks.lanes.length * LANE);
    const pixels = [width, height].map((each) => Math.round(each * devicePixelRatio));
    if (!width) return null;
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) {
      [this.canvas.width, this.canvas.height] = pixels;
      Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    this.canvas.getContext("2d").setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    return { from: this.window.from, to: this.window.to, now: this.now, width, height };
  }

  /** Describe the view in attributes of the canvas. */
  #describeView({ from, to, now }) {
    Object.assign(this.canvas.dataset, {
      from: from.toFixed(3),
      to: to.toFixed(3),
      labels: this.labels,
    });
    this.canvas.dataset.lanes = this.tracks.lanes.map(({ machine }) => machine).join("\n");
    setAttribute(this.canvas, "aria-valuemax", now.toFixed(1));
    setAttribute(this.canvas, "aria-valuenow", this.chosen.toFixed(1));
    setAttribute(this.canvas, "aria-valuetext", this.#describe(this.chosen));
  }

  #describe(time) {
    if (this.census.isShown) return this.census.describe(time);
    const states = this.tracks.lanes.map(({ title, blocks }) => {
      const block = blocks[firstIndex(blocks, (each) => (each.to ?? Infinity) > time)];
      return block && block.from <= time && time <= this.now ? `${title}: ${block.state}` : "";
    });
    return [seconds(Math.max(0, time)), ...states.filter(Boolean)].join("  ·  ");
  }
}
