/** Transitions are drawn from a state's handle, or with Shift from the state itself, to a state. */

import { boundsOf } from "../graph/bounds.js";
import { byId, shape } from "../parts/elements.js";

const RADIUS = 7; // points

export class Connecting {
  /** @type {{source: SVGElement, pointer: number, from: number[], line: SVGElement}|null} */
  #draft = null;
  #aimed = null;
  #hasDrawn = false; // so that the click at the end of it opens no menu

  /**
   * @param {import("./edits.js").Edits} edits
   * @param {import("./transition_form.js").TransitionForm} form
   */
  constructor(store, edits, form) {
    this.store = store;
    this.edits = edits;
    this.form = form;
    this.pane = byId("graph-pane");
    const first = { capture: true }; // before the state is moved, or the view
    this.pane.addEventListener("pointerdown", (event) => this.#pressed(event), first);
    this.pane.addEventListener("pointermove", (event) => this.#moved(event), first);
    this.pane.addEventListener("pointerup", (event) => this.#released(event), first);
    this.pane.addEventListener("pointercancel", () => this.#end(), first);
    this.pane.addEventListener("click", (event) => this.#clicked(event), first);
    store.watch("drawing hello connection moment", () => this.#addHandles());
  }

  #addHandles() {
    const { drawing } = this.store;
    for (const id of drawing?.nodes.keys() ?? []) {
      const part = drawing.parts.get(id);
      const there = part?.querySelector(".connect");
      if (!this.edits.isOn) there?.remove();
      else if (part && !there) part.append(handleOf(part));
    }
  }

  #pressed(event) {
    const source = event.target.closest?.(".node[data-state]");
    this.#hasDrawn = false;
    const isMeant = event.shiftKey || event.target.closest?.(".connect");
    if (event.button !== 0 || !source || !isMeant || !this.edits.isOn) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.#hasDrawn = true;
    const { left, right, top, bottom } = source.getBoundingClientRect();
    const line = shape("path", { class: "connection" });
    const from = [(left + right) / 2, (top + bottom) / 2];
    this.#draft = { source, pointer: event.pointerId, from, line };
    this.pane.querySelector("svg").append(line);
    this.pane.setPointerCapture(event.pointerId);
  }

  #moved(event) {
    const draft = this.#draft;
    if (draft?.pointer !== event.pointerId) return;
    const pane = this.pane.getBoundingClientRect();
    const at = (x, y) => `${x - pane.left},${y - pane.top}`;
    draft.line.setAttribute("d", `M${at(...draft.from)}L${at(event.clientX, event.clientY)}`);
    this.#aim(this.#stateAt(event));
  }

  #stateAt({ clientX, clientY }) {
    const part = document.elementFromPoint(clientX, clientY)?.closest(".node[data-state]");
    return part?.dataset.machine === this.#draft.source.dataset.machine ? part : null;
  }

  #aim(part) {
    this.#aimed?.classList.remove("aimed");
    this.#aimed = part;
    part?.classList.add("aimed");
  }

  #released(event) {
    const draft = this.#draft;
    if (draft?.pointer !== event.pointerId) return;
    const target = this.#stateAt(event);
    const isClick = !draft.line.getAttribute("d");
    this.#end();
    if (!target) return;
    const { machine, state: source } = draft.source.dataset;
    const ends = { machine, source, target: isClick ? undefined : target.dataset.state };
    const place = target.getBoundingClientRect();
    setTimeout(() => this.form.add(ends, place)); // the browser closes what is open at this event
  }

  #end() {
    this.#aim(null);
    this.#draft?.line.remove();
    this.#draft = null;
  }

  #clicked(event) {
    if (this.#hasDrawn) event.stopImmediatePropagation();
    this.#hasDrawn = false;
  }
}

function handleOf(part) {
  const { right, top, bottom } = boundsOf(part);
  const [x, y] = [right, (top + bottom) / 2];
  return shape(
    "g",
    { class: "connect", "aria-hidden": "true" },
    shape("circle", { cx: x, cy: y, r: RADIUS }),
    shape("path", { d: `M${x - 3.5},${y}h7m-3,-3l3,3l-3,3` }),
  );
}
