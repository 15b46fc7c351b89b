/** Edits of the code. The program proves each one before it is written, or says why it cannot be. */

import { sentence } from "./refusals.js";

/**
 * @typedef {{proved: false, reason: string, file?: string|null, line?: number|null,
 *   place?: import("../parts/place.js").Line|null, shared?: string[]}} Refusal `shared` are the parts
 *   that one line makes: the edit is possible for all of them together
 * @typedef {{goTo: (line: number) => void, whyNot: () => Promise<string>,
 *   replace: (text: string, lines: number[]) => Promise<boolean>, undo: () => Promise<boolean>}} CodePane
 *   the code beside the inspector: `whyNot` says why it cannot be edited now, if it cannot;
 *   `replace` runs the new text, and is true once that runs
 */

const AGAIN = 100; // milliseconds until the rest of the reasons is asked for

export class Edits {
  /** @type {object[]|null} */
  #forms = null;
  #greeted = () => {};

  /**
   * @param {import("./edit_report.js").EditReport} report
   * @param {CodePane|null} code null where the program writes a file
   */
  constructor(store, commands, graph, report, code) {
    this.store = store;
    this.commands = commands;
    this.graph = graph;
    this.report = report;
    this.code = code;
    report.undo = () => this.undo();
    store.watch("hello", () => this.#greet());
  }

  /** True if the code can be edited: the program allows it, and the page shows the present. */
  get isOn() {
    return Boolean(this.store.hello?.editing) && !this.store.isLocked;
  }

  /** The file that is written. */
  get file() {
    return this.store.hello?.editing?.file ?? "";
  }

  /** Its name, without its folder. */
  get fileName() {
    return this.file.split("/").at(-1);
  }

  /**
   * Make an edit, and return why it was refused; null if it was not.
   *
   * @param {object} edit
   * @param {{everywhere?: boolean}} [options] `everywhere`: for all parts that one line makes
   * @returns {Promise<Refusal|null>}
   */
  async make(edit, { everywhere = false } = {}) {
    try {
      const why = await this.code?.whyNot();
      if (why) return { proved: false, reason: why };
      const request = { edit, write: this.code === null, everywhere };
      const answer = await this.commands.connection.ask("edit", request);
      if (!answer.proved) return answer;
      await this.#take(answer);
      return null;
    } catch (error) {
      return { proved: false, reason: error.message };
    }
  }

  /** Take back the last edit. */
  async undo() {
    if (!this.isOn) return;
    if (this.code) {
      await this.#run(() => this.code.undo());
      return this.report.hide();
    }
    const answer = await this.commands.ask("undo_edit");
    if (answer?.proved) this.report.show(answer, { isUndone: true });
    else if (answer) this.commands.refuse({ message: sentence(answer.reason) });
  }

  /**
   * Ask what can be edited of a state, and why not.
   *
   * @param {(reasons: object) => boolean} show called with what is known, until all is; false if
   *   nobody wants to know it any longer
   */
  async reasons(machine, state, show) {
    for (let isWanted = this.isOn; isWanted; ) {
      const answer = await this.commands.ask("reasons", { machine, state });
      isWanted = answer !== null && show(answer) && answer.complete === false;
      if (isWanted) await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }

  /** The actions of the library, with the fields of their forms. */
  async forms() {
    this.#forms ??= (await this.commands.ask("edit_forms"))?.actions ?? null;
    return this.#forms ?? [];
  }

  /** Give the focus back to a state, from which a sheet was opened before all was drawn anew. */
  focus(machine, state) {
    const { activeElement, body } = document;
    const isLost = activeElement === body || !activeElement.checkVisibility();
    if (isLost) this.graph.focusOnceShown(machine, state);
  }

  async #take(answer) {
    this.report.show(answer);
    this.commands.toasts.spare("The code has changed."); // when it is reloaded
    if (this.code) await this.#run(() => this.code.replace(answer.text, answer.lines));
  }

  /** Run other code; done when the page shows its machine. */
  async #run(run) {
    const isGreeted = new Promise((resolve) => (this.#greeted = resolve));
    this.commands.toasts.spare("Started again.");
    this.graph.expectOtherCode();
    if ((await run()) !== false) await isGreeted;
  }

  #greet() {
    this.#forms = null;
    this.#greeted();
  }
}
