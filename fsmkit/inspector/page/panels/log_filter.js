/** The filter of the log: by kind, outcome and text. */

import { byId, element, matchChildren, setAttribute } from "../parts/elements.js";
import { textOf } from "../parts/log_entry.js";

const KINDS = { event: "events", enter: "enter", leave: "leave", error: "errors", note: "notes", "log point": "log points" };
const OUTCOMES = ["changed", "queued", "consumed", "refused", "ignored", "unhandled"];
const ALIKE = { suspend: "leave", resume: "enter" };

export class LogFilter {
  #kinds = new Set(["event", "enter", "error", "note", "log point"]); // each exit is followed by an entry

  /** @param {() => void} changed called when other entries match */
  constructor(changed) {
    this.changed = changed;
    this.search = byId("log-search");
    this.outcome = byId("log-outcome");
    this.search.oninput = changed;
    this.outcome.onchange = changed;
    this.outcome.append(element("option", { value: "" }, "any outcome"));
    this.outcome.append(...OUTCOMES.map((value) => element("option", { value }, value)));
    this.#drawKinds();
  }

  /** @param {import("../parts/journal.js").Entry} entry */
  fits(entry) {
    if (!this.#kinds.has(ALIKE[entry.kind] ?? entry.kind)) return false;
    if (this.outcome.value && entry.outcome !== this.outcome.value) return false;
    const wanted = this.search.value.trim().toLowerCase();
    return !wanted || textOf(entry).toLowerCase().includes(wanted);
  }

  #drawKinds() {
    const make = ([kind, text]) => {
      const toggle = () => this.#toggle(kind);
      return element("button", { class: "chip", data: { kind }, on: { click: toggle } }, text);
    };
    matchChildren(byId("log-kinds"), Object.entries(KINDS), String, make, (chip, [kind]) =>
      setAttribute(chip, "aria-pressed", String(this.#kinds.has(kind))),
    );
  }

  #toggle(kind) {
    if (!this.#kinds.delete(kind)) this.#kinds.add(kind);
    this.#drawKinds();
    this.changed();
  }
}
