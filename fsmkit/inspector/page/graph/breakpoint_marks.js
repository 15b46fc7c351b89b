/** The signs of breakpoints in the graph. */

import { SIGN_WORDS, signOf } from "../parts/breakpoint_words.js";
import { setAttribute, shape } from "../parts/elements.js";

/** A sign, hidden at first: an octagon, or a diamond for a log point. */
export function breakpointMark(x, y, radius) {
  const mark = shape("path", { class: "breakpoint", d: polygon(x, y, radius, 8, 0.5) });
  Object.assign(mark.dataset, { stop: mark.getAttribute("d"), log: polygon(x, y, radius, 4, 0) });
  return mark;
}

/**
 * Mark a state or an edge with the sign of its breakpoints.
 *
 * @param {Element|undefined} part
 * @param {import("../parts/breakpoint_words.js").Breakpoint[]} points
 */
export function markBreakpoints(part, points) {
  if (!part) return;
  const sign = signOf(points);
  part.classList.toggle("stops", sign !== "");
  setAttribute(part, "data-sign", sign || null);
  setAttribute(part, "aria-description", SIGN_WORDS[sign] || null);
  const mark = part.querySelector("path.breakpoint");
  if (mark) setAttribute(mark, "d", sign === "log" ? mark.dataset.log : mark.dataset.stop);
}

function polygon(x, y, radius, count, turn) {
  const corners = Array.from({ length: count }, (_, index) => {
    const angle = ((index + turn) * 2 * Math.PI) / count;
    return `${x + radius * Math.cos(angle)},${y + radius * Math.sin(angle)}`;
  });
  return `M${corners.join("L")}Z`;
}
