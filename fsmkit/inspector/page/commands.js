/** What the reader can do: buttons and keys call these. What is refused is told in a toast. */

const SPEEDS = [0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10];
const LATE = 600; // milliseconds
const AS_GOOD_AS = 1.01; // the slider does not meet these speeds exactly

export class Commands {
  #speed = 1; // that was asked for last
  #askedAt = -Infinity;
  #isAsking = false;

  constructor(line, store, toasts) {
    this.line = line;
    this.store = store;
    this.toasts = toasts;
  }

  /** Ask the server; null if it refuses. */
  async ask(what, more) {
    try {
      return await this.line.ask(what, more);
    } catch (error) {
      this.toasts.show(error.message);
      return null;
    }
  }

  pauseOrResume() {
    return this.#control(this.store.status.paused || this.store.status.held ? "resume" : "pause");
  }

  resume() {
    return this.#control("resume");
  }

  step() {
    return this.#control("step");
  }

  /** The newest wish counts; others are not sent while one is on its way. */
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
    return this.setSpeed(SPEEDS.find((speed) => speed > now * AS_GOOD_AS) ?? now);
  }

  slower() {
    const now = this.#speedNow();
    return this.setSpeed(SPEEDS.findLast((speed) => speed < now / AS_GOOD_AS) ?? now);
  }

  /** The status is late: who presses a key again goes on from what was asked for. */
  #speedNow() {
    const isNew = this.#isAsking || performance.now() - this.#askedAt < LATE;
    return isNew ? this.#speed : this.store.status.speed;
  }

  /** Look at another machine; if that is refused, at the one before again. */
  async select(machine, before = this.store.selected) {
    if (machine === before) return;
    this.store.select(machine);
    const answer = await this.ask("select", { machine });
    if (answer || this.store.selected !== machine || !this.store.machines.has(before)) return;
    this.store.select(before);
    this.ask("select", { machine: before });
  }

  force(machine, state) {
    return this.#control("force", { machine, state });
  }

  removeBreakpoint(machine, kind, name) {
    return this.#control("break", { machine, kind, name, on: false });
  }

  toggleBreakpoint(machine, kind, name) {
    const on = !this.store.hasBreakpoint(machine, kind, name);
    return this.#control("break", { machine, kind, name, on });
  }

  /** Show the machine as it was. */
  async travel(time) {
    const machine = this.store.selected;
    if (machine === null) return;
    const answer = await this.ask("moment", { machine, time });
    if (answer && machine === this.store.selected) this.store.setMoment(answer.moment);
  }

  backToNow() {
    if (this.store.moment) this.store.setMoment(null);
  }

  async goOn() {
    if (!this.store.moment?.can_go_on) return;
    const { machine } = this.store.moment.detail;
    const answer = await this.#control("go_on", { machine, seq: this.store.moment.seq });
    if (answer) this.backToNow();
  }

  async #control(what, more) {
    if (!this.store.isReadOnly) return this.ask(what, more);
    this.toasts.show("This page may look, but change nothing.");
    return null;
  }
}
