/** The trace: the edge of the last transition lights up briefly. */

import { shape } from "../parts/elements.js";

const MILLISECONDS = 1_600;

export class Trace {
  #spark = shape("path", { class: "spark", pathLength: "1" });
  #edge = null;
  #timer = 0;

  /** @param {import("./drawing.js").Drawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
  }

  /** Light up an edge, with a spark running along it. */
  run(taken) {
    const id = this.drawing.drawnEdge(taken);
    const edge = this.drawing.parts.get(id);
    this.stop();
    if (!edge || edge.classList.contains("folded")) return;
    this.#edge = id;
    this.drawing.mark(id, "traced", true);
    this.#spark.setAttribute("d", edge.querySelector("path")?.getAttribute("d") ?? "");
    edge.append(this.#spark);
    this.#timer = setTimeout(() => this.stop(), MILLISECONDS);
  }

  stop() {
    clearTimeout(this.#timer);
    if (this.#edge) this.drawing.mark(this.#edge, "traced", false);
    this.#spark.remove();
    this.#edge = null;
  }
}
