/** All machines as small squares in the colours of their states, for thousands of them. */

import { colourNumber, paints } from "../parts/colours.js";
import { byId } from "../parts/elements.js";
import { visible } from "../parts/wording.js";
import { fitting } from "../timeline/lettering.js";

const LARGEST = 72; // pixels of a square
const NAMED = 44; // from which it has room for a name
const SMALLEST = 3;
const LETTER = "#16202c"; // dark in both themes, on the pale colours of states
const TIGHTEST = 1.4; // a name is condensed that much before it is cut
const FONT = '"Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif';

export class Mosaic {
  paints = paints();

  constructor(store) {
    this.store = store;
    this.canvas = byId("dashboard-mosaic");
  }

  draw(isShown) {
    this.canvas.hidden = !isShown;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!isShown || !width || !height) return;
    this.#resize(width, height);
    const pen = this.canvas.getContext("2d");
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const machines = [...this.store.machines];
    const side = sideFor(machines.length, width, height);
    const columns = Math.floor(width / side);
    machines.forEach(([machine, state], index) =>
      this.#square(pen, machine, state, (index % columns) * side, Math.floor(index / columns) * side, side),
    );
  }

  #square(pen, machine, state, x, y, side) {
    const { roster } = this.store.everyone;
    const inner = side > 5 ? side - 1 : side;
    pen.fillStyle = state === null ? this.paints.lane : this.paints.states[colourNumber(state)];
    pen.fillRect(x, y, inner, inner);
    const trouble = roster.errors(machine) ? "danger" : roster.unhandled(machine) ? "warning" : "";
    if (!trouble) {
      if (side >= NAMED) this.#name(pen, machine, x, y, inner);
      return;
    }
    pen.fillStyle = this.paints[trouble];
    pen.fillRect(x, y, inner, inner);
    if (side < 8) return;
    const stroke = Math.max(2, inner / 12);
    pen.fillStyle = this.paints.page;
    pen.fillRect(x + (inner - stroke) / 2, y + inner * 0.15, stroke, inner * 0.45);
    pen.fillRect(x + (inner - stroke) / 2, y + inner * 0.7, stroke, stroke);
  }

  #name(pen, machine, x, y, inner) {
    const room = inner - 6;
    pen.fillStyle = LETTER;
    pen.font = `11px ${FONT}`;
    pen.fillText(fitting(pen, visible(machine), TIGHTEST * room), x + 3, y + inner - 6, room);
  }

  #resize(width, height) {
    const pixels = [width, height].map((each) => Math.round(each * devicePixelRatio));
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1])
      [this.canvas.width, this.canvas.height] = pixels;
  }
}

/** The side of squares of which that many fit. */
function sideFor(count, width, height) {
  let side = LARGEST;
  while (side > SMALLEST && Math.floor(width / side) * Math.floor(height / side) < count) side -= 1;
  return side;
}
