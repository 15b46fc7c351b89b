/** The samples of plotted values, as the program sends them. */

import { firstIndex } from "./tracks.js";

const MOST = 12_000; // samples of a value

/** @typedef {{times: number[], lines: (number|null)[][], texts: string[]|null}} Samples */

export class PlotData {
  /** @type {Map<string, Samples>} path as JSON -> samples */
  #samples = new Map();

  clear() {
    this.#samples.clear();
  }

  /** @returns {Samples|null} */
  of(path) {
    return this.#samples.get(JSON.stringify(path)) ?? null;
  }

  /** What to ask the program for: each path with the time of the last sample. */
  wanted(paths) {
    return paths.map((path) => [path, this.of(path)?.times.at(-1) ?? -1]);
  }

  /** Add new samples; those of another kind take the place of what was there. */
  add({ path, times, lines, texts }) {
    const key = JSON.stringify(path);
    const known = this.#samples.get(key);
    const fits = known && known.lines.length === lines.length && !known.texts === !texts;
    if (!fits) this.#samples.set(key, { times, lines, texts });
    else append(known, { times, lines, texts });
  }
}

function append(known, { times, lines, texts }) {
  known.texts = texts;
  times.forEach((time, index) => {
    const values = lines.map((line) => line[index]);
    if (isStill(known, values)) known.times[known.times.length - 1] = time;
    else {
      known.times.push(time);
      known.lines.forEach((line, at) => line.push(values[at]));
    }
  });
  if (known.times.length <= MOST * 1.2) return;
  known.times = known.times.slice(-MOST);
  known.lines = known.lines.map((line) => line.slice(-MOST));
}

const isStill = ({ lines, times }, values) =>
  times.length > 1 && lines.every((line, at) => line.at(-1) === values[at] && line.at(-2) === values[at]);

/**
 * The value at a time, as a text.
 *
 * @param {Samples|null} samples
 */
export function textAt(samples, time) {
  if (!samples) return "";
  const index = firstIndex(samples.times, (each) => each > time) - 1;
  const values = samples.lines.map((line) => line[index] ?? null);
  if (index < 0 || values.includes(null)) return "–";
  return samples.texts ? samples.texts[values[0]] : values.map(short).join(", ");
}

/** A number with four digits. */
export const short = (number) =>
  Number.isInteger(number) && Math.abs(number) < 1e6 ? String(number) : String(+number.toPrecision(4));
