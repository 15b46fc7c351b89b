/** Playing: the page of a recording, which is gone through with the buttons of the header. */

import { byId, element, icon, setAttribute, setText } from "../parts/elements.js";
import { percent, seconds } from "../parts/wording.js";

const DOING = { comparing: "Comparing with the replay", replaying: "Replaying" };

export class Playing {
  #isSetUp = false;

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.bar = byId("past");
    this.notes = byId("past-notes");
    store.watch("hello", () => this.#greet());
    store.watch("status", () => this.#draw());
  }

  #greet() {
    const { hello, isPast } = this.store;
    document.body.dataset.kind = hello?.kind ?? "live";
    this.bar.hidden = !isPast;
    if (!isPast) return;
    setText(byId("past-about"), hello.about);
    if (!this.#isSetUp) this.#setUp();
  }

  /** Add the buttons that only a recording has. */
  #setUp() {
    this.#isSetUp = true;
    const { commands } = this;
    const back = button("step-back", "Back by an update (,)", () => commands.stepBack());
    byId("pause").before(back);
  }

  #draw() {
    if (!this.store.isPast) return;
    const { seeking, notes = [] } = this.store.status;
    const doing = byId("past-doing");
    doing.hidden = !seeking;
    if (seeking) setText(doing, `${DOING[seeking.what]}: ${percent(seeking.done)}`);
    setText(byId("clock"), `${seconds(this.store.status.clock)} / ${seconds(this.store.hello.end)}`);
    this.#drawNotes(notes);
  }

  /** Of each note the first line; all of them, with the steps around a difference, in a menu. */
  #drawNotes(notes) {
    const summary = byId("past-note");
    summary.hidden = !notes.length;
    setText(summary, notes.map((note) => note.split("\n")[0]).join(" "));
    const lines = notes.flatMap((note) => note.split("\n"));
    if (lines.length === this.notes.children.length) return;
    this.notes.replaceChildren(...lines.map((line) => element("p", {}, line)));
  }
}

function button(name, title, onclick) {
  const made = element("button", { id: name, class: "icon", title }, icon(name));
  setAttribute(made, "aria-label", title);
  made.onclick = onclick;
  return made;
}
