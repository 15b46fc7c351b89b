/** A line of code: a click copies it, or opens it in an editor if the program has named one. */

import { byId, element, setText } from "./elements.js";

/** @typedef {{text: string, path: string, link?: string, what?: string}} Line */

const TOLD = 1_200; // milliseconds

/** Schemes by which a browser would run something; the server refuses them as well. */
const UNSAFE = /^\s*(javascript|data|vbscript|file|blob|about):/i;

/** An element for a line of code; `fillPlace` fills it. */
export function makePlace() {
  const place = element("span", { class: "place-of-code", hidden: true });
  place.addEventListener("click", (event) => event.stopPropagation());
  return place;
}

/** Make an element that shows this line. @param {Line} line */
export function placeOf(line) {
  const place = makePlace();
  fillPlace(place, line);
  return place;
}

/** Show another line, or none. @param {HTMLElement} place @param {Line|null|undefined} line */
export function fillPlace(place, line) {
  const key = line ? `${line.what ?? ""} ${line.path} ${line.text}` : "";
  if (place.shown === key) return;
  place.shown = key;
  place.hidden = !line;
  place.replaceChildren(...(line ? [...(line.what ? [`${line.what} `] : []), control(line)] : []));
}

function control(line) {
  if (line.link && !UNSAFE.test(line.link)) {
    const title = `Open ${line.path} in the editor`;
    return element("a", { class: "code-line", href: line.link, title, rel: "noreferrer" }, line.text);
  }
  const attributes = { class: "code-line", type: "button", title: `Copy ${line.path}` };
  const button = element("button", attributes, line.text);
  button.addEventListener("click", () => copy(button, line));
  return button;
}

async function copy(button, line) {
  const word = (await isCopied(line.path)) ? "copied" : line.path;
  setText(button, word);
  setText(byId("announcer"), word === "copied" ? `${line.path} copied` : line.path);
  setTimeout(() => setText(button, line.text), TOLD * (word === "copied" ? 1 : 4));
}

/** Put a text into the clipboard, also where the page may not write to it. */
async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return isCopiedByHand(text);
  }
}

function isCopiedByHand(text) {
  const before = document.activeElement;
  const field = element("textarea", { class: "hidden", readonly: true, "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    before?.focus?.();
  }
}
