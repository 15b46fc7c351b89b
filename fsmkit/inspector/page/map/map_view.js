/** The part of the world that the map shows: from positions to pixels, and back. */

const MARGIN = 28; // pixels
const SMALLEST = 1e-9; // units: a single place has a size as well
const LARGEST = 1e9; // pixels of a unit
const AHEAD = 0.08; // of the size
const FAR = 2; // times the spread of most of them, beyond which somebody does not count
const ENOUGH = 20; // positions of which a few may be far away

/** @typedef {{left: number, right: number, low: number, high: number}} Bounds */

export class MapView {
  width = 0;
  height = 0;
  /** Pixels of a unit. */
  scale = 1;
  /** The position in the middle. */
  middle = { x: 0, y: 0 };
  /** The direction of y on the screen: 1 for up. */
  up = 1;
  /** True until the reader moves the view: it shows everybody. */
  isFitting = true;
  /** @type {Bounds|null} */
  #bounds = null;

  x(x) {
    return this.width / 2 + (x - this.middle.x) * this.scale;
  }

  y(y) {
    return this.height / 2 - (y - this.middle.y) * this.scale * this.up;
  }

  /** The position at a pixel. */
  at(left, top) {
    return {
      x: this.middle.x + (left - this.width / 2) / this.scale,
      y: this.middle.y - ((top - this.height / 2) / this.scale) * this.up,
    };
  }

  zoom(factor, left = this.width / 2, top = this.height / 2) {
    const before = this.at(left, top);
    this.scale = Math.min(LARGEST, Math.max(1 / LARGEST, this.scale * factor));
    const after = this.at(left, top);
    this.#move(before.x - after.x, before.y - after.y);
  }

  /** Move what is shown by pixels. */
  pan(right, down) {
    this.#move(-right / this.scale, (down / this.scale) * this.up);
  }

  #move(x, y) {
    this.isFitting = false;
    this.middle = { x: this.middle.x + x, y: this.middle.y + y };
  }

  /** Show everybody again, wherever they go. */
  fit() {
    this.isFitting = true;
    this.#bounds = null;
  }

  /** Make room for these bounds: it grows with them, and does not shrink. @param {Bounds|null} bounds */
  hold(bounds) {
    if (!bounds || !this.width) return;
    this.#bounds = this.#bounds ? grown(this.#bounds, bounds) : bounds;
    const { left, right, low, high } = this.#bounds;
    const room = (pixels) => Math.max(1, pixels - 2 * MARGIN);
    const wide = Math.max(right - left, SMALLEST);
    const tall = Math.max(high - low, SMALLEST);
    const isPoint = right - left < SMALLEST && high - low < SMALLEST;
    this.scale = isPoint ? 40 : Math.min(room(this.width) / wide, room(this.height) / tall);
    this.middle = { x: (left + right) / 2, y: (low + high) / 2 };
  }
}

export const union = (one, other) => ({
  left: Math.min(one.left, other.left),
  right: Math.max(one.right, other.right),
  low: Math.min(one.low, other.low),
  high: Math.max(one.high, other.high),
});

/** The bounds with room for others, and some more where they go beyond: not to move all the time. */
function grown(known, wanted) {
  const all = union(known, wanted);
  const [wide, tall] = [(all.right - all.left) * AHEAD, (all.high - all.low) * AHEAD];
  return {
    left: all.left < known.left ? all.left - wide : all.left,
    right: all.right > known.right ? all.right + wide : all.right,
    low: all.low < known.low ? all.low - tall : all.low,
    high: all.high > known.high ? all.high + tall : all.high,
  };
}

/** The bounds of some points; null without. */
export function boundsOfPoints(points) {
  if (!points.length) return null;
  const [across, along] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { left: Math.min(...across), right: Math.max(...across), low: Math.min(...along), high: Math.max(...along) };
}

/**
 * The bounds of positions without those that are far from all others; null if there are none.
 *
 * @param {import("./map_data.js").Frame} frame
 * @param {(index: number) => boolean} [isLeftOut]
 */
export function boundsOf({ x, y, origin }, isLeftOut = () => false) {
  const across = span(x, isLeftOut);
  const along = span(y, isLeftOut);
  if (!across || !along) return null;
  const [right, up] = origin;
  return { left: across[0] + right, right: across[1] + right, low: along[0] + up, high: along[1] + up };
}

function span(numbers, isLeftOut) {
  const step = Math.ceil(numbers.length / 1_000);
  const some = [];
  for (let index = 0; index < numbers.length; index += step)
    if (Number.isFinite(numbers[index]) && !isLeftOut(index)) some.push(numbers[index]);
  if (!some.length) return null;
  some.sort((one, other) => one - other);
  const far = some.length < ENOUGH ? 0 : Math.ceil(some.length * 0.03);
  const [low, high] = [some[far], some[some.length - 1 - far]];
  if (!far) return [low, high];
  const most = FAR * (high - low);
  const inside = some.filter((each) => each >= low - most && each <= high + most);
  return [inside[0], inside.at(-1)];
}

/** @param {import("./map_data.js").Tiles} tiles @returns {Bounds} */
export function boundsOfTiles({ columns, rows, left, top, width, height }) {
  const across = [left - width / 2, left + (columns - 0.5) * width];
  const along = [top - height / 2, top + (rows - 0.5) * height];
  return {
    left: Math.min(...across),
    right: Math.max(...across),
    low: Math.min(...along),
    high: Math.max(...along),
  };
}
