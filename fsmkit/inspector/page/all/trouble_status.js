/** Errors that nobody has looked at: a button in the header, and a toast when they begin. */

import { byId, setText } from "../parts/elements.js";
import { counted } from "../parts/wording.js";

const FEW = 3; // machines that a toast names

export class TroubleStatus {
  constructor(store, commands, toasts) {
    this.store = store;
    this.toasts = toasts;
    this.button = byId("trouble");
    this.button.onclick = () => commands.select(store.everyone.roster.unseen[0]);
    byId("trouble-seen").onclick = () => store.everyone.seeAll();
    store.watch("marks hello", () => this.#draw());
    store.watch("failed", () => this.#announce());
    document.addEventListener("visibilitychange", () => store.everyone.see(store.selected));
  }

  #draw() {
    const { unseen } = this.store.everyone.roster;
    this.button.hidden = byId("trouble-seen").hidden = !unseen.length;
    setText(this.button, troubleText(unseen.length));
    this.button.title = `Show ${unseen[0]}`;
  }

  /** One toast for all that have had their first error. */
  #announce() {
    const failed = this.store.everyone.failed.splice(0);
    if (!failed.length) return;
    const more = failed.length > FEW ? [`and ${counted(failed.length - FEW, "more machine")}`] : [];
    const named = failed.slice(0, FEW).map((machine) => this.#named(machine));
    this.toasts.show(`Error in ${[...named, ...more].join("\n")}`);
  }

  /** The machine with its error. */
  #named(machine) {
    return [machine, this.store.everyone.roster.lastError(machine)].filter(Boolean).join(": ");
  }
}

/** "1 machine with errors" */
export const troubleText = (count) => `${counted(count, "machine")} with errors`;
