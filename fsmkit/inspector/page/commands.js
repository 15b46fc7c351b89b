/** What the reader can do: buttons and keys call these. What is refused is told in a toast. */

const FASTEST = 10;
const STEP_OF_SPEED = 10 ** 0.1;

export class Commands {
  #speed = null; // that was asked for, while the answer has not come

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
    const isOnItsWay = this.#speed !== null;
    this.#speed = Math.min(FASTEST, Math.max(1 / FASTEST, factor));
    if (isOnItsWay) return;
    for (let sent = null; sent !== this.#speed; ) {
      sent = this.#speed;
      await this.#control("speed", { factor: sent });
    }
    this.#speed = null;
  }

  faster() {
    return this.setSpeed((this.#speed ?? this.store.status.speed) * STEP_OF_SPEED);
  }

  slower() {
    return this.setSpeed((this.#speed ?? this.store.status.speed) / STEP_OF_SPEED);
  }

  select(machine) {
    if (machine === this.store.selected) return;
    this.store.select(machine);
    return this.ask("select", { machine });
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
