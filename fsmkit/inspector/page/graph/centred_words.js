/** Words in the middle of their place. Graphviz has placed where they begin, for the widths of Helvetica. */

import { shape } from "../parts/elements.js";

const NARROWER = 4; // points at each side of a state that its words leave free

/**
 * The lines of words, from the top: pieces of one line become one text, or a wider one would lie over the next.
 *
 * @param {Iterable<SVGElement>} parts among which are the texts
 * @returns {SVGElement[]} a text for each line
 */
export function linesOfWords(parts) {
  const lines = new Map();
  for (const text of [...parts].filter(({ localName }) => localName === "text")) {
    const line = lines.get(text.getAttribute("y"));
    if (line) line.append(piece(text));
    else lines.set(text.getAttribute("y"), text);
  }
  return [...lines.values()].sort((one, other) => heightOf(one) - heightOf(other));
}

/** The height of the line that a text stands on. */
export const heightOf = (text) => Number(text.getAttribute("y"));

/**
 * Centre each line, and make it as narrow as its place: a browser's font may be wider.
 *
 * @param {SVGElement[]} lines
 * @param {{left: number, right: number}} place what they are centred in
 */
export function centre(lines, { left, right }, margin = 0) {
  if (!Number.isFinite(left + right)) return; // words without an outline: "no states"
  const room = right - left - 2 * margin;
  for (const line of lines) {
    line.setAttribute("text-anchor", "middle");
    line.setAttribute("x", (left + right) / 2);
    if (widthOf(line) > room) {
      line.setAttribute("textLength", room);
      line.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  }
}

/** Centre the name of a state, and what is below it, in its outline. */
export function centreInside(part, place) {
  centre(linesOfWords(part.children), place, NARROWER);
}

/** Measured without the page, on which the words may not be yet, or not visible. */
function widthOf(line) {
  const font = ["font-weight", "font-size", "font-family"].map((name) => line.getAttribute(name));
  canvas.font = `${font[0] ?? ""} ${Number(font[1])}px ${font[2]}`;
  return canvas.measureText(line.textContent).width;
}

const canvas = document.createElement("canvas").getContext("2d");

function piece(text) {
  text.remove();
  return shape("tspan", {}, text.textContent);
}
