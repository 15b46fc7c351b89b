/** What an edit has changed in the code: shown for a while below the graph, with a way back. */

import { byId, element, setText } from "../parts/elements.js";
import { counted } from "../parts/wording.js";

const SHOWN = 12_000; // milliseconds
const HEAD = /^(---|\+\+\+|@@|\\)/;

export class EditReport {
  #timer = 0;
  /** Called to take the edit back. */
  undo = () => {};

  constructor() {
    this.part = byId("edit-report");
    this.title = byId("edit-report-title");
    this.diff = byId("edit-report-diff");
    this.back = byId("edit-report-undo");
    this.all = byId("edit-report-all");
    this.back.onclick = () => this.undo();
    byId("edit-report-close").onclick = () => this.hide();
    for (const event of ["pointerenter", "focusin"])
      this.part.addEventListener(event, () => clearTimeout(this.#timer));
    for (const event of ["pointerleave", "focusout"])
      this.part.addEventListener(event, () => this.#hideSoon());
  }

  /** @param {{file: string, diff: string}} answer */
  show({ file, diff }, { isUndone = false } = {}) {
    const lines = diff.split("\n").filter((line) => /^[-+]/.test(line) && !HEAD.test(line));
    setText(this.title, `${file} ${isUndone ? "is as before" : "has changed"}`);
    this.diff.replaceChildren(
      ...dedented(lines).map((line) => element(line[0] === "+" ? "ins" : "del", {}, line)),
    );
    this.back.hidden = isUndone;
    this.all.hidden = true;
    this.part.hidden = false;
    this.#hideSoon();
  }

  /** Ask whether to change all parts that one line makes. @param {import("./edits.js").Refusal} refusal */
  ask({ shared }, everywhere) {
    setText(this.title, `One line makes ${counted(shared.length, "part")}: ${shared.join(", ")}.`);
    this.diff.replaceChildren();
    this.back.hidden = true;
    this.all.hidden = false;
    setText(this.all, `Change all ${shared.length}`);
    this.all.onclick = everywhere;
    this.part.hidden = false;
    this.#hideSoon();
  }

  hide() {
    clearTimeout(this.#timer);
    this.part.hidden = true;
  }

  #hideSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), SHOWN);
  }
}

/** Lines of a diff, without the indentation that all of them have. */
function dedented(lines) {
  const indents = lines.filter((line) => line.slice(1).trim()).map((line) => line.slice(1).search(/\S/));
  const least = Math.min(...indents);
  return lines.map((line) => `${line[0]} ${line.slice(1 + least)}`);
}
