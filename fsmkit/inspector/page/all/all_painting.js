/** The painting of the timeline of all machines. */

import { colourNumber } from "../parts/colours.js";
import { visible } from "../parts/wording.js";
import { fitting, roomForNames } from "../timeline/lettering.js";
import { ticks } from "../timeline/time_axis.js";
import { firstIndex } from "../timeline/tracks.js";

const LABELS = 108; // pixels for the machines' names
export const AXIS = 18;
const GAP = 2; // between two lanes
const ROOM = 64; // pixels for a time on the axis
const WIDE = 34; // pixels from which a bar has room for a name
const LETTER = "#16202c"; // dark in both themes, on the pale colours of states
const FONT = '"Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif';

/**
 * @typedef {{machine: string, lane: import("./all_tracks.js").Lane|undefined, state: string|null,
 *   since: number, trouble: ""|"danger"|"warning", isSelected: boolean, isPointed: boolean}} Shown
 *   `state` and `since` are of now
 */

export class AllPainting {
  /**
   * @param {CanvasRenderingContext2D} canvas
   * @param {{from: number, to: number, now: number, width: number, height: number}} view
   * @param {object} paints see colours.js
   * @param {number} height of a lane, in pixels; letters grow with it
   * @param {number} labels pixels at the left for the machines' names
   * @param {{bar?: number, letters?: number}} [sizes] of the states, and of the names, in pixels
   */
  constructor(canvas, view, paints, height, labels, { bar = height - GAP, letters } = {}) {
    this.canvas = canvas;
    this.view = view;
    this.paints = paints;
    this.height = height;
    this.labels = labels;
    this.bar = bar;
    this.letters = letters ?? Math.round(height * 0.64);
    this.scale = (view.width - this.labels) / (view.to - view.from);
  }

  x(time) {
    return this.labels + (time - this.view.from) * this.scale;
  }

  /**
   * Paint everything.
   *
   * @param {Shown[]} lanes
   * @param {number} top of the first lane, below the axis
   * @param {{cursor: number|null, moment: number|null, exchanges?: number[]}} times
   */
  paint(lanes, top, { cursor, moment, exchanges = [] }) {
    const { canvas, view, paints: colours } = this;
    canvas.clearRect(0, 0, view.width, view.height);
    this.#axis();
    canvas.save();
    canvas.beginPath();
    canvas.rect(0, AXIS, view.width, view.height - AXIS);
    canvas.clip();
    lanes.forEach((lane, index) => this.#lane(lane, AXIS + top + index * this.height));
    canvas.restore();
    this.#upright(view.now, colours.edge, 1);
    for (const time of exchanges) this.#upright(time, colours.current, 1);
    if (cursor !== null) this.#upright(cursor, colours.soft, 1);
    if (moment !== null) this.#upright(moment, colours.current, 2);
  }

  #axis() {
    const { from, to, width, height } = this.view;
    this.canvas.font = `${Math.max(11, this.letters - 4)}px ${FONT}`;
    this.canvas.textAlign = "left";
    for (const { time, text } of ticks(from, to, (width - this.labels) / ROOM)) {
      const x = Math.round(this.x(time));
      this.canvas.fillStyle = this.paints.hair;
      this.canvas.fillRect(x, 4, 1, height - 4);
      this.canvas.fillStyle = this.paints.soft;
      this.canvas.fillText(text, x + 4, 12);
    }
  }

  #lane(shown, above) {
    const { canvas, paints: colours, view, height, bar } = this;
    const top = above + (height - GAP - bar) / 2;
    canvas.fillStyle = shown.isSelected || shown.isPointed ? colours.hair : colours.lane;
    canvas.fillRect(this.labels, top, view.width - this.labels, bar);
    canvas.save();
    canvas.beginPath();
    canvas.rect(this.labels, above, view.width - this.labels, height);
    canvas.clip();
    this.#blocks(shown, top, bar);
    this.#marks(shown.lane?.marks ?? [], top, bar);
    canvas.restore();
    this.#name(shown, top + bar / 2);
  }

  #name({ machine, trouble, isSelected, isPointed }, middle) {
    const { canvas, paints: colours } = this;
    canvas.font = `${isSelected || isPointed ? 700 : 400} ${this.letters}px ${FONT}`;
    canvas.textAlign = "left";
    canvas.textBaseline = "middle";
    if (trouble) {
      canvas.fillStyle = colours[trouble];
      canvas.fillRect(3, middle - 5, 3, 10);
    }
    canvas.fillStyle = trouble ? colours[trouble] : isSelected ? colours.current : colours.ink;
    canvas.fillText(fitting(this.canvas, visible(machine), this.labels - 16), 10, middle);
    canvas.textBaseline = "alphabetic";
  }

  #blocks({ lane, state, since }, top, bar) {
    const { from, to, now } = this.view;
    const blocks = lane?.blocks ?? (state === null ? [] : [{ state, from: since, to: null }]);
    const first = firstIndex(blocks, (block) => (block.to ?? now) > from);
    this.canvas.font = `${this.letters - 1}px ${FONT}`;
    for (let index = first; index < blocks.length && blocks[index].from < to; index += 1) {
      this.#block(blocks[index], top, bar);
    }
  }

  #block(block, top, bar) {
    const left = Math.max(this.x(block.from), this.labels);
    const right = this.x(Math.min(block.to ?? this.view.now, this.view.to));
    const width = Math.max(1, right - left);
    this.canvas.fillStyle = this.paints.states[colourNumber(block.state)];
    this.canvas.fillRect(left, top, width > 3 ? width - 1 : width, bar);
    if (width < WIDE * (this.height / 17) || bar < this.letters) return;
    this.canvas.fillStyle = LETTER;
    this.canvas.fillText(fitting(this.canvas, visible(block.state), width - 8), left + 4, top + bar * 0.74);
  }

  /** Paint a line from the first to the last time of what went wrong, below the states. */
  #marks(marks, top, bar) {
    for (const { time, last, isError } of marks) {
      if (last < this.view.from || time > this.view.to) continue;
      const left = Math.max(this.x(time), this.labels);
      const width = Math.max(3, this.x(last) - left);
      this.canvas.fillStyle = isError ? this.paints.danger : this.paints.warning;
      this.canvas.fillRect(left - 1, top + bar - 4, width, 4);
      this.canvas.fillRect(left - 1, top, 2, bar);
    }
  }

  #upright(time, colour, width) {
    const x = Math.round(this.x(time));
    if (x < this.labels || x > this.view.width) return;
    this.canvas.fillStyle = colour;
    this.canvas.fillRect(x, 2, width, this.view.height);
  }
}

/** The pixels at the left for the machines' names, in a timeline of that width. */
export function labelsWidth(width) {
  return roomForNames(width, LABELS);
}
