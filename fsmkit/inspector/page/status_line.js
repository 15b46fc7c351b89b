/** The header: title, how things are, the clock, and what got lost. */

import { byId, setLongText, setText } from "./elements.js";
import { conditionOf } from "./condition.js";
import { Reader } from "./journal.js";
import { counted, seconds, stateName, visible } from "./wording.js";

const QUIET = 1_500; // milliseconds between two things said aloud

export class StatusLine {
  #said = "";
  #saidAt = 0;

  constructor(store, toasts) {
    this.store = store;
    this.toasts = toasts;
    this.reader = new Reader(store.journal);
    store.watch("hello", () => this.#greet());
    store.watch("connection status detail log", () => this.#draw());
    store.watch("log", () => this.#tellErrors());
  }

  #greet() {
    const { hello } = this.store;
    setLongText(byId("title"), hello?.title ?? "fsmkit");
    setText(byId("version"), hello?.version ? `fsmkit ${hello.version}` : "");
    byId("read-only").hidden = !hello?.read_only;
  }

  #draw() {
    const { status, hello } = this.store;
    const { word, text, more } = conditionOf(this.store);
    byId("status").dataset.status = word;
    setText(byId("status-text"), text);
    byId("status").title = visible(more ?? text);
    setText(byId("clock"), seconds(status.clock));
    document.title = `${SIGNS[word] ?? ""}${visible(hello?.title ?? "fsmkit")} · inspector`;
    this.#drawDropped(status);
    this.#announce(word, text);
  }

  #drawDropped({ dropped = 0, log_dropped: entries = 0 }) {
    const place = byId("dropped");
    place.hidden = !dropped && !entries;
    setText(place, `${dropped.toLocaleString("en")} dropped`);
    place.title = `This page was too slow for ${counted(dropped, "frame")} and ${entries} log entries.`;
  }

  #tellErrors() {
    const { isNew, entries } = this.reader.read();
    if (isNew) return;
    const last = entries.findLast((entry) => entry.kind === "error");
    if (last) this.toasts.show(`${last.machine}: ${last.text}`);
  }

  /** Say aloud how things are, but not every state of many. */
  #announce(word, text) {
    const { shown } = this.store;
    const where = shown ? `${shown.machine}: ${stateName(shown.state)}` : "";
    const now = performance.now();
    if (`${word} ${where}` === this.#said || now - this.#saidAt < QUIET) return;
    this.#said = `${word} ${where}`;
    this.#saidAt = now;
    setText(byId("announcer"), `${text}. ${where}`);
  }
}

const SIGNS = { paused: "⏸ ", held: "⏸ ", disconnected: "✕ ", idle: "… ", error: "! " };
