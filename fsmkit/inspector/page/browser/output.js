/** What the program prints, and why it fails. */

import { element, setText } from "../parts/elements.js";
import { counted } from "../parts/wording.js";

const MOST_LINES = 1_000;
const PLACE = /File "([^"]+)", line (\d+)/g;

export class Output {
  #leftOut = 0;

  /** @param {(line: number) => void} goTo called to show a line of the code */
  constructor(goTo) {
    this.goTo = goTo;
    this.lines = element("div");
    this.note = element("p", { class: "soft", hidden: true });
    this.part = element(
      "div",
      { id: "code-output", "aria-label": "Output", role: "log", tabindex: "0", hidden: true },
      this.note,
      this.lines,
    );
  }

  clear() {
    this.lines.replaceChildren();
    this.#leftOut = 0;
    this.note.hidden = true;
    this.part.hidden = true;
  }

  /**
   * Add what the program prints.
   *
   * @param {string} text
   * @param {{count?: number, isError?: boolean}} [more] `count` of lines, of which `text` may hold
   *   only the last; `isError` if it is why the code fails
   */
  print(text, { count = 0, isError = false } = {}) {
    const lines = text.split("\n");
    this.#leftOut += Math.max(0, count - lines.length);
    const isAtEnd = this.#isAtEnd();
    this.part.hidden = false;
    this.lines.append(...lines.map((line) => element("div", { class: isError && "error" }, line || " ")));
    for (; this.lines.childElementCount > MOST_LINES; this.#leftOut += 1)
      this.lines.firstChild.remove();
    this.note.hidden = !this.#leftOut;
    setText(this.note, this.#leftOut ? `${counted(this.#leftOut, "earlier line")} left out.` : "");
    if (isAtEnd) this.part.scrollTop = this.part.scrollHeight;
  }

  /** Offer the way to a line of the code. */
  offer(line) {
    const button = element("button", { class: "to-line" }, `Show line ${line}`);
    button.onclick = () => this.goTo(line);
    this.lines.append(button);
    this.part.scrollTop = this.part.scrollHeight;
  }

  #isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.part;
    return scrollTop + clientHeight >= scrollHeight - 24;
  }
}

/** The last line of `file` that a traceback names; 0 if none. */
export function lineOf(traceback, file) {
  const found = [...traceback.matchAll(PLACE)].filter(([, name]) => name === file);
  return Number(found.at(-1)?.[2] ?? 0);
}
