/** The button that lets the machines run to the next change of state. */

import { byId, setAttribute } from "../parts/elements.js";

export class NextChange {
  constructor(store, commands) {
    this.store = store;
    this.button = byId("next-change");
    this.button.onclick = ({ shiftKey }) => commands.runToChange(shiftKey);
    store.watch("status", () => this.#draw());
  }

  #draw() {
    const { awaits } = this.store.status;
    const isAwaiting = awaits !== null && awaits !== undefined;
    setAttribute(this.button, "aria-pressed", String(isAwaiting));
    this.button.title = isAwaiting
      ? `Running to the next change of ${awaits || "any machine"}; press again to pause`
      : "Run to the next change of this machine (j), of any machine (Shift)";
  }
}
