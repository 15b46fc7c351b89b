/** The painting of the map: tiles, then ways and trails, then everybody. */

import { colourNumber } from "../parts/colours.js";
import { visible } from "../parts/wording.js";
import { fitting } from "../timeline/lettering.js";
import { paintTiles } from "./tile_painting.js";
import { DotPainting } from "./dot_painting.js";

const MANY = 2_000; // from so many on they are squares without a rim
const MOST_TRAILS = 1_000;
export const FEW = 30; // of whom names and ways have room
const RADIUS = 5;
const LONGEST_NAME = 120; // pixels
const LINE = 12;
const JUMP = 1 / 3; // of the view: a way that nobody goes between two samples
const NOWHERE = [NaN, NaN];
const FONT = '11px "Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif';

export class MapPainting {
  #dots = new DotPainting();

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.pen = canvas.getContext("2d");
  }

  /**
   * @param {import("./map_view.js").MapView} view
   * @param {import("./map_data.js").MapData} data
   * @param {object} paints see colours.js
   * @param {{selected?: number, pointed?: number, isPale: (index: number) => boolean}} marks indices
   */
  paint(view, data, paints, marks) {
    const { pen } = this;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, view.width, view.height);
    if (data.tiles) paintTiles(pen, view, data.tiles, paints);
    const { shown } = data;
    if (!shown) return;
    const isMany = shown.x.length > MANY;
    if (shown.x.length <= MOST_TRAILS) this.#trails(view, data, paints, marks);
    this.#courses(view, data, paints, marks);
    if (isMany) this.#dots.paint(pen, view, data, paints);
    else this.#everybody(view, data, paints, marks);
    this.#ring(view, shown, marks.pointed, paints.ink);
    this.#ring(view, shown, marks.selected, paints.current);
    if (!isMany) this.#names(view, shown, paints, marks);
  }

  #everybody(view, data, paints, { isPale }) {
    const { pen } = this;
    const { x, y, states, origin } = data.shown;
    pen.lineWidth = 1;
    for (let index = 0; index < x.length; index += 1) {
      const [left, top] = [view.x(x[index] + origin[0]), view.y(y[index] + origin[1])];
      if (!isIn(view, left, top)) continue;
      const state = data.stateAt(states[index]);
      pen.globalAlpha = isPale(index) ? 0.2 : 1;
      pen.fillStyle = state === null ? paints.page : paints.states[colourNumber(state)];
      pen.strokeStyle = state === null ? paints.soft : paints.ink;
      circle(pen, left, top, RADIUS);
      pen.fill();
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  /** The last seconds of everybody, in the colours of the states that they were in. */
  #trails(view, data, paints, { isPale, selected }) {
    const { pen } = this;
    const { shown } = data;
    pen.lineJoin = "round";
    const longest = Math.hypot(view.width, view.height) * JUMP;
    for (let index = 0; index < shown.x.length; index += 1) {
      pen.globalAlpha = isPale(index) ? 0.15 : index === selected ? 1 : 0.7;
      pen.lineWidth = index === selected ? 3 : 2;
      for (const { state, points } of stretches(view, data, index, longest)) {
        pen.strokeStyle = state === null ? paints.soft : paints.states[colourNumber(state)];
        line(pen, points);
      }
    }
    pen.globalAlpha = 1;
  }

  /** Ways as lines, and targets at the ends of dashed ones: of a few, or of the one that is selected. */
  #courses(view, data, paints, { isPale, selected, pointed }) {
    const { pen } = this;
    const areFew = data.shown.x.length <= FEW;
    for (const { machine, kind, points } of data.courses) {
      if (!areFew && machine !== selected && machine !== pointed) continue;
      const isSelected = machine === selected;
      pen.globalAlpha = isPale(machine) ? 0.15 : isSelected ? 1 : 0.45;
      pen.strokeStyle = pen.fillStyle = isSelected ? paints.ink : paints.soft;
      pen.lineWidth = isSelected ? 1.5 : 1;
      pen.setLineDash(kind === "target" ? [2, 4] : []);
      const shown = points.map(([x, y]) => [view.x(x), view.y(y)]);
      line(pen, shown);
      pen.setLineDash([]);
      const [left, top] = shown.at(-1);
      circle(pen, left, top, kind === "target" ? 4 : 2.5);
      if (kind === "target") pen.stroke();
      else pen.fill();
    }
    pen.globalAlpha = 1;
  }

  #ring(view, frame, index, colour) {
    const point = index === undefined ? null : pointOf(view, frame, index);
    if (!point || !isIn(view, ...point)) return;
    this.pen.strokeStyle = colour;
    this.pen.lineWidth = 2.5;
    circle(this.pen, ...point, RADIUS + 4);
    this.pen.stroke();
  }

  /** The names of a few as far as they have room, or of the one that is selected and the one pointed at. */
  #names(view, frame, paints, { selected, pointed, isPale }) {
    const { names } = frame.roll;
    if (!names) return;
    const all = names.length <= FEW ? names.keys() : [];
    const { pen } = this;
    pen.font = FONT;
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    pen.strokeStyle = paints.page;
    const written = [];
    for (const index of new Set([selected, pointed, ...all])) {
      if (names[index] === undefined || (isPale(index) && index !== pointed)) continue;
      const [left, top] = pointOf(view, frame, index);
      if (!isIn(view, left, top)) continue;
      const text = fitting(pen, visible(names[index]), LONGEST_NAME);
      const gap = RADIUS + 6;
      const width = pen.measureText(text).width;
      const start = left + gap + width < view.width ? left + gap : left - gap - width;
      if (written.some((other) => overlaps(other, { start, end: start + width, top }))) continue;
      written.push({ start, end: start + width, top });
      pen.fillStyle = index === selected ? paints.current : paints.ink;
      pen.strokeText(text, start, top);
      pen.fillText(text, start, top);
    }
  }
}

/** The stretches of a trail, each in one state; one that jumps farther than that is interrupted. */
function* stretches(view, data, index, longest) {
  const { frames, shown } = data;
  let stretch = null;
  for (const frame of frames) {
    const there = placeIn(frame, shown, index);
    const point = there === undefined ? NOWHERE : pointOf(view, frame, there);
    const state = there === undefined ? null : data.stateAt(frame.states[there]);
    const last = stretch?.points.at(-1) ?? NOWHERE;
    const goesOn = Math.hypot(point[0] - last[0], point[1] - last[1]) < longest; // not from nowhere
    if (goesOn) stretch.points.push(point);
    if (goesOn && state === stretch.state) continue;
    if (stretch?.points.length > 1) yield stretch;
    stretch = { state, points: [point] };
  }
  if (stretch?.points.length > 1) yield stretch;
}

/** The place in an earlier frame of the one that has this index now; undefined if it has none. */
function placeIn(frame, shown, index) {
  if (frame.roll === shown.roll) return index;
  return frame.roll.places.get(shown.roll.names?.[index]);
}

export const pointOf = (view, { x, y, origin }, index) => [
  view.x(x[index] + origin[0]),
  view.y(y[index] + origin[1]),
];

export const isIn = (view, left, top) => left > -20 && top > -20 && left < view.width + 20 && top < view.height + 20;

const overlaps = (one, other) =>
  Math.abs(one.top - other.top) < LINE && one.start < other.end && other.start < one.end;

function circle(pen, left, top, radius) {
  pen.beginPath();
  pen.arc(left, top, radius, 0, 2 * Math.PI);
}

function line(pen, points) {
  pen.beginPath();
  points.forEach(([left, top], index) => (index ? pen.lineTo(left, top) : pen.moveTo(left, top)));
  pen.stroke();
}
