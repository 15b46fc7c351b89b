/** Everyone: what the page knows of all machines, beside their states. */

import { AllJournal } from "./all_journal.js";
import { AllTracks } from "./all_tracks.js";
import { SendsJournal } from "../sends/sends_journal.js";
import { Roster } from "./roster.js";

export class Everyone {
  roster = new Roster();
  journal = new AllJournal();
  tracks = new AllTracks();
  sends = new SendsJournal();
  /** The machines that have had their first error since the watchers of "failed" were called. */
  failed = [];

  /** @param {import("../parts/store.js").Store} store told of changes: marks, failed, all, sends */
  constructor(store) {
    this.store = store;
  }

  /** Begin with the program's greeting, which may be another run of it. */
  greet(hello, isRestart) {
    if (isRestart) this.journal.retire();
    this.roster.greet(hello);
    this.#clear();
    this.sends.clear();
    this.store.changed("marks", "all", "sends");
  }

  /** Take the news of a frame. */
  receive(frame) {
    const { marks = {}, left = [], all, sends } = frame;
    this.#noteFailed(this.roster.receive(frame));
    if (Object.keys(marks).length || left.length) this.store.changed("marks");
    this.see(this.store.selected);
    this.journal.forget(left);
    this.tracks.forget(left);
    if (all) this.#receiveAll(all);
    if (sends) this.sends.add(sends);
    if (sends) this.store.changed("sends");
  }

  /** The reader looks at a machine. */
  see(machine) {
    if (machine !== null && !document.hidden && this.roster.see(machine))
      this.store.changed("marks");
  }

  seeAll() {
    this.roster.seeAll();
    this.store.changed("marks");
  }

  #noteFailed(machines) {
    const failed = machines.filter((machine) => machine !== this.store.selected);
    if (!failed.length) return;
    this.failed.push(...failed);
    this.store.changed("failed");
  }

  #receiveAll(all) {
    if (all.reset) this.#clear();
    this.journal.add(all);
    this.tracks.add(all);
    this.store.changed("all");
  }

  #clear() {
    this.journal.clear();
    this.tracks.clear();
  }
}
