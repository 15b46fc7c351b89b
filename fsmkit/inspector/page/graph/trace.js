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
  run(id) {
    const edge = this.drawing.parts.get(id);
    this.stop();
    if (!edge || edge.classList.contains("folded")) return;
    this.#edge = edge;
    edge.classList.add("traced");
    this.#spark.setAttribute("d", edge.querySelector("path")?.getAttribute("d") ?? "");
    edge.append(this.#spark);
    this.#timer = setTimeout(() => this.stop(), MILLISECONDS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#edge?.classList.remove("traced");
    this.#spark.remove();
    this.#edge = null;
  }
}
