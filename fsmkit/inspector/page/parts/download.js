/** Files that the page hands to the browser. */

import { element } from "./elements.js";

/** Have the browser save a file of this name. @param {Blob} blob */
export function download(blob, name) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
