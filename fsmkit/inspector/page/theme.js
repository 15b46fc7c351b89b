/** Light or dark: as the system has it, until the reader decides. */

import { recall, remember } from "./remembered.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");

export class Theme {
  /** @param {() => void} changed is called after every change */
  constructor(changed) {
    this.changed = changed;
    this.#show(recall("theme"));
    DARK.addEventListener("change", changed);
  }

  get isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : DARK.matches;
  }

  toggle() {
    const chosen = this.isDark ? "light" : "dark";
    remember("theme", chosen);
    this.#show(chosen);
  }

  #show(chosen) {
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
    this.changed();
  }
}
