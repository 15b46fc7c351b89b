/** Nested machines: the contents of their panels can be hidden, and nothing else moves. */

import { setText, shape } from "../parts/elements.js";
import { boundsOf } from "./bounds.js";

export class Folding {
  #closed = new Set();
  #labels = new Map();

  /**
   * @param {import("./drawing.js").Drawing} drawing
   * @param {() => void} changed called after a panel is opened or closed
   */
  constructor(drawing, changed) {
    this.drawing = drawing;
    this.changed = changed;
    for (const [id, fact] of drawing.clusters) if (fact.inside) this.#addButton(id, fact);
  }

  /** Close the panels of these machines. */
  close(machines) {
    for (const [id, fact] of this.drawing.clusters) {
      if (fact.inside && machines.has(fact.machine)) this.#closed.add(id);
    }
    this.#show();
  }

  /** The machines whose panels are closed. */
  get closed() {
    return new Set([...this.#closed].map((id) => this.drawing.clusters.get(id).machine));
  }

  /** Name the current states in the panels that are closed. */
  name(lit) {
    for (const [id, { label, part }] of this.#labels) {
      const { machine } = this.drawing.clusters.get(id);
      const state = lit
        .map((node) => this.drawing.nodes.get(node))
        .find((node) => node?.machine === machine);
      setText(label, state?.state ?? "");
      part.classList.toggle("lit", Boolean(state));
    }
  }

  #addButton(id, { machine, title }) {
    const part = this.drawing.parts.get(id);
    if (!part) return;
    const { left, right, top, bottom } = boundsOf(part);
    const button = shape(
      "g",
      {
        class: "fold",
        role: "button",
        tabindex: "0",
        "aria-label": `Machine ${title}`,
        "data-fold": machine,
      },
      shape("rect", { x: right - 27, y: top + 7, width: 20, height: 20, rx: 5 }),
      shape("path", { d: `M${right - 22},${top + 17}h10` }),
      shape("path", { class: "upright", d: `M${right - 17},${top + 12}v10` }),
    );
    const label = shape("text", {
      class: "inside",
      x: (left + right) / 2,
      y: (top + bottom) / 2 + 5,
    });
    button.addEventListener("click", () => this.#toggle(id));
    part.append(label);
    this.drawing.content.append(button); // on top, or it could not be pressed
    this.#labels.set(id, { label, button, part });
  }

  #toggle(id) {
    if (!this.#closed.delete(id)) this.#closed.add(id);
    this.#show();
    this.changed();
  }

  #show() {
    for (const part of this.drawing.content.children) {
      if (part.id) this.drawing.mark(part.id, "folded", this.#isHidden(part.id));
    }
    for (const [id, { button, part }] of this.#labels) {
      const isClosed = this.#closed.has(id);
      button.setAttribute("aria-expanded", String(!isClosed));
      button.classList.toggle("folded", this.#isHidden(id));
      part.classList.toggle("closed", isClosed);
    }
  }

  #isHidden(id) {
    const own = this.drawing.clusters.has(id) ? this.drawing.lineage(id).slice(1) : null;
    const around = own ?? this.drawing.lineage(this.#clusterAround(id));
    return around.some((cluster) => this.#closed.has(cluster));
  }

  /** The cluster around a state, an edge, an initial dot, or the frame of a group of states. */
  #clusterAround(id) {
    const { nodes, edges, clusters } = this.drawing;
    const fact = nodes.get(id) ?? edges.get(id) ?? nodes.get(id.split("--")[0]);
    if (fact) return this.drawing.clusterOf(fact.machine);
    for (const [cluster, { machine }] of clusters) {
      const isBeginning = id === `${cluster}-beginning` || id.startsWith(`${cluster}-beginning--`);
      const isAnyState = [...edges.values()].some(
        (edge) => edge.source === id && edge.machine === machine,
      );
      const isGroup = id.startsWith(`${cluster}__`);
      if (isBeginning || isAnyState || isGroup) return cluster;
    }
    return null;
  }
}
