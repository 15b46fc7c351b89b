/** Many positions as small squares: written into an image pixel by pixel, 100,000 in a few milliseconds. */

import { colourNumber } from "../parts/colours.js";
import { numbersOf } from "./tile_painting.js";

const SMALLEST = 2; // pixels of the screen
const LARGEST = 9;
const PER_DOT = 40; // pixels of the view for each of them, above which they grow

export class DotPainting {
  #canvas = document.createElement("canvas");
  #pen = this.#canvas.getContext("2d", { willReadFrequently: true }); // in memory: written at once
  #image = null;

  paint(pen, view, data, paints) {
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
    const pixels = this.#cleared(width, height);
    const { x, y, states, origin } = data.shown;
    const colours = new Uint32Array(data.states.length + 1);
    colours[0] = packed(paints.edge);
    data.states.forEach((state, index) => (colours[index + 1] = packed(paints.states[colourNumber(state)])));
    const scale = view.scale * ratio;
    const left = view.x(origin[0]) * ratio;
    const top = view.y(origin[1]) * ratio;
    const side = this.#side(view, data.shown, ratio);
    for (let index = 0; index < x.length; index += 1) {
      const column = Math.round(left + x[index] * scale - side / 2);
      const row = Math.round(top - y[index] * scale * view.up - side / 2);
      if (!(column >= 0 && row >= 0 && column + side <= width && row + side <= height)) continue;
      const colour = colours[states[index]];
      for (let down = 0; down < side; down += 1) {
        const start = (row + down) * width + column;
        for (let across = 0; across < side; across += 1) pixels[start + across] = colour;
      }
    }
    this.#pen.putImageData(this.#image, 0, 0);
    pen.drawImage(this.#canvas, 0, 0, view.width, view.height);
  }

  /** The size of a square: it grows with the room that there is for each in view. */
  #side(view, { x, y, origin }, ratio) {
    let inView = 0;
    const step = Math.ceil(x.length / 2_000);
    for (let index = 0; index < x.length; index += step) {
      const [left, top] = [view.x(x[index] + origin[0]), view.y(y[index] + origin[1])];
      if (left > 0 && top > 0 && left < view.width && top < view.height) inView += step;
    }
    const room = Math.sqrt((view.width * view.height) / Math.max(1, inView) / PER_DOT);
    return Math.round(ratio * Math.min(LARGEST, Math.max(SMALLEST, room * SMALLEST)));
  }

  #cleared(width, height) {
    if (this.#image?.width !== width || this.#image.height !== height) {
      [this.#canvas.width, this.#canvas.height] = [width, height];
      this.#image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.#image.data.buffer);
    } else this.pixels.fill(0);
    return this.pixels;
  }
}

/** A colour as one number, as an image has it. */
function packed(colour) {
  const [red, green, blue] = numbersOf(colour);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
