/** Asks for the news of all machines, for as long as a part of the page wants them. */

export class Following {
  #wanted = new Set();

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    store.watch("hello", () => this.#begin());
  }

  /** @param {string} part the part of the page that wants them, or does not any more */
  want(part, isWanted) {
    const before = this.#wanted.size;
    if (isWanted) this.#wanted.add(part);
    else this.#wanted.delete(part);
    if (Boolean(before) !== Boolean(this.#wanted.size)) this.#ask();
  }

  /** A new connection knows nothing of it. */
  #begin() {
    if (this.store.hello && this.#wanted.size) this.#ask();
  }

  #ask() {
    if (this.store.isConnected) this.commands.ask("follow_all", { on: this.#wanted.size > 0 });
  }
}
