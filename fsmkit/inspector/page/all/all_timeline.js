/** The timeline of all machines: a thin lane each, with its states as coloured bars. */

import { paints } from "../parts/colours.js";
import { byId, setAttribute, setText } from "../parts/elements.js";
import { seconds, stateName } from "../parts/wording.js";
import { TimeView } from "../timeline/time_view.js";
import { TimeWindow } from "../timeline/time_window.js";
import { TimelineInput } from "../timeline/timeline_input.js";
import { AllPainting, AXIS, labelsWidth } from "./all_painting.js";

const LANE = matchMedia("(pointer: coarse)").matches ? 26 : 17;
const PAGE = 10; // lanes that Page Up and Page Down go

export class AllTimeline extends TimeView {
  /** @type {number|null} the time pointed at */
  #time = null;
  /** @type {string|null} the machine pointed at */
  #machine = null;
  #paints = null;
  /** Called after each drawing: what is shown below it has the same axis and cursor. */
  besides = [];
  /** Called before it is shown: what is in its place leaves. */
  makesRoom = () => {};

  constructor(store, commands, following) {
    super(store, commands);
    this.following = following;
    this.pane = byId("timeline-all-pane");
    this.canvas = byId("timeline-all-canvas");
    this.button = byId("timeline-all");
    this.followButton = byId("timeline-follow");
    this.window = new TimeWindow();
    this.input = new TimelineInput(this);
    this.button.onclick = () => this.toggle();
    this.followButton.addEventListener("click", () => this.move(() => this.window.toggle()));
    this.pane.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.pane);
    store.watch("machines hello", () => this.#lock());
    store.watch("all found selected status moment marks", () => this.draw());
  }

  get isShown() {
    return !this.pane.hidden;
  }

  get tracks() {
    return this.store.everyone.tracks;
  }

  /** The time pointed at; null for none. */
  get cursor() {
    return this.#time;
  }

  get labels() {
    return labelsWidth(this.pane.clientWidth);
  }

  /** The keys of this timeline alone. */
  get moreKeys() {
    return {
      ArrowUp: () => this.#step(-1),
      ArrowDown: () => this.#step(1),
      PageUp: () => this.#step(-PAGE),
      PageDown: () => this.#step(PAGE),
    };
  }

  get #machines() {
    return this.store.everyone.roster.found;
  }

  toggle() {
    if (this.button.hidden) return;
    this.show(!this.isShown);
  }

  /** Show all machines, or the selected one again. */
  show(isShown) {
    if (isShown) this.makesRoom();
    this.pane.hidden = !isShown;
    byId("timeline-pane").hidden = isShown;
    document.body.classList.toggle("all-lanes", isShown);
    setAttribute(this.button, "aria-pressed", String(isShown));
    this.following.want("timeline", isShown);
    if (isShown && this.store.isPast) this.#fit();
    this.draw();
  }

  /** Show all of a recording. */
  #fit() {
    this.window.update(this.store.hello.start, this.now);
    this.window.fit();
    this.window.hold();
  }

  recolour() {
    this.#paints = null;
    this.draw();
  }

  /** Point at a time and, at a height on the page, at a machine. */
  point(time, clientY = null) {
    this.#time = time;
    if (clientY !== null) this.#machine = this.#machineAt(clientY);
    if (time === null) this.#machine = null;
    this.draw();
  }

  /** Point at a time that may be out of view. */
  choose(time) {
    const chosen = Math.min(this.now, Math.max(0, time));
    this.#machine ??= this.store.selected;
    this.window.reveal(chosen);
    this.point(chosen);
  }

  /** Go to the machine pointed at, at a time; without a time, as it is now. */
  travel(time, clientY = null) {
    const machine = clientY === null ? this.#machine : this.#machineAt(clientY);
    if (machine === null) return;
    if (time > this.now) this.commands.backToNow();
    if (time === null || time > this.now) {
      this.commands.select(machine);
      return;
    }
    this.window.hold();
    this.commands.visit(machine, time);
  }

  /** The wheel scrolls the lanes, unless Ctrl or Shift is held. */
  takesWheel(event) {
    return !event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY);
  }

  /** A single machine has a timeline of its own only. */
  #lock() {
    const { canFollowAll } = this.store;
    this.button.hidden = !canFollowAll;
    if (!canFollowAll && this.isShown) this.show(false);
  }

  #step(by) {
    const at = this.#machines.indexOf(this.#machine ?? this.store.selected);
    const last = this.#machines.length - 1;
    this.#machine = this.#machines[Math.min(last, Math.max(0, at + by))] ?? null;
    this.#reveal(this.#machines.indexOf(this.#machine));
    this.point(this.chosen);
  }

  #reveal(index) {
    const top = index * LANE;
    const room = this.pane.clientHeight - AXIS - LANE;
    if (top < this.pane.scrollTop) this.pane.scrollTop = top;
    else if (top > this.pane.scrollTop + room) this.pane.scrollTop = top - room;
  }

  #machineAt(clientY) {
    const y = clientY - this.canvas.getBoundingClientRect().top - AXIS;
    if (y < 0) return null;
    return this.#machines[Math.floor((y + this.pane.scrollTop) / LANE)] ?? null;
  }

  #describe() {
    if (this.#time === null) return "";
    const time = seconds(Math.max(0, this.#time));
    if (this.#machine === null) return time;
    const state = this.#stateAt(this.#machine, this.#time);
    return [time, this.#machine, state].filter(Boolean).join("  ·  ");
  }

  #stateAt(machine, time) {
    if (time > this.now) return "";
    const block = this.tracks.blockAt(machine, time);
    if (block) return block.state;
    const { roster } = this.store.everyone;
    const isKnown = time >= roster.since(machine);
    return isKnown ? stateName(this.store.machines.get(machine)) : "";
  }

  draw() {
    if (!this.isShown) return;
    this.window.update(Math.min(this.tracks.start, this.now), this.now);
    setAttribute(this.followButton, "aria-pressed", String(this.window.isFollowing));
    const view = this.#size();
    if (!view) return;
    this.#paints ??= paints();
    const painting = new AllPainting(this.canvas.getContext("2d"), view, this.#paints, LANE, this.labels);
    const first = Math.floor(this.pane.scrollTop / LANE);
    const shown = this.#machines.slice(first, first + Math.ceil(view.height / LANE) + 1);
    const { selected, machines } = this.store;
    const { roster } = this.store.everyone;
    const lanes = shown.map((machine) => ({
      machine,
      lane: this.tracks.lane(machine),
      state: machines.get(machine) ?? null,
      since: roster.since(machine),
      trouble: roster.errors(machine) ? "danger" : roster.unhandled(machine) ? "warning" : "",
      isSelected: machine === selected,
      isPointed: machine === this.#machine,
    }));
    const { exchanges } = this.store.status;
    const times = { cursor: this.#time, moment: this.shown, exchanges };
    painting.paint(lanes, first * LANE - this.pane.scrollTop, times);
    setText(byId("timeline-hover"), this.#describe());
    Object.assign(this.canvas.dataset, {
      from: view.from.toFixed(3),
      to: view.to.toFixed(3),
      labels: this.labels,
      lanes: shown.join("\n"),
    });
    for (const draw of this.besides) draw();
  }

  /** Fit the canvas to its pane, and the height below it to the lanes; null if not visible. */
  #size() {
    const { clientWidth: width, clientHeight: height } = this.pane;
    if (!width || !height) return null;
    const pixels = [width, height].map((each) => Math.round(each * devicePixelRatio));
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) {
      [this.canvas.width, this.canvas.height] = pixels;
      Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    const all = AXIS + this.#machines.length * LANE;
    byId("timeline-all-height").style.height = `${Math.max(0, all - height)}px`;
    this.canvas.getContext("2d").setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    return { from: this.window.from, to: this.window.to, now: this.now, width, height };
  }
}
