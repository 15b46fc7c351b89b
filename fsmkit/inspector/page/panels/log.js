/** The log: each event with its sender and outcome, and each change of state. */

import { byId, setAttribute, setLines, setText } from "../parts/elements.js";
import { Reader } from "../parts/journal.js";
import { fillEntry, linesOf, textOf } from "../parts/log_entry.js";
import { placeOf } from "../parts/place.js";
import { Rows } from "../parts/rows.js";
import { firstIndex } from "../timeline/tracks.js";
import { LogFilter } from "./log_filter.js";

const ROW = 22;
const SAME = 1e-6; // seconds

/** The past time that the page shows, of a recording or by time travel; null for now. */
const pastTime = ({ moment, isPast, status }) => moment?.time ?? (isPast ? status.clock : null);

/** True for what is still to come at the moment that is shown. */
const isLater = (store, { time, isBefore }) => !isBefore && time > (pastTime(store) ?? Infinity) + SAME;

export class Log {
  #shown = [];
  #isFollowing = true;
  #missed = 0;
  #chosen = null;
  #at = -1; // the last row of the past moment that is shown
  #isAway = false; // at a past moment, after which it follows the present again
  /** True if it shows all machines. */
  #isOfAll = false;

  constructor(store, commands, following) {
    this.store = store;
    this.commands = commands;
    this.following = following;
    this.allButton = byId("log-all");
    this.allButton.onclick = () => this.toggleAll();
    this.list = byId("log-list");
    this.followButton = byId("log-follow");
    this.reader = new Reader(store.journal);
    this.filter = new LogFilter(() => this.#showAll());
    this.rows = new Rows(this.list, ROW, (row, entry) => this.#fill(row, entry), "listitem");
    this.followButton.onclick = () => this.follow(!this.#isFollowing);
    this.list.addEventListener("scroll", () => this.#scrolled());
    this.list.addEventListener("click", ({ target }) => this.#clicked(target.closest(".row")));
    new ResizeObserver(() => this.#isFollowing && this.#scrollAlong()).observe(this.list);
    byId("log-entry-close").onclick = () => this.#choose(null);
    byId("log-entry-show").onclick = () => this.#visit(this.#chosen);
    store.watch("log selected", () => this.#draw());
    store.watch("status", () => this.#goAlong());
    store.watch("moment", () => this.#travel());
    store.watch("all", () => this.#isOfAll && this.#drawAll());
    store.watch("machines hello", () => this.#lockAll());
  }

  /** Show the log of all machines, or that of the selected one. */
  showAllMachines(isOfAll) {
    this.#isOfAll = isOfAll;
    setAttribute(this.allButton, "aria-pressed", String(isOfAll));
    this.following.want("log", isOfAll);
    this.#begin();
  }

  toggleAll() {
    if (!this.allButton.hidden) this.showAllMachines(!this.#isOfAll);
  }

  /** A single machine has a log of its own only. */
  #lockAll() {
    const { canFollowAll } = this.store;
    this.allButton.hidden = !canFollowAll;
    if (!canFollowAll && this.#isOfAll) this.showAllMachines(false);
  }

  get #journal() {
    return this.#isOfAll ? this.store.everyone.journal : this.store.journal;
  }

  /** Scroll with new entries, or stay put. */
  follow(isFollowing = !this.#isFollowing) {
    this.#isFollowing = isFollowing;
    setAttribute(this.followButton, "aria-pressed", String(isFollowing));
    if (isFollowing) this.#showAll();
  }

  /** Show the last error in full. */
  showError() {
    this.showLast(({ kind }) => kind === "error");
  }

  /** Show the last entry of a kind in full. */
  showLast(isWanted) {
    const entry = this.store.journal.entries.findLast(isWanted);
    if (!entry) return;
    document.querySelector("#tabs [data-tab=log]").click();
    this.#choose(entry);
    this.rows.reveal(this.#shown.indexOf(entry));
  }

  #draw() {
    const { isNew, entries } = this.reader.read();
    if (this.#isOfAll) return;
    const fitting = entries.filter((entry) => this.filter.fits(entry));
    const repeated = fitting.filter(({ times }) => times > 1);
    if (isNew) this.#begin();
    else if (!this.#isFollowing) this.#missed += fitting.length - repeated.length;
    else if (repeated.length) this.#showAll();
    else if (fitting.length) this.#show([...this.#shown, ...fitting]);
    if (!isNew && !this.#isFollowing) for (const entry of repeated) this.#renew(entry);
    this.#showMissed();
  }

  /** Show in its place how often an entry was repeated. */
  #renew(entry) {
    const at = this.#shown.findLastIndex(({ seq, isBefore }) => seq === entry.seq && !isBefore);
    const isChosen = this.#chosen !== null && this.#chosen === this.#shown[at];
    if (at >= 0) this.#shown[at] = entry;
    if (isChosen) this.#chosen = entry;
    if (isChosen) setLines(byId("log-entry-text"), textOf(entry));
    this.rows.draw();
  }

  /** What repeats itself changes in its place, so all of it is shown again. */
  #drawAll() {
    if (this.#isFollowing) this.#showAll();
  }

  #begin() {
    this.#choose(null);
    this.follow(true);
  }

  #showAll() {
    const { before, entries } = this.#journal;
    this.#show([...before, ...entries].filter((entry) => this.filter.fits(entry)));
  }

  #show(entries) {
    const { before, count } = this.#journal;
    this.#shown = entries.slice(-before.length - this.#journal.entries.length);
    this.#missed = 0;
    const isEmpty = count + before.length === 0;
    this.list.dataset.empty = isEmpty ? "Nothing has happened yet." : "No matching entries.";
    this.list.classList.toggle("empty", !entries.length);
    this.rows.show(this.#shown);
    if (this.#isFollowing) this.#scrollAlong();
    this.#showMissed();
  }

  /** Follow the present; in a recording, the moment that is shown. */
  #scrollAlong() {
    if (this.store.isPast) this.rows.reveal(this.#lastIndex());
    else this.rows.scrollToEnd();
  }

  /** The index of the last row up to the moment of a recording. */
  #lastIndex() {
    return firstIndex(this.#shown, (entry) => isLater(this.store, entry)) - 1;
  }

  /** Show the entries of a past moment, and return to the end afterwards. */
  #travel() {
    const { moment } = this.store;
    this.rows.draw();
    if (moment) {
      this.#isAway = true;
      if (this.#isFollowing) this.follow(false);
      this.rows.reveal(this.#lastIndex(), { isCentred: true });
    } else if (this.#isAway) {
      this.#isAway = false;
      this.#choose(null);
      this.follow(true);
    }
  }

  #goAlong() {
    if (!this.store.isPast) return;
    const index = this.#lastIndex();
    if (index === this.#at) return;
    this.#at = index;
    if (this.#isFollowing) this.rows.reveal(Math.max(0, index));
    this.rows.draw();
  }

  #showMissed() {
    setText(this.followButton, this.#missed ? `Follow, ${this.#missed} new` : "Follow");
  }

  /** Scrolling back stops following; scrolling to the end starts it again. */
  #scrolled() {
    if (this.store.isPast || this.store.moment) return; // there the button decides
    if (this.#isFollowing && !this.rows.isAtEnd) this.follow(false);
    else if (!this.#isFollowing && this.rows.isAtEnd && !this.#chosen) this.follow(true);
  }

  #fill(row, entry) {
    fillEntry(row, entry, { isInside: this.#isOfAll || entry.machine !== this.store.selected });
    row.dataset.side = entry.side ?? "";
    row.classList.toggle("before", Boolean(entry.isBefore));
    row.classList.toggle("later", isLater(this.store, entry));
    row.classList.toggle("moment", this.#isAtMoment(entry));
    setAttribute(row, "aria-current", entry === this.#chosen ? "true" : null);
  }

  /** True for the last entries up to the moment that is shown: those of one instant. */
  #isAtMoment(entry) {
    if (!this.store.moment || entry.isBefore) return false;
    const last = this.#shown[this.#lastIndex()];
    return last !== undefined && Math.abs(entry.time - last.time) < SAME;
  }

  #clicked(row) {
    if (!row) return;
    this.#choose(row.entry);
    if (this.#isOfAll && this.#canShow(row.entry)) this.#visit(row.entry);
  }

  /** Show the machine of an entry as it was then. */
  #visit(entry) {
    if (this.#isOfAll) this.commands.visit(machineOf(entry), entry.time);
    else this.commands.travel(entry.time);
  }

  /** A note has no machine, a machine may have left, and an earlier run is over. */
  #canShow(entry) {
    if (entry.isBefore || entry.isRestart) return false;
    return !this.#isOfAll || this.store.machines.has(machineOf(entry));
  }

  /** Show a complete entry below the log and stop following; null shows none. */
  #choose(entry) {
    this.#chosen = entry;
    byId("log-entry").hidden = entry === null;
    byId("log-entry-show").hidden = entry !== null && !this.#canShow(entry);
    if (entry) setLines(byId("log-entry-text"), textOf(entry));
    byId("log-entry-places").replaceChildren(...(entry ? linesOf(entry).map(placeOf) : []));
    if (entry) this.follow(false);
    this.rows.draw();
  }
}

/** The outermost machine around the one that an entry is about. */
const machineOf = ({ within, machine }) => within ?? machine;
