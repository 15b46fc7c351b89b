/** The help dialog: all keys. */

import { byId, element } from "../parts/elements.js";

export class Help {
  constructor() {
    this.dialog = byId("help");
    byId("help-open").onclick = () => this.open();
    this.dialog.addEventListener(
      "click",
      (event) => event.target === this.dialog && this.dialog.close(),
    );
  }

  /** @param {import("../parts/shortcuts.js").Shortcut[]} shortcuts */
  list(shortcuts) {
    const rows = shortcuts.map(({ shown, text }) =>
      element(
        "div",
        {},
        element("dt", {}, ...shown.split(" ").map((key) => element("kbd", {}, key))),
        element("dd", {}, text),
      ),
    );
    byId("help-keys").replaceChildren(...rows);
  }

  open() {
    this.dialog.showModal();
  }
}
