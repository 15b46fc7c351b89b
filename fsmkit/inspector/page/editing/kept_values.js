/** Values that were tuned live: a button beside each one writes it into the code. */

export class KeptValues {
  /** @type {Map<string, string>} the path of a value -> its text */
  #tuned = new Map();

  /**
   * @param {import("./edits.js").Edits} edits
   * @param {import("../panels/value_editor.js").ValueEditor} values
   */
  constructor(store, edits, values) {
    this.store = store;
    this.edits = edits;
    values.tuned = (path, written) => this.#note(path, written);
    store.watch("selected hello exchanges", () => this.#forget());
  }

  /** True if this value was tuned, and can be kept. */
  has(path) {
    return this.edits.isOn && this.#tuned.has(keyOf(path));
  }

  /** Write a value into the code. */
  async keep(path) {
    const [, machine, state, index, parameter] = path;
    const value = this.#tuned.get(keyOf(path));
    const edit = { kind: "set", state, index, parameter, value, machine };
    const refusal = await this.edits.make(edit);
    if (refusal?.shared?.length) return this.edits.report.ask(refusal, () => this.#keepAll(edit, path));
    if (refusal) return this.edits.commands.refuse({ message: `It cannot be kept: ${refusal.reason}` });
    this.#drop(path);
  }

  async #keepAll(edit, path) {
    const refusal = await this.edits.make(edit, { everywhere: true });
    if (refusal) this.edits.commands.refuse({ message: `It cannot be kept: ${refusal.reason}` });
    else this.#drop(path);
  }

  /** @param {string|null} written null: it is no literal, or no parameter of the code */
  #note(path, written) {
    if (written === null) this.#tuned.delete(keyOf(path));
    else this.#tuned.set(keyOf(path), written);
    this.store.changed("tuned");
  }

  #drop(path) {
    this.#tuned.delete(keyOf(path));
    this.store.changed("tuned");
  }

  #forget() {
    this.#tuned.clear();
    this.store.changed("tuned");
  }
}

const keyOf = (path) => JSON.stringify(path);
