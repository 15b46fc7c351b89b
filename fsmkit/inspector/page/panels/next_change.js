/** The buttons that go to changes of state: those of the past, and the next one to come. */

import { byId, setAttribute } from "../parts/elements.js";

export class NextChange {
  constructor(store, commands) {
    this.store = store;
    this.button = byId("next-change");
    this.button.onclick = ({ shiftKey }) => commands.runToChange(shiftKey);
    byId("change-last").onclick = ({ shiftKey }) => commands.lastChange(shiftKey);
    byId("change-next").onclick = ({ shiftKey }) => commands.nextChange(shiftKey);
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
