/** Who sends which event to whom: a lane for each machine, over time, with arrows in between. */

import { AllPainting, AXIS, labelsWidth } from "../all/all_painting.js";
import { paints } from "../parts/colours.js";
import { byId, setAttribute, setText } from "../parts/elements.js";
import { TimeView } from "../timeline/time_view.js";
import { TimelineInput } from "../timeline/timeline_input.js";
import { fullText } from "./sends_journal.js";
import { lanesOf, nameOf, shownLane } from "./sends_lanes.js";
import { SendsList } from "./sends_list.js";
import { SendsPainting } from "./sends_painting.js";

const LANE = 36;
const BAR = 5; // pixels of the states of a machine
const LETTERS = 12;
const NEAR = 9; // pixels to an arrow that is pointed at
const LEGEND = "▼ changed  ○ ignored  ● consumed  ✕ unhandled  ▽ refused";
const NOTHING = "No machine has sent another one an event yet, and nothing has come from outside.";

export class SendsView extends TimeView {
  #arrows = [];
  #lanes = [];
  /** @type {import("./sends_journal.js").Arrow|null} the one pointed at */
  #pointed = null;
  #cursor = null;
  #paints = null;

  /** @param {import("../all/all_timeline.js").AllTimeline} allTimeline has the same time window */
  constructor(store, commands, following, allTimeline) {
    super(store, commands);
    this.following = following;
    this.allTimeline = allTimeline;
    this.window = allTimeline.window;
    this.pane = byId("sends-pane");
    this.canvas = byId("sends-canvas");
    this.button = byId("sends-show");
    this.listButton = byId("sends-as-list");
    this.filter = byId("sends-filter");
    this.list = new SendsList((arrow) => this.#visit(arrow));
    this.input = new TimelineInput(this);
    this.button.onclick = () => this.toggle();
    this.listButton.onclick = () => this.#showList(byId("sends-list").hidden);
    this.filter.addEventListener("input", () => this.#read());
    this.pane.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.pane);
    allTimeline.makesRoom = () => this.show(false);
    byId("timeline-follow").addEventListener("click", () => this.draw());
    store.watch("machines hello", () => this.#lock());
    store.watch("hello", () => this.isShown && store.hello && this.#ask(true));
    store.watch("sends selected found", () => this.#read());
    store.watch("status moment all", () => this.draw());
  }

  get isShown() {
    return !byId("sends").hidden;
  }

  get labels() {
    return labelsWidth(this.pane.clientWidth);
  }

  get chosen() {
    return this.#pointed?.send.time ?? super.chosen;
  }

  /** The time pointed at; null for none. */
  get cursor() {
    return this.#cursor;
  }

  get tracks() {
    return this.store.everyone.tracks;
  }

  /** The arrow keys go from event to event. */
  get moreKeys() {
    const keys = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, PageUp: -10, PageDown: 10 };
    return Object.fromEntries(Object.entries(keys).map(([key, by]) => [key, () => this.#step(by)]));
  }

  toggle() {
    if (!this.button.hidden) this.show(!this.isShown);
  }

  show(isShown) {
    if (isShown === this.isShown) return;
    if (isShown) this.allTimeline.show(false);
    byId("sends").hidden = !isShown;
    byId("timeline-pane").hidden = isShown || this.allTimeline.isShown;
    document.body.classList.toggle("sends-lanes", isShown);
    this.filter.hidden = this.listButton.hidden = !isShown;
    setAttribute(this.button, "aria-pressed", String(isShown));
    this.following.want("sends", isShown);
    this.#ask(isShown);
    setText(byId("timeline-hover"), isShown ? LEGEND : "");
    this.#read();
    if (!isShown) this.store.changed("status");
  }

  recolour() {
    this.#paints = null;
    this.draw();
  }

  point(time, clientY = null) {
    this.#cursor = time;
    this.#pointed = time === null || clientY === null ? null : this.#nearest(time, clientY);
    this.#describe();
  }

  choose(time) {
    this.window.reveal(time);
    this.point(Math.min(this.now, Math.max(0, time)));
  }

  /** Go to the receiver of the event pointed at, or to the machine of a lane at a time. */
  travel(time, clientY = null) {
    const arrow = clientY === null || time === null ? this.#pointed : this.#nearest(time, clientY);
    if (arrow) return this.#visit(arrow);
    const lane = clientY === null ? null : this.#laneAt(clientY);
    const machine = this.store.machines.has(lane) ? lane : null;
    if (machine === null) return;
    if (time === null || time > this.now) this.commands.select(machine);
    else this.commands.visit(machine, time);
  }

  takesWheel(event) {
    return !event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY);
  }

  #ask(on) {
    if (this.store.isConnected) this.commands.ask("follow_sends", { on });
  }

  #visit({ send }) {
    if (!this.store.machines.has(send.to)) return;
    this.window.hold();
    this.commands.visit(send.to, send.time);
  }

  #lock() {
    const { canFollowAll, hello } = this.store;
    this.button.hidden = !canFollowAll || !hello?.follows_sends;
    if (this.button.hidden) this.show(false);
  }

  #showList(isShown) {
    byId("sends-list").hidden = !isShown;
    this.pane.hidden = isShown;
    setAttribute(this.listButton, "aria-pressed", String(isShown));
    this.#read();
  }

  /** Find the arrows, and the lanes: of machines that exchange something first. */
  #read() {
    if (!this.isShown) return;
    const { selected, everyone } = this.store;
    const wanted = this.filter.value.trim().toLowerCase();
    this.#arrows = everyone.sends.arrows(selected, wanted);
    this.#lanes = lanesOf(this.#arrows, wanted ? [] : everyone.roster.found);
    byId("sends-empty").hidden = this.#arrows.length > 0;
    setText(byId("sends-empty"), wanted ? "No event from or to such a machine." : NOTHING);
    const seq = this.#pointed?.send.seq;
    this.#pointed = this.#arrows.find(({ send }) => send.seq === seq) ?? null;
    this.#describe();
  }

  #step(by) {
    const index = this.#arrows.indexOf(this.#pointed);
    const before = this.#arrows.filter(({ send }) => send.time <= this.chosen).length;
    const at = index >= 0 ? index + by : by < 0 ? before - 1 : before;
    this.#pointed = this.#arrows[Math.min(this.#arrows.length - 1, Math.max(0, at))] ?? null;
    if (!this.#pointed) return;
    this.window.hold();
    this.window.reveal(this.#pointed.send.time);
    const top = this.#lanes.indexOf(this.#pointed.to) * LANE;
    const room = this.pane.clientHeight - AXIS - LANE;
    this.pane.scrollTop = Math.min(top, Math.max(top - room, this.pane.scrollTop));
    this.#describe();
    setText(byId("announcer"), fullText(this.#pointed));
  }

  #describe() {
    if (this.isShown) setText(byId("timeline-hover"), this.#pointed ? fullText(this.#pointed) : LEGEND);
    byId("timeline-hover").title = this.#pointed ? fullText(this.#pointed) : "";
    this.draw();
  }

  #middleOf(lane) {
    return AXIS + (this.#lanes.indexOf(lane) + 0.5) * LANE - this.pane.scrollTop - 1;
  }

  #laneAt(clientY) {
    const y = clientY - this.canvas.getBoundingClientRect().top - AXIS;
    return y < 0 ? null : (this.#lanes[Math.floor((y + this.pane.scrollTop) / LANE)] ?? null);
  }

  #nearest(time, clientY) {
    const y = clientY - this.canvas.getBoundingClientRect().top;
    const perPixel = (this.window.to - this.window.from) / (this.canvas.clientWidth - this.labels);
    const isHit = ({ from, to }) => {
      const ends = [this.#middleOf(from), this.#middleOf(to)];
      return y > Math.min(...ends) - NEAR && y < Math.max(...ends) + NEAR;
    };
    const distance = ({ send, to }) =>
      Math.abs(send.time - time) / perPixel + Math.abs(this.#middleOf(to) - y) / 1_000;
    const near = this.#arrows.filter((each) => distance(each) < NEAR && isHit(each));
    return near.sort((one, other) => distance(one) - distance(other))[0] ?? null;
  }

  draw() {
    if (!this.isShown) return;
    this.window.update(Math.min(this.tracks.start, this.now), this.now);
    setAttribute(byId("timeline-follow"), "aria-pressed", String(this.window.isFollowing));
    if (this.pane.hidden) return this.list.show(this.#arrows, this.window.isFollowing);
    const view = this.#size();
    if (!view) return;
    this.#paints ??= paints();
    const pen = this.canvas.getContext("2d");
    const sizes = { bar: BAR, letters: LETTERS };
    const painting = new AllPainting(pen, view, this.#paints, LANE, this.labels, sizes);
    const first = Math.floor(this.pane.scrollTop / LANE);
    const shown = this.#lanes.slice(first, first + Math.ceil(view.height / LANE) + 1);
    const times = { cursor: this.#cursor, moment: this.shown };
    painting.paint(shown.map((lane) => shownLane(this.store, lane, lane === this.#pointed?.to)), first * LANE - this.pane.scrollTop, times);
    const inView = this.#arrows.filter(({ send }) => send.time >= view.from && send.time <= view.to);
    new SendsPainting(painting, (lane) => this.#middleOf(lane)).paint(inView, this.#pointed);
    Object.assign(this.canvas.dataset, {
      from: view.from.toFixed(3), to: view.to.toFixed(3), labels: this.labels,
      lanes: shown.map(nameOf).join("\n"), arrows: inView.length,
    });
  }

  #size() {
    const { clientWidth: width, clientHeight: height } = this.pane;
    if (!width || !height) return null;
    const pixels = [width, height].map((each) => Math.round(each * devicePixelRatio));
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) {
      [this.canvas.width, this.canvas.height] = pixels;
      Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    const all = AXIS + this.#lanes.length * LANE;
    byId("sends-height").style.height = `${Math.max(0, all - height)}px`;
    this.canvas.getContext("2d").setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    return { from: this.window.from, to: this.window.to, now: this.now, width, height };
  }
}
