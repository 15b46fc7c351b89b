/** Unhandled events that nobody has looked at: an amber button in the header. */

import { byId, setText } from "../parts/elements.js";

export class UnhandledStatus {
  /** @param {import("../panels/log.js").Log} log shows the last one */
  constructor(store, commands, log) {
    this.store = store;
    this.commands = commands;
    this.log = log;
    this.button = byId("unhandled");
    this.button.onclick = () => this.#look();
    store.watch("marks hello machines", () => this.#draw());
  }

  get #roster() {
    return this.store.everyone.roster;
  }

  #draw() {
    const machines = [...this.store.machines.keys()];
    const count = machines.reduce((sum, each) => sum + this.#roster.unseenUnhandled(each), 0);
    this.button.hidden = !count;
    setText(this.button, `${count.toLocaleString("en")} unhandled`);
    this.button.title = `${count === 1 ? "An event" : "Events"} without a transition. Show the last in the log`;
  }

  /** Look at those of the selected machine, or of the first one that has any. */
  #look() {
    const { machines, selected } = this.store;
    const found = [selected, ...machines.keys()].find((each) => this.#roster.unseenUnhandled(each));
    if (found === undefined) return;
    if (found !== selected) this.commands.select(found);
    else this.log.showLast((entry) => entry.outcome === "unhandled");
    this.#roster.seeUnhandled(found);
    this.store.changed("marks");
  }
}
