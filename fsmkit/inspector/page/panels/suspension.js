/** The button that suspends and resumes the selected machine alone, where there are several. */

import { byId, setAttribute, setText } from "../parts/elements.js";

export class Suspension {
  constructor(store, commands) {
    this.store = store;
    this.button = byId("suspend-one");
    this.button.onclick = () => {
      const machine = store.selected;
      commands.suspend(machine, !store.isSuspended(machine));
    };
    store.watch("machines selected suspended hello moment connection", () => this.#draw());
  }

  #draw() {
    const { machines, selected, isLocked } = this.store;
    const isSuspended = this.store.isSuspended(selected);
    this.button.hidden = (machines.size < 2 || isLocked) && !isSuspended;
    this.button.disabled = isLocked;
    setAttribute(this.button, "aria-pressed", String(isSuspended));
    setText(this.button, isSuspended ? "Resume it" : "Suspend");
    const also = "Events still reach it.";
    this.button.title = isSuspended
      ? `Suspended by the page: let it have updates again. ${also}`
      : `Keep the updates from this machine only. ${also}`;
  }
}
