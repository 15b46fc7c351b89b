/** The painting of a census: stacked areas, one per state. */

import { colourNumber } from "../parts/colours.js";

const LETTERS = 22; // pixels of height from which an area bears its name

/**
 * @param {CanvasRenderingContext2D} canvas
 * @param {{samples: {time: number, counts: number[]}[], states: string[], now: number}} census
 * @param {{left: number, right: number, top: number, bottom: number, x: (time: number) => number}}
 *   place
 * @param {object} paints see colours.js
 */
export function paintCensus(canvas, { samples, states, now }, place, paints) {
  const seen = visible(samples, place);
  if (!seen.length) return;
  const columns = seen.map((sample, index) => ({
    from: Math.max(place.left, place.x(sample.time)),
    to: Math.min(place.right, place.x(seen[index + 1]?.time ?? now)),
    edges: edgesOf(sample.counts, place),
    counts: sample.counts,
  }));
  states.forEach((state, index) => paintArea(canvas, columns, index, paints, state));
  canvas.font = "500 11px system-ui, sans-serif";
  states.forEach((state, index) => writeName(canvas, columns, index, state));
}

/** The samples in sight, with the last one before them, not more than there are pixels. */
function visible(samples, { left, right, x }) {
  const first = Math.max(0, samples.findLastIndex(({ time }) => x(time) <= left));
  const end = samples.findIndex(({ time }) => x(time) > right);
  const seen = samples.slice(first, end < 0 ? undefined : end);
  const every = Math.max(1, Math.ceil(seen.length / (right - left)));
  return seen.filter((_, index) => index % every === 0);
}

/** The heights at which the areas meet, from the bottom up. */
function edgesOf(counts, { top, bottom }) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  const edges = [bottom];
  for (const count of counts) edges.push(edges.at(-1) - (all ? count / all : 0) * (bottom - top));
  return edges;
}

function paintArea(canvas, columns, index, paints, state) {
  canvas.fillStyle = paints.states[colourNumber(state)];
  canvas.beginPath();
  for (const { from, to, edges } of columns) {
    const height = edges[index] - edges[index + 1];
    if (height > 0 && to > from) canvas.rect(from, edges[index + 1], to - from + 0.5, height);
  }
  canvas.fill();
}

/** Write a state's name where its area is highest over the width of the name. */
function writeName(canvas, columns, index, state) {
  const width = canvas.measureText(state).width + 12;
  const best = columns
    .map(({ from }) => roomAt(columns, index, from, from + width))
    .reduce((a, b) => (b.bottom - b.top > a.bottom - a.top ? b : a));
  if (best.bottom - best.top < LETTERS) return;
  canvas.fillStyle = "#16202c"; // dark in both themes, on the pale colours of states
  canvas.fillText(state, best.left + 6, (best.top + best.bottom) / 2 + 4);
}

/** The room within an area between two places; none if it ends before. */
function roomAt(columns, index, left, right) {
  const inside = columns.filter(({ from, to }) => to > left && from < right);
  const top = Math.max(...inside.map(({ edges }) => edges[index + 1]));
  const bottom = Math.min(...inside.map(({ edges }) => edges[index]));
  return right > columns.at(-1).to ? { left, top: 0, bottom: 0 } : { left, top, bottom };
}
