/** The lines of code of the selected machine; asked for once for each version of its definition. */

/** @typedef {import("../parts/place.js").Line} Line */

export class CodeLines {
  #wanted = "";
  /** Machine -> its states, events and actions. */
  #lines = {};

  constructor(store, connection) {
    this.store = store;
    this.connection = connection;
    store.watch("detail", () => this.#load());
  }

  /** The line that added a state. @returns {Line|undefined} */
  ofState(machine, state) {
    return this.#lines[machine]?.states[state];
  }

  /** Those of an action: where it was added, its functions, its class. @returns {Line[]} */
  ofAction({ machine, state, place }) {
    return this.#lines[machine]?.actions[state]?.[place] ?? [];
  }

  /** Those of the transitions for an event. @returns {Line[]} */
  ofEvent(machine, state, event, isGlobal) {
    return (this.#lines[machine]?.events[isGlobal ? "" : state]?.[event] ?? []).flat();
  }

  /** Those of one transition. @returns {Line[]} */
  ofTransition({ machine, event, way: { source, rank } }) {
    return this.#lines[machine]?.events[source]?.[event]?.[rank] ?? [];
  }

  async #load() {
    const { detail, isPast } = this.store;
    const wanted = detail ? `${detail.graph} ${detail.machine}` : "";
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#show({});
    if (!detail || isPast) return;
    try {
      const { lines } = await this.connection.ask("lines", { machine: detail.machine });
      if (wanted === this.#wanted && lines) this.#show(lines);
    } catch {
      if (wanted === this.#wanted) this.#wanted = ""; // the next frame asks again
    }
  }

  #show(lines) {
    this.#lines = lines;
    this.store.changed("lines");
  }
}
