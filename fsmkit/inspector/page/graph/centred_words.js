/** Words in the middle of their place. Graphviz has placed where they begin, for the widths of Helvetica. */

import { shape } from "../parts/elements.js";

/**
 * Centre each line of words; pieces of one line become one text, or a wider one would lie over the next.
 *
 * @param {Iterable<SVGElement>} parts among which are the texts
 * @param {{left: number, right: number}} place what they are centred in
 */
export function centreWords(parts, { left, right }) {
  if (!Number.isFinite(left + right)) return; // words without an outline: "no states"
  const lines = new Map();
  for (const text of [...parts].filter(({ localName }) => localName === "text")) {
    const line = lines.get(text.getAttribute("y"));
    if (line) line.append(piece(text));
    else lines.set(text.getAttribute("y"), text);
  }
  for (const line of lines.values()) {
    line.setAttribute("text-anchor", "middle");
    line.setAttribute("x", (left + right) / 2);
  }
}

function piece(text) {
  text.remove();
  return shape("tspan", {}, text.textContent);
}
