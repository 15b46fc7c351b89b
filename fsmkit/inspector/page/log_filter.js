/** Which entries of the log are shown: their kind, what became of them, and a text in them. */

import { byId, element, matchChildren, setAttribute } from "./elements.js";
import { textOf } from "./log_entry.js";

const KINDS = { event: "events", enter: "enter", leave: "leave", error: "errors", note: "notes" };
const OUTCOMES = ["changed", "queued", "consumed", "ignored", "unhandled"];

export class LogFilter {
  #kinds = new Set(["event", "enter", "error", "note"]); // who leaves a state enters another

  /** @param {() => void} changed is called when other entries fit */
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

  /** @param {import("./journal.js").Entry} entry */
  fits(entry) {
    if (!this.#kinds.has(entry.kind)) return false;
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
