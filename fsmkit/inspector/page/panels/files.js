/** Snapshots and recordings: downloads, and loading a snapshot. */

import { encoded } from "../parts/address.js";
import { download } from "../parts/download.js";
import { byId, setText } from "../parts/elements.js";

export class Files {
  constructor(store, toasts, connection) {
    this.store = store;
    this.toasts = toasts;
    this.connection = connection;
    this.menu = byId("snapshot-menu");
    this.file = byId("snapshot-file");
    byId("snapshot-save").onclick = () => this.#save("snapshot", "snapshot.json");
    byId("snapshot-save-one").onclick = () =>
      this.#save(ofMachine(store.selected), "snapshot.json");
    byId("snapshot-load").onclick = () => this.file.click();
    byId("recording").onclick = () => this.#save("recording", "recording.jsonl");
    this.file.onchange = () => this.#load();
    this.menu.addEventListener("toggle", () => this.#place());
    store.watch("hello", () => this.#draw());
    store.watch("selected machines", () => this.#name());
  }

  #draw() {
    const { hello } = this.store;
    const isRecorded = hello?.recorded ?? false; // also after the recording has ended
    byId("recording").disabled = !isRecorded;
    byId("recording").title = isRecorded ? "Download the recording" : "Nothing is recorded";
  }

  #name() {
    const { machines, selected } = this.store;
    byId("snapshot-save-one").hidden = machines.size < 2;
    setText(byId("snapshot-save-one"), `Save only ${selected}`);
    setText(byId("snapshot-save"), machines.size < 2 ? "Save a snapshot" : "Save all machines");
  }

  #place() {
    const { right, bottom } = byId("snapshot").getBoundingClientRect();
    this.menu.style.top = `${bottom + 6}px`;
    this.menu.style.left = `${Math.max(6, right - this.menu.offsetWidth)}px`;
  }

  /** Save a download; if it fails, show the error instead of saving it as a file. */
  async #save(address, name) {
    this.menu.hidePopover();
    try {
      const answer = await this.connection.load(address);
      const given = answer.headers.get("content-disposition")?.match(/filename="([^"]+)"/)?.[1];
      download(await answer.blob(), given ?? name);
    } catch (error) {
      this.toasts.show(error.message);
    }
  }

  async #load() {
    this.menu.hidePopover();
    const [file] = this.file.files;
    this.file.value = "";
    if (!file) return;
    try {
      const machine = this.#machineFor(outermostOf(await file.text()));
      const address = machine === null ? "snapshot" : ofMachine(machine);
      await this.connection.load(address, file);
      this.toasts.show(`Loaded ${file.name}${machine ? ` into ${machine}` : ""}.`, "note");
    } catch (error) {
      this.toasts.show(error.message);
    }
  }

  /**
   * Find the machine that a snapshot of one machine is for: its namesake, preferably the selected
   * one, since namesakes are numbered here. Null: the snapshot is for all machines.
   */
  #machineFor(names) {
    const { machines, selected } = this.store;
    if (machines.size < 2 || names.length !== 1) return null;
    const [name] = names;
    const isNamesake = (machine) => machine === name || machine?.startsWith(`${name} #`);
    return [selected, ...machines.keys()].find(isNamesake) ?? name;
  }
}

/** The names of the outermost machines in a snapshot; none if it is not a snapshot. */
function outermostOf(text) {
  try {
    const { machines, outermost } = JSON.parse(text);
    return outermost.map((index) => machines[index].name);
  } catch {
    return []; // the program reports what is wrong
  }
}

const ofMachine = (machine) => `snapshot?machine=${encoded(machine)}`;
