/** The painting of the timeline. */

import { colourNumber } from "../parts/colours.js";
import { SIGNS } from "../parts/log_entry.js";
import { visible } from "../parts/wording.js";
import { paintCensus } from "./census_painting.js";
import { fitting, roomForNames } from "./lettering.js";
import { ticks } from "./time_axis.js";
import { firstIndex } from "./tracks.js";

const LABELS = 92; // pixels for the machines' names
export const AXIS = 18;
export const LANE = 37;
const BLOCK = 20;
const GAP = 1;
const ROOM = 64; // pixels for a time on the axis
const LETTER = "#16202c"; // dark in both themes, on the pale colours of states
const FONT = '"Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif';

export class Painting {
  /**
   * @param {CanvasRenderingContext2D} canvas
   * @param {{from: number, to: number, now: number, width: number, height: number}} view
   * @param {object} paints see colours.js
   */
  constructor(canvas, view, paints) {
    this.canvas = canvas;
    this.view = view;
    this.paints = paints;
    this.labels = labelsWidth(view.width);
    this.scale = (view.width - this.labels) / (view.to - view.from);
  }

  x(time) {
    return this.labels + (time - this.view.from) * this.scale;
  }

  /**
   * Paint everything. `cursor` and `moment` are times, or null; so may `census` be. `differences`
   * are marked, and `exchanges`, the times at which the code has changed.
   */
  paint(lanes, { cursor, moment, census = null, differences = [], exchanges = [] }) {
    const { width, height } = this.view;
    this.canvas.clearRect(0, 0, width, height);
    this.#axis();
    if (census) this.#census(census);
    lanes.forEach((lane, index) => this.#lane(lane, AXIS + index * LANE));
    this.#upright(this.view.now, this.paints.edge, [2, 3]);
    for (const time of exchanges) this.#upright(time, this.paints.current, [5, 3]);
    for (const { time } of differences) this.#upright(time, this.paints.danger, [2, 2]);
    if (cursor !== null) this.#upright(cursor, this.paints.soft, []);
    if (moment !== null) this.#momentAt(moment);
  }

  #census(census) {
    const { width, height, now } = this.view;
    const place = {
      left: this.labels,
      right: width,
      top: AXIS,
      bottom: height - 4,
      x: (time) => this.x(time),
    };
    paintCensus(this.canvas, { samples: census.samples, states: census.states, now }, place, this.paints);
  }

  #axis() {
    const { from, to, width, height } = this.view;
    this.canvas.font = `11px ${FONT}`;
    this.canvas.textAlign = "left";
    for (const { time, text } of ticks(from, to, (width - this.labels) / ROOM)) {
      const x = Math.round(this.x(time)) + 0.5;
      this.canvas.fillStyle = this.paints.hair;
      this.canvas.fillRect(x - 0.5, 4, 1, height - 4);
      this.canvas.fillStyle = this.paints.soft;
      this.canvas.fillText(text, x + 4, 12);
    }
  }

  #lane(lane, top) {
    const { canvas, paints, view } = this;
    canvas.fillStyle = paints.lane;
    canvas.fillRect(this.labels, top, view.width - this.labels, BLOCK);
    canvas.save();
    canvas.beginPath();
    canvas.rect(this.labels, 0, view.width - this.labels, view.height);
    canvas.clip();
    this.#blocks(lane.blocks, top);
    this.#marks(lane.marks, top + BLOCK);
    canvas.restore();
    canvas.font = `600 12px ${FONT}`;
    canvas.fillStyle = paints.ink;
    canvas.textAlign = "left";
    canvas.fillText(fitting(this.canvas, visible(lane.title), this.labels - 18), 10, top + 14);
  }

  #blocks(blocks, top) {
    const { from, to, now } = this.view;
    const first = firstIndex(blocks, (block) => (block.to ?? now) > from);
    this.canvas.font = `500 11px ${FONT}`;
    for (let index = first; index < blocks.length && blocks[index].from < to; index += 1) {
      this.#block(blocks[index], top);
    }
  }

  #block(block, top) {
    const left = Math.max(this.x(block.from), this.labels - 4);
    const right = this.x(Math.min(block.to ?? this.view.now, this.view.to));
    const width = Math.max(1, right - left - GAP);
    this.canvas.fillStyle = this.paints.states[colourNumber(block.state)];
    this.canvas.beginPath();
    this.canvas.roundRect(left, top, width, BLOCK, Math.min(4, width / 2));
    this.canvas.fill();
    const text = width > 18 ? fitting(this.canvas, visible(block.state), width - 10) : "";
    this.canvas.fillStyle = LETTER;
    this.canvas.fillText(text, Math.max(left, this.labels) + 5, top + 14);
  }

  /** Paint the signs of events, with their names where there is room. */
  #marks(marks, top) {
    const { from, to } = this.view;
    let free = this.labels;
    this.canvas.font = `10px ${FONT}`;
    for (const mark of marks) {
      if (mark.until > mark.time && mark.until >= from && mark.time <= to) this.#stretch(mark, top);
    }
    for (let at = firstIndex(marks, ({ time }) => time >= from); at < marks.length; at += 1) {
      const x = this.x(marks[at].time);
      if (marks[at].time > to) break;
      if (x < free) continue;
      const next = marks.slice(at + 1, at + 40).find((mark) => this.x(mark.time) > x + 5);
      const room = (next ? this.x(next.time) : Infinity) - x - 16;
      free = x + 5;
      this.#mark(marks[at], x, top, room);
    }
  }

  #mark({ name, outcome }, x, top, room) {
    const text = visible(name);
    this.canvas.fillStyle = this.#colourOf(outcome);
    this.canvas.textAlign = "center";
    this.canvas.fillText(SIGNS[outcome] ?? "·", x, top + 11);
    this.canvas.textAlign = "left";
    const width = this.canvas.measureText(text).width;
    if (width < room) this.canvas.fillText(text, x + 8, top + 11);
  }

  /** A line from the first to the last time of what was repeated, and a sign at its end. */
  #stretch({ time, until, outcome }, top) {
    this.canvas.fillStyle = this.#colourOf(outcome);
    const [left, right] = [this.x(time) + 6, this.x(until)];
    this.canvas.fillRect(left, top + 14, Math.max(0, right - left), 1.5);
    this.canvas.textAlign = "center";
    if (right > left + 6) this.canvas.fillText(SIGNS[outcome] ?? "·", right, top + 11);
    this.canvas.textAlign = "left";
  }

  #colourOf(outcome) {
    const troubles = { error: this.paints.danger, unhandled: this.paints.warning };
    return troubles[outcome] ?? this.paints.soft;
  }

  #upright(time, colour, dashes) {
    const x = Math.round(this.x(time)) + 0.5;
    if (x < this.labels || x > this.view.width) return;
    this.canvas.strokeStyle = colour;
    this.canvas.setLineDash(dashes);
    this.canvas.beginPath();
    this.canvas.moveTo(x, 2);
    this.canvas.lineTo(x, this.view.height);
    this.canvas.stroke();
    this.canvas.setLineDash([]);
  }

  #momentAt(time) {
    const x = Math.round(this.x(time)) + 0.5;
    if (x < this.labels || x > this.view.width) return;
    this.canvas.fillStyle = this.paints.current;
    this.canvas.fillRect(x - 1, 0, 2, this.view.height);
    this.canvas.beginPath();
    this.canvas.moveTo(x - 6, 0);
    this.canvas.lineTo(x + 6, 0);
    this.canvas.lineTo(x, 9);
    this.canvas.fill();
  }
}

/** The pixels at the left for the machines' names, in a timeline of that width. */
export function labelsWidth(width) {
  return roomForNames(width, LABELS);
}
