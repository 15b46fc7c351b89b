/** The timeline of the machines on the dashboard. It follows the present. */

import { AllPainting, AXIS } from "../all/all_painting.js";
import { paints } from "../parts/colours.js";
import { byId } from "../parts/elements.js";

const LANES = 34; // that would fill the height of the screen
const LOWEST = 18; // pixels of a lane
const SPAN = 60; // seconds
const AHEAD = 0.01; // share of the span to the right of now

export class Lanes {
  paints = paints();
  #machines = [];

  constructor(store) {
    this.store = store;
    this.canvas = byId("dashboard-lanes");
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** @param {string[]} machines of which the first have room */
  show(machines) {
    const isOther = String(machines) !== String(this.#machines);
    this.#machines = machines;
    if (isOther) this.draw(); // a game that is paused gives no other reason
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const pixels = [width, height].map((each) => Math.round(each * devicePixelRatio));
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1])
      [this.canvas.width, this.canvas.height] = pixels;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const now = this.store.status.clock;
    const from = Math.max(0, now - SPAN * (1 - AHEAD));
    const view = { from, to: from + SPAN, now, width, height };
    const lane = Math.max(LOWEST, Math.round(innerHeight / LANES));
    const most = Math.floor((height - AXIS) / lane);
    const lanes = this.#machines.slice(0, most).map((machine) => this.#lane(machine));
    const labels = Math.min(lane * 7, width / 4);
    const painting = new AllPainting(pen, view, this.paints, lane, labels);
    painting.paint(lanes, 0, { cursor: null, moment: null });
  }

  #lane(machine) {
    const { machines, everyone } = this.store;
    const { roster, tracks } = everyone;
    return {
      machine,
      lane: tracks.lane(machine),
      state: machines.get(machine) ?? null,
      since: roster.since(machine),
      trouble: roster.errors(machine) ? "danger" : roster.unhandled(machine) ? "warning" : "",
      isSelected: false,
      isPointed: false,
    };
  }
}
