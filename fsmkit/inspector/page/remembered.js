/** What the browser remembers of the reader's wishes. It may refuse to. */

/** @returns {string|null} */
export function recall(name) {
  try {
    return localStorage.getItem(`fsmkit-inspector-${name}`);
  } catch {
    return null;
  }
}

/** @param {string} value */
export function remember(name, value) {
  try {
    localStorage.setItem(`fsmkit-inspector-${name}`, value);
  } catch {
    // a page that remembers nothing is a page that works
  }
}
