/** The painting of arrows between the lanes of machines. */

import { AXIS } from "../all/all_painting.js";
import { visible } from "../parts/wording.js";
import { signOf } from "./sends_journal.js";

const HEAD = 5; // pixels
const FONT = '"Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif';
const GAP = 6; // between two labels

const PAINTS = { changed: "current", unhandled: "warning", refused: "danger" };

export class SendsPainting {
  /**
   * @param {import("../all/all_painting.js").AllPainting} painting of the lanes
   * @param {(lane: import("./sends_journal.js").Lane) => number} middleOf a lane, in pixels
   */
  constructor(painting, middleOf) {
    this.painting = painting;
    this.canvas = painting.canvas;
    this.paints = painting.paints;
    this.middleOf = middleOf;
  }

  /** Paint the arrows; the one pointed at last, over the others. */
  paint(arrows, pointed) {
    const { canvas, painting } = this;
    const { width, height } = painting.view;
    canvas.save();
    canvas.beginPath();
    canvas.rect(painting.labels, AXIS, width - painting.labels, height - AXIS);
    canvas.clip();
    canvas.font = `11px ${FONT}`;
    canvas.textAlign = "left";
    const ends = new Map();
    for (const arrow of arrows) {
      this.#arrow(arrow, arrow === pointed);
      this.#label(arrow, ends);
    }
    if (pointed) this.#arrow(pointed, true);
    canvas.restore();
  }

  #arrow(arrow, isPointed) {
    const { canvas, painting } = this;
    const [x, from, to] = [painting.x(arrow.send.time), this.middleOf(arrow.from), this.middleOf(arrow.to)];
    const down = Math.sign(to - from);
    canvas.strokeStyle = canvas.fillStyle = this.#paint(arrow);
    canvas.lineWidth = isPointed ? 3 : 1.5;
    canvas.setLineDash(arrow.send.outcome === "changed" ? [] : [4, 3]);
    canvas.beginPath();
    canvas.moveTo(x, from);
    canvas.lineTo(x, to - down * HEAD);
    canvas.stroke();
    canvas.setLineDash([]);
    canvas.beginPath();
    canvas.arc(x, from, isPointed ? 4 : 2.5, 0, 2 * Math.PI);
    canvas.moveTo(x, to);
    canvas.lineTo(x - HEAD, to - down * 2 * HEAD);
    canvas.lineTo(x + HEAD, to - down * 2 * HEAD);
    canvas.fill();
  }

  /** Name the event beside the head, if there is room behind the label before. */
  #label(arrow, ends) {
    const { canvas, painting } = this;
    const x = painting.x(arrow.send.time) + HEAD + 2;
    const [from, to] = [this.middleOf(arrow.from), this.middleOf(arrow.to)];
    const y = to > from ? to - 7 : to + 15;
    if (x < (ends.get(y) ?? 0)) return;
    const text = `${signOf(arrow)} ${visible(arrow.send.event)}`;
    canvas.fillStyle = this.#paint(arrow);
    canvas.fillText(text, x, y);
    ends.set(y, x + canvas.measureText(text).width + GAP);
  }

  #paint({ send }) {
    return this.paints[PAINTS[send.outcome] ?? "soft"];
  }
}
