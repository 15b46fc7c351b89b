/** The fields of objects in the context, asked for while they are open. */

const INTERVAL = 200; // milliseconds between two requests

export class Holders {
  /** @type {Map<string, object[]>} name of an open object -> its fields, as `Values` shows them */
  #open = new Map();

  constructor(store, connection) {
    this.store = store;
    this.connection = connection;
    store.watch("selected", () => this.#forget());
    setInterval(() => this.#ask(), INTERVAL);
  }

  isOpen(name) {
    return this.#open.has(name);
  }

  /** The fields of an object, if it is open. */
  fields(name) {
    return this.#open.get(name) ?? [];
  }

  toggle(name) {
    if (!this.#open.delete(name)) this.#open.set(name, []);
    this.store.changed("holders");
    this.#ask();
  }

  #forget() {
    for (const name of this.#open.keys()) this.#open.set(name, []);
  }

  async #ask() {
    const { selected, moment, isConnected, detail } = this.store;
    if (document.hidden || moment || !isConnected || !detail || this.isAsking) return;
    this.isAsking = true;
    for (const name of this.#open.keys()) {
      const path = ["context", name];
      if (!detail.context.some(([each]) => each === name)) continue;
      const answer = await this.connection
        .ask("look_inside", { machine: selected, path })
        .catch((error) => ({ rows: [["", error.message]], kinds: {} }));
      if (selected !== this.store.selected) break;
      if (this.#open.has(name)) this.#open.set(name, fieldsOf(path, answer));
    }
    this.isAsking = false;
    if (this.#open.size) this.store.changed("holders");
  }
}

const fieldsOf = (path, { rows, kinds }) =>
  rows.map(([name, text]) => {
    const kind = kinds[name] === HOLDER ? "" : (kinds[name] ?? "");
    return { name, text, kind, path: [...path, name] };
  });

/** The kind of an object whose fields can be shown; see fields.py. */
export const HOLDER = "o";
