/** The status line of the header, and toasts. */

import { conditionOf } from "../parts/condition.js";
import { byId, element, setLines, setLongText, setText } from "../parts/elements.js";
import { Reader } from "../parts/journal.js";
import { counted, seconds, shortError, stateName, visible, visibleLines } from "../parts/wording.js";

const QUIET = 1_500; // milliseconds between two announcements

export class StatusLine {
  #announced = "";
  #announcedAt = 0;

  constructor(store, toasts) {
    this.store = store;
    this.toasts = toasts;
    this.reader = new Reader(store.journal);
    store.watch("hello", () => this.#greet());
    store.watch("connection status detail log marks", () => this.#draw());
    store.watch("log", () => this.#showErrors());
  }

  #greet() {
    const { hello } = this.store;
    setLongText(byId("title"), hello?.title ?? "fsmkit");
    setText(byId("version"), hello?.version ? `fsmkit ${hello.version}` : "");
    byId("read-only").hidden = !hello?.read_only;
  }

  #draw() {
    const { status, hello } = this.store;
    const { word, text, more, isAfterError } = conditionOf(this.store);
    byId("status").dataset.status = word;
    setText(byId("status-text"), word === "error" ? `${text},` : text);
    byId("status-error").hidden = !isAfterError;
    byId("status").title = visible(more ?? text);
    if (!this.store.isPast) setText(byId("clock"), seconds(status.clock));
    document.title = `${SIGNS[word] ?? ""}${visible(hello?.title ?? "fsmkit")} · inspector`;
    this.#drawDropped(status);
    this.#announce(word, more ?? text);
  }

  #drawDropped({ dropped = 0, log_dropped: entries = 0 }) {
    const place = byId("dropped");
    place.hidden = !dropped && !entries;
    const what = entries ? counted(entries, "log entry", "log entries") : counted(dropped, "frame");
    setText(place, `${what} skipped`);
    place.title = droppedText(dropped, entries);
  }

  #showErrors() {
    const { isNew, entries } = this.reader.read();
    if (isNew || this.store.isPast) return;
    const last = entries.findLast(({ kind, times }) => kind === "error" && !(times > 1));
    if (last) this.toasts.show(errorText(last));
  }

  /** Announce the condition to screen readers, but not every one of many states. */
  #announce(word, text) {
    const { shown } = this.store;
    const where = shown ? `${shown.machine}: ${stateName(shown.state)}` : "";
    const now = performance.now();
    if (`${word} ${where}` === this.#announced || now - this.#announcedAt < QUIET) return;
    this.#announced = `${word} ${where}`;
    this.#announcedAt = now;
    setText(byId("announcer"), `${text}. ${where}`);
  }
}

/** The error, and its machine, unless the error names it. */
function errorText({ machine, text }) {
  const short = shortError(text);
  return short.includes(`'${machine}'`) ? short : `${machine}: ${short}`;
}

/** What it means that the page has missed something. */
function droppedText(frames, entries) {
  const slow = `${counted(frames, "frame")} skipped: this page is slower than the program.`;
  if (!entries) return `${slow} Nothing is lost: each frame tells all that has happened since the last one.`;
  return `${slow} ${counted(entries, "log entry", "log entries")} came too fast to be kept for it.`;
}

/** True if two texts tell the same error: one may say more of it, such as its machine and place. */
function isSame(one, other) {
  const [first, second] = [one, other].map((text) => text.split("\n")[0]);
  return first.endsWith(second) || second.endsWith(first);
}

const SIGNS = { paused: "⏸ ", held: "⏸ ", disconnected: "✕ ", idle: "… ", error: "! " };

const SECONDS = 7;
const SPARED = 2_000; // milliseconds: the log tells of the same error a little earlier or later
const MOST = 3;

/** Short messages, mostly errors, below the graph: they hide nothing. A click dismisses one. */
export class Toasts {
  #spared = { text: "", at: -Infinity };

  /** @param {Element} place */
  constructor(place) {
    this.place = place;
  }

  /** An error that is shown elsewhere needs no toast, neither one that is there nor the next. */
  spare(text) {
    this.#spared = { text, at: performance.now() };
    this.#find(text)?.remove();
  }

  #find(text) {
    return [...this.place.children].find(({ title }) => isSame(title, text));
  }

  /** @param {"error"|"note"} kind */
  show(text, kind = "error") {
    const said = visibleLines(text);
    const isSpared = performance.now() - this.#spared.at < SPARED && isSame(said, this.#spared.text);
    if (isSpared) return;
    const same = this.#find(said);
    same?.remove();
    const shown = same && same.title.length > said.length ? same.title : said;
    const dismiss = () => toast.remove();
    const toast = element(
      "div",
      { class: "toast", data: { kind }, title: shown },
      element("p"),
      element("button", { class: "icon", "aria-label": "Dismiss", on: { click: dismiss } }, "×"),
    );
    setLines(toast.firstChild, shown);
    this.place.append(toast);
    while (this.place.children.length > MOST) this.place.firstChild.remove();
    setTimeout(() => toast.remove(), SECONDS * 1_000);
  }
}
