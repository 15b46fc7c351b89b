/** The log: what happened, who sent it and what became of it. */

import { byId, element, matchChildren, setAttribute, setText } from "./elements.js";
import { Reader } from "./journal.js";
import { fillEntry, textOf } from "./log_entry.js";
import { Rows } from "./rows.js";

const ROW = 22;
const KINDS = { event: "events", enter: "enter", leave: "leave", error: "errors", note: "notes" };
const OUTCOMES = ["changed", "queued", "consumed", "ignored", "unhandled"];

export class Log {
  #kinds = new Set(["event", "enter", "error", "note"]);
  #shown = [];
  #isFollowing = true;
  #missed = 0;
  #chosen = null;

  constructor(store, commands) {
    this.store = store;
    this.list = byId("log-list");
    this.search = byId("log-search");
    this.outcome = byId("log-outcome");
    this.followButton = byId("log-follow");
    this.reader = new Reader(store.journal);
    this.rows = new Rows(this.list, ROW, (row, entry) => this.#fill(row, entry), "listitem");
    this.#addFilters();
    this.followButton.onclick = () => this.follow(!this.#isFollowing);
    this.list.addEventListener("wheel", (event) => event.deltaY < 0 && this.follow(false), { passive: true });
    this.list.addEventListener("scroll", () => this.#scrolled());
    this.list.addEventListener("click", (event) => this.#choose(event.target.closest(".row")?.entry));
    byId("log-entry-close").onclick = () => this.#choose(null);
    byId("log-entry-show").onclick = () => commands.travel(this.#chosen.time);
    store.watch("log selected", () => this.#draw());
  }

  /** Scroll along with what happens, or stand still. */
  follow(isFollowing = !this.#isFollowing) {
    this.#isFollowing = isFollowing;
    setAttribute(this.followButton, "aria-pressed", String(isFollowing));
    if (isFollowing) this.#filter();
  }

  #addFilters() {
    this.outcome.append(...["", ...OUTCOMES].map((value) => element("option", { value }, value || "any outcome")));
    this.outcome.onchange = () => this.#filter();
    this.search.oninput = () => this.#filter();
    const chip = ([kind, text]) =>
      element("button", { class: "chip", data: { kind }, on: { click: () => this.#toggle(kind) } }, text);
    const update = (button, [kind]) => setAttribute(button, "aria-pressed", String(this.#kinds.has(kind)));
    this.drawKinds = () => matchChildren(byId("log-kinds"), Object.entries(KINDS), String, chip, update);
    this.drawKinds();
  }

  #toggle(kind) {
    if (!this.#kinds.delete(kind)) this.#kinds.add(kind);
    this.drawKinds();
    this.#filter();
  }

  #draw() {
    const { isNew, entries } = this.reader.read();
    if (isNew) {
      this.#choose(null);
      this.#isFollowing = true;
    }
    const fitting = entries.filter((entry) => this.#fits(entry));
    if (!this.#isFollowing) this.#missed += fitting.length;
    else if (isNew) this.follow(true);
    else if (fitting.length) this.#show([...this.#shown, ...fitting].slice(-this.store.journal.entries.length));
    this.#showMissed();
  }

  /** Begin anew with all that is in the journal. */
  #filter() {
    this.#show(this.store.journal.entries.filter((entry) => this.#fits(entry)));
  }

  #show(entries) {
    this.#shown = entries;
    this.#missed = 0;
    this.list.dataset.empty = this.store.journal.count ? "Nothing of that kind." : "Nothing has happened yet.";
    this.list.classList.toggle("empty", !entries.length);
    this.rows.show(entries);
    if (this.#isFollowing) this.rows.scrollToEnd();
    this.#showMissed();
  }

  #showMissed() {
    setText(this.followButton, this.#isFollowing || !this.#missed ? "Follow" : `Follow, ${this.#missed} new`);
  }

  #fits(entry) {
    if (!this.#kinds.has(entry.kind)) return false;
    if (this.outcome.value && entry.outcome !== this.outcome.value) return false;
    const wanted = this.search.value.trim().toLowerCase();
    return !wanted || textOf(entry).toLowerCase().includes(wanted);
  }

  #scrolled() {
    if (!this.#isFollowing && this.rows.isAtEnd && !this.#missed) this.follow(true);
  }

  #fill(row, entry) {
    fillEntry(row, entry, { isInside: entry.machine !== this.store.selected });
    setAttribute(row, "aria-current", entry === this.#chosen ? "true" : null);
  }

  #choose(entry) {
    if (entry === undefined) return;
    this.#chosen = entry;
    byId("log-entry").hidden = entry === null;
    if (entry) setText(byId("log-entry-text"), textOf(entry));
    if (entry) this.follow(false);
    this.rows.draw();
  }
}
