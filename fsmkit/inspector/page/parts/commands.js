/** The commands behind buttons and keys. A refusal is shown in a toast. */

import { GroupMoment } from "../all/group_moment.js";
import { momentWithout } from "./store.js";

const SPEEDS = [0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10];
const MOST_TOLD = 5_000; // machines whose states are told at once
const MOST_ASKED = 1_500; // of more machines, those whose states are asked for
const MOST_STEPS = 3; // that wait for one another
const LATE = 600; // milliseconds
const TOLERANCE = 1.01; // the slider does not hit these speeds exactly

export class Commands {
  #speed = 1; // requested last
  #askedAt = -Infinity;
  #isAsking = false;
  #steps = []; // from change to change, that are under way
  #travels = 0;

  constructor(connection, store, toasts) {
    this.connection = connection;
    this.store = store;
    this.toasts = toasts;
  }

  /** Send a request; null if the server refuses it. */
  async ask(request, more) {
    try {
      return await this.connection.ask(request, more);
    } catch (error) {
      this.toasts.show(error.message);
      return null;
    }
  }

  pauseOrResume() {
    return this.#control(this.store.status.paused || this.store.status.held ? "resume" : "pause");
  }

  pause() {
    return this.#control("pause");
  }

  resume() {
    return this.#control("resume");
  }

  step() {
    return this.#control("step");
  }

  /** The newest value counts; others are not sent while one is on its way. */
  async setSpeed(factor) {
    this.#askedAt = performance.now();
    this.#speed = Math.min(SPEEDS.at(-1), Math.max(SPEEDS[0], factor));
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (let sent = null; sent !== this.#speed; ) {
      sent = this.#speed;
      await this.#control("speed", { factor: sent });
    }
    this.#isAsking = false;
  }

  faster() {
    const now = this.#speedNow();
    return this.setSpeed(SPEEDS.find((speed) => speed > now * TOLERANCE) ?? now);
  }

  slower() {
    const now = this.#speedNow();
    return this.setSpeed(SPEEDS.findLast((speed) => speed < now / TOLERANCE) ?? now);
  }

  /** The status lags behind: a key pressed again starts from the speed requested last. */
  #speedNow() {
    const isNew = this.#isAsking || performance.now() - this.#askedAt < LATE;
    return isNew ? this.#speed : this.store.status.speed;
  }

  /**
   * Select another machine, at the past moment that is shown or at `time`; if that is refused,
   * select the previous one again.
   */
  async select(machine, before = this.store.selected, time = this.store.group?.time) {
    if (machine === before) return;
    const stays = this.store.group !== null;
    this.store.select(machine, { stays });
    const answer = await this.ask("select", { machine });
    if (this.store.selected !== machine) return;
    if (answer || !this.store.machines.has(before)) {
      if (time !== undefined) await this.travel(time);
      return;
    }
    this.store.select(before, { stays: stays && this.store.group !== null });
    this.ask("select", { machine: before });
    if (this.store.group) await this.travel(this.store.group.time);
  }

  /** Keep the updates from one machine, or let them pass again. */
  suspend(machine, on) {
    return this.#control("suspend", { machine, on });
  }

  /** Switch an action off or on, from the next visit of its state on. */
  enable(machine, state, place, on) {
    return this.#control("enable", { machine, state, place, on });
  }

  force(machine, state) {
    return this.#control("force", { machine, state });
  }

  removeBreakpoint(number) {
    return this.#control("remove_breakpoint", { number });
  }

  switchBreakpoint(number, on) {
    return this.#control("switch_breakpoint", { number, on });
  }

  clearBreakpoints() {
    return this.#control("clear_breakpoints");
  }

  /** Set a breakpoint, or edit that of its number. Throws an Error whose message can be shown. */
  setBreakpoint(point) {
    return this.connection.ask("set_breakpoint", point);
  }

  /** Send an event. Throws an Error with what it has raised. */
  send(event) {
    return this.connection.ask("send", event);
  }

  /** Show why something was refused. */
  refuse(error) {
    this.toasts.show(error.message);
  }

  /** Run to the next change of the selected machine, or of any; pause if that is under way. At a past
   * moment, show the next one. */
  runToChange(ofAny = false) {
    if (this.store.isPast || this.store.moment) return this.nextChange(ofAny);
    if (this.store.status.awaits !== null) return this.#control("pause");
    const machine = this.store.selected;
    return this.#control("run_to_change", ofAny || machine === null ? {} : { machine });
  }

  toggleBreakpoint(machine, kind, name) {
    const on = !this.store.hasBreakpoint(machine, kind, name);
    return this.#control("break", { machine, kind, name, on });
  }

  /** Set a breakpoint on one transition, or remove all that the machine has there. */
  toggleTransition({ machine, event: name, way }) {
    const there = this.store.breakpointsAt(machine, "transition", name, way);
    const own = there.filter((each) => each.machine === machine);
    for (const { number } of own) this.removeBreakpoint(number);
    if (!own.length) this.#control("set_breakpoint", { kind: "transition", machine, name, way });
  }

  /** Show the machine as it was at a time. */
  async travel(time) {
    const machine = this.store.selected;
    if (machine === null) return;
    if (this.store.isPast) return this.ask("seek", { time });
    const asked = (this.#travels += 1);
    const [moment, group] = await Promise.all([this.#moment(machine, time), this.#group(time)]);
    if (moment && machine === this.store.selected && asked === this.#travels)
      this.store.setMoment({ ...moment, wanted: time }, group);
  }

  /** The machine as it was at a time; where all are shown, it may be the one that is not known. */
  async #moment(machine, time) {
    if (!this.store.canTravelTogether) return (await this.ask("moment", { machine, time }))?.moment;
    try {
      return (await this.connection.ask("moment", { machine, time })).moment;
    } catch (error) {
      return momentWithout(time, error.message);
    }
  }

  /** All machines as they were at a time; null if there is one alone. */
  async #group(time) {
    if (!this.store.canTravelTogether) return null;
    const { machines, everyone } = this.store;
    const some = machines.size > MOST_TOLD ? { machines: everyone.roster.found.slice(0, MOST_ASKED) } : {};
    const answer = await this.ask("group_moment", { time, ...some });
    return answer && new GroupMoment(answer);
  }

  stepBack() {
    return this.#ofRecording("step_back");
  }

  /** Go on to the next change of the selected machine, or of any; after the last one to the present. */
  nextChange(ofAny = false) {
    if (this.store.isPast) return this.ask("next_change", { machine: this.store.selected });
    return this.#goToChange(true, ofAny);
  }

  /** Go back to the change before. */
  lastChange(ofAny = false) {
    if (this.store.isPast) return this.ask("last_change", { machine: this.store.selected });
    return this.#goToChange(false, ofAny);
  }

  /** One after the other: each begins where the last one has got to. */
  async #goToChange(forward, ofAny) {
    if (this.#steps.length >= MOST_STEPS) return; // a key is held down
    this.#steps.push({ forward, ofAny });
    if (this.#steps.length > 1) return;
    for (; this.#steps.length; this.#steps.shift()) await this.#goToChangeNow(this.#steps[0]);
  }

  async #goToChangeNow({ forward, ofAny }) {
    const { selected: machine, time, moment, hello } = this.store;
    if (machine === null || hello.kind === "crowd" || (forward && !moment)) return;
    const answer = await this.ask("find_change", { time, forward, ...(ofAny ? {} : { machine }) });
    if (answer?.found) await this.visit(...answer.found);
    else if (answer && forward) this.backToNow();
    else if (answer) this.toasts.show("No earlier change is known.", "note");
  }

  /** Go to the next difference of two recordings, or to the one before, and select its machine. */
  async goToDifference(forward) {
    const machine = this.store.selected;
    const answer = await this.#ofRecording("difference", { machine, forward });
    if (answer) this.selectOuter(answer.machine);
  }

  /** Select a machine in the list: this one, or the one that it is nested in. */
  selectOuter(machine) {
    const { machines, selected } = this.store;
    if (machine === selected || machine.startsWith(`${selected}/`)) return;
    const outer = [...machines.keys()].find((each) => machine.startsWith(`${each}/`));
    this.select(machines.has(machine) ? machine : (outer ?? selected));
  }

  async #ofRecording(request, more) {
    return this.store.isPast ? this.ask(request, more) : null;
  }

  /** Select a machine and show it as it was at a time. */
  async visit(machine, time) {
    if (machine === this.store.selected) return this.travel(time);
    await this.select(machine, this.store.selected, time);
  }

  backToNow() {
    this.#travels += 1;
    if (this.store.moment) this.store.setMoment(null);
  }

  /** Put the whole group back to the moment that is shown. */
  async goOnTogether() {
    const { group } = this.store;
    if (!group?.goOn) return;
    const answer = await this.#control("go_on_group", { seq: group.goOn.seq });
    if (answer) this.backToNow();
  }

  async goOn() {
    if (!this.store.moment?.can_go_on) return;
    const { machine } = this.store.moment.detail;
    const answer = await this.#control("go_on", { machine, seq: this.store.moment.seq });
    if (answer) this.backToNow();
  }

  async #control(request, more) {
    if (!this.store.isReadOnly || this.store.isPast) return this.ask(request, more);
    this.toasts.show("This page is read-only: it can watch, but not control.");
    return null;
  }
}
