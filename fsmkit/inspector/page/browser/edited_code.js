/** The code beside the inspector, which changes with the edits that are made on the graph. */

const CHANGED = "The code has changed since it was run: run it first (Ctrl+Enter)";

/** @implements {import("../editing/edits.js").CodePane} */
export class EditedCode {
  /** The code that runs; null if none does. */
  #runs = null;
  #next = null;
  #isRun = Promise.resolve(true);
  #tell = () => {};
  /** @type {{before: string, after: string}[]} the texts around each edit */
  #edits = [];

  /** @param {import("./editor.js").Editor} editor */
  constructor(editor) {
    this.editor = editor;
  }

  /** Note that the code is being run. */
  begin() {
    this.#tell(false);
    this.#next = this.editor.source;
    this.#isRun = new Promise((resolve) => (this.#tell = resolve));
  }

  /** Note that it runs, or that what ran before goes on. */
  begun(isRunning) {
    if (isRunning) this.#runs = this.#next;
    this.#tell(isRunning);
  }

  /** Note that nothing runs any longer. */
  end() {
    this.#runs = null;
    this.#tell(false);
  }

  async whyNot() {
    await this.#isRun;
    return this.editor.source === this.#runs ? "" : CHANGED;
  }

  goTo(line) {
    this.editor.show(true);
    this.editor.goTo(line);
  }

  /** Put text in place of the code, mark the lines that differ, and run it. */
  replace(text, [first, last]) {
    this.#edits.push({ before: this.editor.source, after: text });
    this.editor.replace(text);
    this.editor.run();
    this.editor.markChanged(first, last);
    return this.#isRun;
  }

  /** Put the text before the last edit back; false if it has changed since in another way. */
  async undo() {
    const last = this.#edits.findLastIndex(({ after }) => after === this.editor.source);
    if (last < 0) return false;
    this.editor.replace(this.#edits[last].before);
    this.#edits.length = last;
    this.editor.run();
    return this.#isRun;
  }
}
