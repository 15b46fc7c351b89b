/** After the program was started again, the page says so and goes on with its breakpoints. */

export class Restart {
  /** @type {import("./breakpoint_words.js").Breakpoint[]|null} to be set once the others are known */
  #breakpoints = null;

  constructor(store, commands, toasts) {
    this.store = store;
    this.commands = commands;
    this.toasts = toasts;
  }

  /** Keep what the greeting of another run would clear. */
  prepare(hello) {
    if (!this.store.isRestart(hello)) return;
    this.#breakpoints = hello.read_only ? [] : (this.#breakpoints ?? this.store.breakpoints);
    this.toasts.show("Started again.", "note");
  }

  /** Set the breakpoints that the program does not have: it, or another page, may have set some. */
  goOn({ breakpoints }) {
    if (!this.#breakpoints || !breakpoints) return;
    const known = new Set(breakpoints.map(keyOf));
    const lost = this.#breakpoints.filter((point) => !known.has(keyOf(point)));
    this.#breakpoints = null;
    for (const point of lost)
      this.commands.setBreakpoint(fieldsOf(point)).catch((error) => this.commands.refuse(error));
  }
}

/** What a breakpoint was made of, without what it has counted since. */
function fieldsOf({ kind, machine, name, way, condition, count, every, text, on }) {
  const optional = {
    ...(machine !== null && { machine }), ...(way && { way }), ...(condition && { condition }),
  };
  return { kind, name: kind === "value" ? "" : name, count, every, text, on, ...optional };
}

const keyOf = (point) => JSON.stringify(fieldsOf(point));
