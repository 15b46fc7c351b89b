/** When the selected machine leaves its group, the page says so and shows another one. */

export class Departure {
  constructor(store, commands, toasts) {
    this.store = store;
    this.commands = commands;
    this.toasts = toasts;
    store.watch("departed", () => this.#announce());
    store.watch("exchanges", () => this.#announceExchange());
    store.watch("machines selected", () => this.#selectAnother());
  }

  /** Of the first call, at the beginning, nothing is said. */
  #announceExchange() {
    const { exchanges } = this.store.status;
    if (exchanges.length) this.toasts.show("The code has changed.", "note");
  }

  #announce() {
    const { departed, machines } = this.store;
    if (departed === null) return;
    const isReplaced = machines.has(departed);
    const text = isReplaced ? `There is another ${departed} now.` : `${departed} has gone.`;
    this.toasts.show(text, "note");
  }

  /** The server selects another one, unless this one left while it was being requested. */
  #selectAnother() {
    const { machines, selected, firstMachine } = this.store;
    if (machines.has(selected) || selected === firstMachine) return;
    if (firstMachine === null) this.store.select(null);
    else this.commands.select(firstMachine);
  }
}
