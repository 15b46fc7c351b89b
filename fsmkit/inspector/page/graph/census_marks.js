/** The number of agents at each state of a crowd's graph. */

import { shape } from "../parts/elements.js";
import { percent } from "../parts/wording.js";
import { boundsOf } from "./bounds.js";

const HEIGHT = 15;
const LETTER = 6.1; // pixels, of a font of 10.5 pixels

/** Show the census of a detail in the drawing; without one, remove what was shown. */
export function markCensus(drawing, detail) {
  const counts = detail?.census?.counts;
  for (const [id, { state }] of drawing.nodes) {
    if (drawing.parts.has(id))
      mark(drawing, id, counts ? textOf(counts[state] ?? 0, detail.share?.[id] ?? 0) : "");
  }
}

function textOf(count, share) {
  return count ? `${count.toLocaleString("en")} · ${percent(share)}` : "";
}

/** Above the arrows, and so not in the group of the state. */
function mark(drawing, id, text) {
  const before = drawing.content.querySelector(`.census[data-of="${CSS.escape(id)}"]`);
  if ((before?.dataset.text ?? "") === text) return;
  before?.remove();
  if (!text) return;
  const { top, right } = boundsOf(drawing.parts.get(id));
  const width = text.length * LETTER + 10;
  const left = right - width + 8;
  drawing.content.append(
    shape(
      "g",
      { class: "census", "data-of": id, "data-text": text, "aria-hidden": "true" },
      shape("rect", { x: left, y: top - HEIGHT / 2, width, height: HEIGHT, rx: HEIGHT / 2 }),
      shape("text", { x: left + width / 2, y: top + 3.8, "text-anchor": "middle" }, text),
    ),
  );
}
