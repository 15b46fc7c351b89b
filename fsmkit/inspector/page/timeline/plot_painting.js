/** The painting of one plot: lines for numbers, coloured steps for texts. */

import { visible } from "../parts/wording.js";
import { firstIndex } from "./tracks.js";

const EDGE = 4; // pixels above and below a line
const LETTER = "#16202c"; // dark in both themes, on the pale colours of states
const FONT = '"Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif';
const DASHES = [[], [5, 3], [2, 2], [8, 2, 2, 2]]; // tell the numbers of a vector apart

export class PlotPainting {
  /**
   * @param {CanvasRenderingContext2D} canvas
   * @param {{from: number, to: number, now: number, width: number, height: number, labels: number}} view
   * @param {object} paints see colours.js
   */
  constructor(canvas, view, paints) {
    this.canvas = canvas;
    this.view = view;
    this.paints = paints;
    this.scale = (view.width - view.labels) / (view.to - view.from);
  }

  x(time) {
    return this.view.labels + (time - this.view.from) * this.scale;
  }

  /**
   * @param {import("./plot_data.js").Samples|null} samples
   * @returns {[number, number]|null} the least and the greatest number in view
   */
  paint(samples, { cursor, moment, exchanges }) {
    const { canvas, view, paints } = this;
    canvas.clearRect(0, 0, view.width, view.height);
    canvas.fillStyle = paints.lane;
    canvas.fillRect(view.labels, 0, view.width - view.labels, view.height - 2);
    canvas.save();
    canvas.beginPath();
    canvas.rect(view.labels, 0, view.width - view.labels, view.height);
    canvas.clip();
    const range = samples ? this.#values(samples) : null;
    this.#upright(view.now, paints.edge, [2, 3], 1);
    for (const time of exchanges) this.#upright(time, paints.current, [5, 3], 1);
    if (cursor !== null) this.#upright(cursor, paints.soft, [], 1);
    if (moment !== null) this.#upright(moment, paints.current, [], 2);
    canvas.restore();
    return range;
  }

  #values(samples) {
    const { from, to } = this.view;
    const { times } = samples;
    const begin = Math.max(0, firstIndex(times, (time) => time > from) - 1);
    const end = Math.min(times.length, firstIndex(times, (time) => time > to) + 1);
    if (samples.texts) return this.#steps(samples, begin, end);
    return this.#lines(samples, begin, end);
  }

  #lines({ times, lines }, begin, end) {
    const range = rangeOf(lines, begin, end);
    if (!range) return null;
    const [least, greatest] = range;
    const height = this.view.height - 2 - 2 * EDGE;
    const span = greatest - least;
    const y = (value) => EDGE + height * (span ? 1 - (value - least) / span : 0.5);
    this.canvas.strokeStyle = this.paints.current;
    this.canvas.lineWidth = 1.5;
    this.canvas.lineJoin = "round";
    lines.forEach((line, number) => {
      this.canvas.setLineDash(DASHES[number % DASHES.length]);
      this.#line(times, line, begin, end, y);
    });
    this.canvas.setLineDash([]);
    return range;
  }

  /** Draw a line; of many samples in one column of pixels, from the least to the greatest. */
  #line(times, line, begin, end, y) {
    const { canvas } = this;
    canvas.beginPath();
    let isPen = false;
    for (let index = begin; index < end; ) {
      const value = line[index];
      const x = this.x(times[index]);
      if (value === null) {
        isPen = false;
        index += 1;
        continue;
      }
      let [low, high, last] = [value, value, value];
      for (index += 1; index < end && line[index] !== null && this.x(times[index]) < x + 1; index += 1) {
        last = line[index];
        low = Math.min(low, last);
        high = Math.max(high, last);
      }
      if (isPen) canvas.lineTo(x, y(value));
      else canvas.moveTo(x, y(value));
      if (low !== high) for (const each of [low, high, last]) canvas.lineTo(x, y(each));
      isPen = true;
    }
    if (isPen && end === times.length) canvas.lineTo(this.#end(times.at(-1)), y(line.at(-1)));
    canvas.stroke();
  }

  #steps({ times, lines: [codes], texts }, begin, end) {
    const { canvas, view } = this;
    canvas.font = `500 11px ${FONT}`;
    for (let index = begin; index < end; ) {
      const first = index;
      while (index < end && codes[index] === codes[first]) index += 1;
      if (codes[first] === null) continue;
      const left = this.x(times[first]);
      const right = index < times.length ? this.x(times[index]) : this.#end(times.at(-1));
      const width = Math.max(1, right - left - 1);
      const text = texts[codes[first]];
      canvas.fillStyle = this.#colourOf(text, codes[first]);
      canvas.fillRect(left, EDGE, width, view.height - 2 - 2 * EDGE);
      const start = Math.max(left, view.labels) + 5;
      canvas.fillStyle = text === "False" ? this.paints.soft : LETTER;
      if (start + canvas.measureText(visible(text)).width < right - 3)
        canvas.fillText(visible(text), start, view.height / 2 + 3);
    }
    return null;
  }

  #colourOf(text, code) {
    if (text === "False") return this.paints.hair;
    return this.paints.states[(text === "True" ? 3 : code) % this.paints.states.length];
  }

  /** Where the last sample ends: samples come a little later than the time. */
  #end(last) {
    const { now } = this.view;
    return this.x(now - last < 1 ? now : last);
  }

  #upright(time, colour, dashes, width) {
    const x = Math.round(this.x(time)) + 0.5;
    this.canvas.strokeStyle = colour;
    this.canvas.lineWidth = width;
    this.canvas.setLineDash(dashes);
    this.canvas.beginPath();
    this.canvas.moveTo(x, 0);
    this.canvas.lineTo(x, this.view.height);
    this.canvas.stroke();
    this.canvas.setLineDash([]);
  }
}

function rangeOf(lines, begin, end) {
  let [least, greatest] = [Infinity, -Infinity];
  for (const line of lines)
    for (let index = begin; index < end; index += 1) {
      if (line[index] === null) continue;
      least = Math.min(least, line[index]);
      greatest = Math.max(greatest, line[index]);
    }
  return least <= greatest ? [least, greatest] : null;
}
