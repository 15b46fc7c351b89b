/** The data of the page. Watchers are called about changes once per animation frame. */

import { Everyone } from "../all/everyone.js";
import { isAtSame } from "./breakpoint_words.js";
import { Journal } from "./journal.js";

const NOTHING_YET = {
  clock: 0,
  paused: false,
  speed: 1,
  updates: 0,
  idle: 0,
  held: null,
  stop: null,
  awaits: null,
  exchanges: [],
  dropped: 0,
  log_dropped: 0,
};

const PAST = ["recording", "comparison"];

export class Store {
  isConnected = false;
  wasConnected = false;
  /** The server's greeting; null before it came. */
  hello = null;
  /** @type {Map<string, string|null>} outermost machine -> state */
  machines = new Map();
  /** @type {string|null} */
  selected = null;
  /** The last machine that left while it was selected. */
  departed = null;
  status = NOTHING_YET;
  /** @type {import("./breakpoint_words.js").Breakpoint[]} */
  breakpoints = [];
  /** The selected machine as it is now. */
  detail = null;
  /** A past moment that is shown instead; null for now. */
  moment = null;
  /** All machines at that moment; null for now, and where they are not known.
   * @type {import("../all/group_moment.js").GroupMoment|null} */
  group = null;
  /** The drawing of the selected machine, once it has been loaded. */
  drawing = null;
  journal = new Journal();
  /** What is known of all machines. */
  everyone = new Everyone(this);

  #awaitsReset = false;
  #watchers = [];
  #changed = new Set();
  #frame = 0;

  /** The detail that the panels show. */
  get shown() {
    return this.moment ? this.moment.detail : this.detail;
  }

  /** The state of a machine as shown: of now, or of the past moment; undefined if not known then. */
  stateOf(machine) {
    return this.group ? this.group.state(machine) : (this.machines.get(machine) ?? null);
  }

  /** The time that is shown; of a past moment the one that was asked for, which may lie after it. */
  get time() {
    return this.moment ? (this.moment.wanted ?? this.moment.time) : this.status.clock;
  }

  /** The name of the first machine; null if there is none. */
  get firstMachine() {
    return this.machines.keys().next().value ?? null;
  }

  /** True if there are several machines, and the program tells what all of them do. */
  get canFollowAll() {
    return this.machines.size > 1 && (this.hello?.follows_all ?? false);
  }

  /** True if a past moment is one of all machines. */
  get canTravelTogether() {
    return this.canFollowAll && !this.isPast && this.hello.kind !== "crowd";
  }

  get isReadOnly() {
    return this.isPast || (this.hello?.read_only ?? false);
  }

  /** True if nothing can be changed: the page only watches, or shows the past. */
  get isLocked() {
    return this.isReadOnly || !this.isConnected || this.isPast || this.moment !== null;
  }

  /** True if a page keeps the updates from this machine. */
  isSuspended(machine) {
    return this.status.suspended?.includes(machine) ?? false;
  }

  /** True if the page shows a recording, or two. */
  get isPast() {
    return PAST.includes(this.hello?.kind);
  }

  hasBreakpoint(machine, kind, name, way) {
    const place = { kind, name, way };
    return this.breakpoints.some((each) => each.machine === machine && isAtSame(each, place));
  }

  /** The breakpoints that are hit there, those on any machine included. */
  breakpointsAt(machine, kind, name, way) {
    const place = { kind, name, way };
    return this.breakpoints.filter(
      (each) => (each.machine ?? machine) === machine && isAtSame(each, place),
    );
  }

  /** Call `draw`, in an animation frame, after any of these parts changes. */
  watch(parts, draw) {
    this.#watchers.push({ parts: parts.split(" "), draw });
    this.changed(...parts.split(" "));
  }

  /** Mark parts as changed. */
  changed(...parts) {
    for (const part of parts) this.#changed.add(part);
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  setConnected(isConnected) {
    this.isConnected = isConnected;
    this.wasConnected ||= isConnected;
    this.changed("connection");
  }

  /** Show a past moment, of all machines if `group` is known; null for now. */
  setMoment(moment, group = null) {
    if (this.group !== group) this.changed("machines");
    this.moment = moment;
    this.group = group;
    this.changed("moment", "detail");
  }

  setDrawing(drawing) {
    this.drawing = drawing;
    this.changed("drawing");
  }

  /** Select another machine; the data of the last one is dropped. */
  select(machine, { stays = false } = {}) {
    if (machine !== this.selected) this.journal.before = [];
    this.selected = machine;
    this.detail = null;
    this.setMoment(stays ? momentWithout(this.moment.time) : null, stays ? this.group : null);
    this.#awaitsReset = true;
    this.journal.clear();
    this.everyone.see(machine);
    this.changed("selected", "log");
  }

  /** True for the greeting of another run of the program; a recording says the same in each. */
  isRestart({ run, kind }) {
    return this.hello !== null && run !== this.hello.run && !PAST.includes(kind);
  }

  /** Keep nothing for the next greeting, which is another program's. */
  forget() {
    this.hello = null;
    this.selected = null;
    this.journal.before = [];
    this.everyone.journal.before = [];
  }

  /** Handle the first message of a connection. */
  greet(hello) {
    const isRestart = this.isRestart(hello);
    const wanted = this.selected ?? hello.selected;
    this.hello = hello;
    this.machines = new Map(hello.machines);
    this.status = { ...NOTHING_YET, exchanges: hello.exchanges ?? [] };
    this.breakpoints = [];
    this.journal.limit = this.isPast ? 100_000 : 5_000;
    if (isRestart) this.journal.retire();
    this.everyone.greet(hello, isRestart);
    this.select(this.machines.has(wanted) ? wanted : (hello.selected ?? this.firstMachine));
    this.changed("hello", "machines", "status", "breakpoints");
  }

  /** Handle a frame: everything that happened since the last one. */
  receive(frame) {
    const { suspended, paused, held, exchanges } = this.status;
    const before = shownOf(this.status);
    this.status = { ...this.status, ...frame };
    const isResting = shownOf(this.status) === before;
    if (String(suspended) !== String(this.status.suspended)) this.changed("suspended", "machines");
    if (paused !== this.status.paused || !held !== !this.status.held) this.changed("paused");
    if (exchanges.at(-1) !== this.status.exchanges.at(-1)) this.changed("exchanges");
    if (!isResting) this.changed("status");
    this.#receiveMachines(frame);
    this.#receiveBreakpoints(frame);
    this.#receiveChoice(frame);
    this.#receiveSelected(frame, isResting);
    this.everyone.receive(frame);
  }

  #receiveBreakpoints({ breakpoints }) {
    if (!breakpoints || JSON.stringify(breakpoints) === JSON.stringify(this.breakpoints)) return;
    this.breakpoints = breakpoints;
    this.changed("breakpoints");
  }

  #receiveMachines({ states = {}, joined = [], left = [] }) {
    for (const machine of left) this.machines.delete(machine);
    for (const [machine, state] of joined) this.machines.set(machine, state);
    for (const [machine, state] of Object.entries(states)) {
      if (this.machines.has(machine)) this.machines.set(machine, state);
    }
    if (left.length || joined.length || Object.keys(states).length) this.changed("machines");
  }

  /** The server selects for a page whose machine has left, or which had none. */
  #receiveChoice({ selected, left = [] }) {
    const hasLeft = left.includes(this.selected);
    if (hasLeft) {
      this.departed = this.selected;
      this.changed("departed");
    }
    const isWanted = hasLeft || this.selected === null;
    if (isWanted && selected !== undefined) this.select(selected);
  }

  #receiveSelected({ reset, selected = this.selected, detail, log = [] }, isResting) {
    if (selected !== this.selected) return; // another one has been requested meanwhile
    if (detail && detail.machine !== this.selected) return;
    if (reset) {
      this.journal.clear();
      this.#awaitsReset = false;
    }
    if (this.#awaitsReset) return;
    if (log.length || reset) {
      this.journal.add(log);
      this.changed("log");
    }
    if (detail) {
      const isSame = isResting && JSON.stringify(detail) === JSON.stringify(this.detail);
      this.detail = detail;
      if (!isSame) this.changed("detail");
    }
  }

  #draw() {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#frame = 0;
    for (const { parts, draw } of this.#watchers) {
      if (parts.some((part) => changed.has(part))) draw(changed);
    }
  }
}

/** What the page shows of a status: nothing is drawn again for a frame that says the same. */
const shownOf = ({ clock, paused, speed, idle, held, suspended, stop, awaits, recorded, has_map: hasMap, dropped, log_dropped: lost }) =>
  JSON.stringify([clock, paused, speed, Math.floor(idle), held, suspended, stop, awaits, recorded, hasMap, dropped, lost]);

/** A moment at which a machine is shown without its details, which are not there (yet). */
export function momentWithout(time, why = "") {
  return { seq: null, time, detail: null, can_go_on: false, why };
}
