/** The reader's preferences, which the browser stores: above all the theme, light or dark. */

const DARK = matchMedia("(prefers-color-scheme: dark)");

const ROOT = document.documentElement;

/**
 * Read a preference.
 *
 * @returns {string|null}
 */
export function recall(name) {
  try {
    return localStorage.getItem(`fsmkit-inspector-${name}`);
  } catch {
    return null;
  }
}

/**
 * Store a preference. The browser may refuse to.
 *
 * @param {string} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(`fsmkit-inspector-${name}`, value);
  } catch {
    // the page works without it
  }
}

/** The system's theme, until the reader chooses one. */
export class Theme {
  /** @param {() => void} changed called after every change */
  constructor(changed) {
    this.#show(recall("theme"));
    changed();
    DARK.addEventListener("change", changed);
    new MutationObserver(changed).observe(ROOT, { attributeFilter: ["data-theme"] });
  }

  get isDark() {
    const chosen = ROOT.dataset.theme;
    return chosen ? chosen === "dark" : DARK.matches;
  }

  toggle() {
    const chosen = this.isDark ? "light" : "dark";
    remember("theme", chosen);
    this.#show(chosen);
  }

  #show(chosen) {
    if (chosen === "light" || chosen === "dark") ROOT.dataset.theme = chosen;
  }
}
