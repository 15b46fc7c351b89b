/** Follow: the current state is brought into sight whenever it changes. */

import { byId, setAttribute } from "../parts/elements.js";
import { recall, remember } from "../parts/preferences.js";

const PREFERENCE = "graph-follow";

export class Following {
  /** @param {() => void} began called when it is switched on */
  constructor(began) {
    this.began = began;
    this.button = byId("graph-follow");
    this.button.onclick = () => this.toggle();
    this.begin();
  }

  /** As the reader wishes, until the view is moved. */
  begin() {
    this.#set(recall(PREFERENCE) !== "no");
  }

  /** The reader has moved the view, and wants to look there. */
  rest() {
    this.#set(false);
  }

  toggle() {
    this.#set(!this.isOn);
    remember(PREFERENCE, this.isOn ? "yes" : "no");
    if (this.isOn) this.began();
  }

  #set(isOn) {
    this.isOn = isOn;
    setAttribute(this.button, "aria-pressed", String(isOn));
  }
}
