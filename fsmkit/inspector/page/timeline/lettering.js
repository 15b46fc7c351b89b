/** Lettering: texts on a canvas, and the room for names at its left. */

import { firstIndex } from "./tracks.js";

const NARROW = 500; // pixels of width below which names get less room
const MOST_LETTERS = 60;

/** As much of a text as fits into that width, with an ellipsis if it is cut. */
export function fitting(canvas, text, width) {
  if (canvas.measureText(text).width <= width) return text;
  const fits = (end) => canvas.measureText(`${text.slice(0, end)}…`).width <= width;
  const ends = Array.from({ length: Math.min(text.length, MOST_LETTERS) }, (_, end) => end);
  const most = firstIndex(ends, (end) => !fits(end)) - 1;
  return most > 0 ? `${text.slice(0, most)}…` : "";
}

/** The pixels for names in a timeline of that width, which has `room` for them if it is wide. */
export const roomForNames = (width, room) => (width < NARROW ? room * 0.75 : room);
