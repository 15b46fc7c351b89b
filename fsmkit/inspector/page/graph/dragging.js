/** States are dragged to where they are to stay, or moved with Alt and the arrow keys. */

import { byId } from "../parts/elements.js";

const CLICK = 4; // pixels that a pointer may move during a click
const STEP = 10; // points
const WAYS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

export class Dragging {
  /** @type {{part: SVGElement, pointer: number, x: number, y: number, scale: number, by: number[]}|null} */
  #drag = null;
  #hasMoved = false; // so that the click at the end of it opens no menu

  /** @param {import("../parts/commands.js").Commands} commands sends where a state is to stay */
  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.pane = byId("graph-pane");
    this.button = byId("layout-reset");
    this.button.onclick = () => this.#reset();
    const first = { capture: true }; // before the view is moved
    this.pane.addEventListener("pointerdown", (event) => this.#pressed(event), first);
    this.pane.addEventListener("pointermove", (event) => this.#moved(event), first);
    this.pane.addEventListener("pointerup", (event) => this.#released(event), first);
    this.pane.addEventListener("pointercancel", () => this.#cancel(), first);
    this.pane.addEventListener("click", (event) => this.#clicked(event), first);
    this.pane.addEventListener("keydown", (event) => this.#typed(event), first);
    store.watch("drawing connection hello", () => this.#offer());
  }

  #offer() {
    this.button.hidden = !this.store.drawing?.hasKept || !this.#isAllowed;
  }

  get #isAllowed() {
    return this.store.isConnected && !this.store.isReadOnly;
  }

  /** The state at an event, if it can be moved. A finger moves the view. */
  #stateAt({ target }) {
    const part = target.closest?.(".node[data-state]");
    return part && this.#isAllowed && this.store.drawing?.places[part.id] ? part : null;
  }

  #pressed(event) {
    this.#hasMoved = false;
    const part = event.button === 0 && event.pointerType !== "touch" && this.#stateAt(event);
    if (!part) return;
    const { clientX: x, clientY: y, pointerId: pointer } = event;
    this.#drag = { part, pointer, x, y, scale: part.getScreenCTM().a, by: [0, 0] };
    event.stopImmediatePropagation();
  }

  #moved(event) {
    const drag = this.#drag;
    if (drag?.pointer !== event.pointerId) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!this.#hasMoved && Math.hypot(x, y) <= CLICK) return;
    this.#hasMoved = true;
    this.pane.setPointerCapture(event.pointerId);
    drag.by = [x / drag.scale, y / drag.scale];
    drag.part.classList.add("dragged");
    drag.part.setAttribute("transform", `translate(${drag.by.join(" ")})`);
  }

  #released(event) {
    const drag = this.#drag;
    if (drag?.pointer !== event.pointerId) return;
    this.#drag = null;
    if (this.#hasMoved) this.#keep(drag.part, drag.by);
  }

  #cancel() {
    if (this.#drag) this.#putBack(this.#drag.part);
    this.#drag = null;
  }

  #clicked(event) {
    if (this.#hasMoved) event.stopImmediatePropagation();
    this.#hasMoved = false;
  }

  #typed(event) {
    const by = event.altKey && WAYS[event.key];
    const part = by && this.#stateAt(event);
    if (!part) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#keep(part, by);
  }

  /** Keep a state in its new place; the picture that shows it there is on its way. */
  async #keep(part, by) {
    const { machine, state } = part.dataset;
    const [x, y] = this.store.drawing.places[part.id].map((each, index) => each + by[index]);
    const answer = await this.commands.ask("keep_place", { machine, state, x, y });
    if (!answer) this.#putBack(part);
  }

  #putBack(part) {
    part.classList.remove("dragged");
    part.removeAttribute("transform");
  }

  #reset() {
    const [{ machine }] = this.store.drawing.machines;
    this.commands.ask("free_places", { machine });
  }
}
