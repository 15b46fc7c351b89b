/** The code of the program beside the inspector: to read, to change, and to run again. */

import { byId, element } from "../parts/elements.js";
import { CodeColours } from "./code_colours.js";
import { lineOf, Output } from "./output.js";

const INDENT = "    ";
const PADDING = 8; // of the text, in browser.css

export class Editor {
  #failed = 0;
  #changed = [0, 0]; // the first and the last line that an edit has changed; 0 is none

  /**
   * @param {Node|string} title says what is shown
   * @param {() => void} run called to run the code
   * @param {Node[]} more what else the bar has
   */
  constructor(title, run, more = []) {
    this.run = () => {
      this.mark(0);
      this.output.clear();
      run();
    };
    this.area = element("textarea", {
      id: "code-text",
      "aria-label": "Code",
      "aria-description": "Tab indents. Escape leaves the code. Ctrl+Enter runs it.",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      wrap: "off",
      on: {
        keydown: (event) => this.#pressed(event),
        input: () => this.#typed(),
        scroll: () => this.#align(),
      },
    });
    this.colours = new CodeColours();
    this.lines = element("div", { id: "code-lines", "aria-hidden": "true" });
    this.stripe = element("div", { id: "code-stripe", hidden: true });
    this.changed = element("div", { id: "code-changed", hidden: true });
    this.output = new Output((line) => this.goTo(line));
    this.drawer = element("aside", { id: "code", "aria-label": "Code", hidden: true });
    const behind = [this.changed, this.stripe, this.lines, this.colours.part];
    const text = element("div", { id: "code-pane" }, ...behind, this.area);
    this.drawer.append(this.#bar(title, more), text, this.output.part);
    this.buttons = ["code-open", "code-tab"].map((id) => this.#opener(id));
    document.body.append(this.drawer);
    byId("step").after(this.buttons[0]);
    byId("tabs").append(this.buttons[1]); // on a phone, where there is no room in the header
  }

  get source() {
    return this.area.value;
  }

  set source(text) {
    this.area.value = text;
    this.area.scrollTo(0, 0);
    this.area.setSelectionRange(0, 0);
    this.mark(0);
    this.#draw();
  }

  /** Put other text in place of this one; Ctrl+Z brings it back. */
  replace(text) {
    const { source } = this;
    const least = Math.min(source.length, text.length);
    let start = 0;
    while (start < least && source[start] === text[start]) start += 1;
    let end = 0;
    while (end < least - start && source.at(-1 - end) === text.at(-1 - end)) end += 1;
    const focused = document.activeElement;
    const wasOpen = this.isOpen;
    this.drawer.hidden = false;
    this.area.focus({ preventScroll: true }); // where the focus is not, nothing can be undone
    this.area.setSelectionRange(start, source.length - end);
    this.#insert(text.slice(start, text.length - end));
    this.drawer.hidden = !wasOpen;
    this.area.blur();
    focused?.focus({ preventScroll: true });
  }

  get isOpen() {
    return !this.drawer.hidden;
  }

  show(isOpen) {
    this.drawer.hidden = !isOpen;
    for (const button of this.buttons) {
      button.setAttribute("aria-expanded", String(isOpen));
      delete button.dataset.news;
    }
  }

  /** Show the code or hide it, as the reader wants. */
  toggle() {
    this.show(!this.isOpen);
    const [here] = this.buttons.filter((button) => button.checkVisibility());
    (this.isOpen ? this.area : here)?.focus();
  }

  /**
   * Say that the code runs, or why it does not.
   *
   * @param {string} error a traceback; "" if there is none
   * @param {string} file what the code is called in it
   */
  tell(error, file) {
    this.drawer.dataset.failed = Boolean(error);
    if (!error) return;
    this.output.print(error.trimEnd(), { isError: true });
    this.#show(lineOf(error, file));
    this.show(true);
  }

  /** Add what the program prints, which may be the traceback of a machine. */
  print(text, file, count) {
    this.output.print(text, { count });
    if (!this.isOpen) for (const button of this.buttons) button.dataset.news = "";
    if (text.includes("Traceback (most recent call last)")) this.#show(lineOf(text, file));
  }

  #show(line) {
    if (!line) return;
    this.mark(line);
    this.output.offer(line);
  }

  /** Mark a line; 0 is none. */
  mark(line) {
    this.#failed = line;
    this.stripe.hidden = !line;
    this.#align();
  }

  /** Mark the lines that an edit has changed, and bring them into sight. */
  markChanged(first, last) {
    this.#changed = [first, last];
    this.changed.hidden = !first;
    if (first && this.isOpen) this.#bring(first);
    this.#align();
  }

  #bring(line) {
    const middle = this.area.clientHeight / 2;
    this.area.scrollTo(0, Math.max(0, (line - 0.5) * this.#lineHeight() - middle));
  }

  /** Select a line, and bring it into sight. */
  goTo(line) {
    const before = this.source.split("\n").slice(0, line - 1);
    const start = before.join("\n").length + (line > 1 ? 1 : 0);
    const end = this.source.indexOf("\n", start);
    this.area.focus();
    this.area.setSelectionRange(start, end < 0 ? this.source.length : end);
    this.#bring(line);
  }

  #lineHeight() {
    return parseFloat(getComputedStyle(this.area).lineHeight);
  }

  #typed() {
    this.markChanged(0, 0);
    this.#draw();
  }

  /** Put the numbers and the colours behind the text. */
  #draw() {
    this.colours.show(this.source);
    const count = this.source.split("\n").length;
    this.lines.textContent = Array.from({ length: count }, (_, index) => index + 1).join("\n");
    this.#align();
  }

  /** Keep the colours behind the text, and the numbers and the marks beside their lines. */
  #align() {
    this.colours.scroll(this.area.scrollLeft, this.area.scrollTop);
    this.lines.style.translate = `0 ${-this.area.scrollTop}px`;
    const topOf = (line) => PADDING + (line - 1) * this.#lineHeight() - this.area.scrollTop;
    if (this.#failed) this.stripe.style.translate = `0 ${topOf(this.#failed)}px`;
    const [first, last] = this.#changed;
    if (!first) return;
    this.changed.style.translate = `0 ${topOf(first)}px`;
    this.changed.style.height = `${(last - first + 1) * this.#lineHeight()}px`;
  }

  #opener(id) {
    const button = element("button", { id, "aria-expanded": "false", "aria-controls": "code" });
    button.append("Code");
    button.onclick = () => this.toggle();
    return button;
  }

  #bar(title, more) {
    const advice = "Run the code (Ctrl+Enter)";
    const run = element("button", { id: "code-run", class: "primary", title: advice }, "Run");
    run.onclick = this.run;
    const close = element("button", { class: "icon", "aria-label": "Close the code" }, "×");
    close.onclick = () => this.toggle();
    const buttons = element("div", { class: "buttons" }, run, ...more, close);
    const shown = typeof title === "string" ? element("h2", {}, title) : title;
    return element("div", { class: "bar" }, shown, buttons);
  }

  #pressed(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (key === "Enter" && (ctrlKey || metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      this.run();
    } else if (key === "Enter" && !altKey && !shiftKey) {
      event.preventDefault();
      this.#insert(`\n${this.#indentOfNextLine()}`);
    } else if (key === "Tab" && !ctrlKey && !altKey) {
      event.preventDefault();
      this.#indent(shiftKey);
    } else if (key === "Escape") {
      event.preventDefault();
      byId("code-run").focus();
    }
  }

  #indentOfNextLine() {
    const before = this.source.slice(0, this.area.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    return line.match(/^\s*/)[0] + (/:\s*(#.*)?$/.test(line) ? INDENT : "");
  }

  /** Move the selected lines, or the cursor, by four columns. */
  #indent(isBack) {
    const { selectionStart, selectionEnd } = this.area;
    const isOne = !this.source.slice(selectionStart, selectionEnd).includes("\n");
    if (isOne && !isBack) return this.#insert(INDENT);
    const first = this.source.lastIndexOf("\n", selectionStart - 1) + 1;
    const lines = this.source.slice(first, selectionEnd).split("\n");
    const moved = lines.map((line) =>
      isBack ? line.replace(/^ {1,4}/, "") : line && INDENT + line,
    );
    this.area.setSelectionRange(first, selectionEnd);
    this.#insert(moved.join("\n"));
    if (!isOne) this.area.setSelectionRange(first, this.area.selectionEnd);
  }

  /** Put text in place of what is selected, in a way that can be undone. */
  #insert(text) {
    const { selectionStart, selectionEnd } = this.area;
    const isDone = text
      ? document.execCommand("insertText", false, text)
      : document.execCommand("delete");
    if (isDone) return;
    this.area.setRangeText(text, selectionStart, selectionEnd, "end");
    this.#draw();
  }
}
