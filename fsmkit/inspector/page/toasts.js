/** Short messages, above all errors. They lie over the graph and let clicks through. */

import { element } from "./elements.js";
import { visible } from "./wording.js";

const SECONDS = 7;
const MOST = 3;

export class Toasts {
  /** @param {Element} place */
  constructor(place) {
    this.place = place;
  }

  /** @param {"error"|"note"} kind */
  show(text, kind = "error") {
    const same = [...this.place.children].find((toast) => toast.textContent === visible(text));
    same?.remove();
    const toast = element("p", { class: "toast", data: { kind } }, text);
    this.place.append(toast);
    while (this.place.children.length > MOST) this.place.firstChild.remove();
    setTimeout(() => toast.remove(), SECONDS * 1_000);
  }
}
