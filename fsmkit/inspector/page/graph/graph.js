/** The graph: inserted once; afterwards only classes change. */

import { conditionOf } from "../parts/condition.js";
import { byId, element, matchChildren, setLongText } from "../parts/elements.js";
import { Reader } from "../parts/journal.js";
import { loadDrawing } from "./drawing.js";
import { Folding } from "./folding.js";
import { Trace } from "./trace.js";
import { Viewport } from "./viewport.js";

const NO_MACHINE = "There is no machine in the group. The first one to join is shown here.";
const NOT_YET = "The machine is shown as soon as the game updates it.";

export class Graph {
  #wanted = "";
  #machine = null;
  #folding = null;
  #trace = null;
  #lit = [];
  #dashed = [];
  #held = [];

  /**
   * @param {import("../panels/state_menu.js").StateMenu} menu opened for a clicked state
   * @param {import("../parts/connection.js").Connection} connection loads the drawings
   */
  constructor(store, menu, connection) {
    this.store = store;
    this.connection = connection;
    this.menu = menu;
    this.pane = byId("graph-pane");
    this.note = byId("graph-note");
    this.view = new Viewport(this.pane);
    this.reader = new Reader(store.journal);
    this.pane.addEventListener("click", (event) => this.#clicked(event));
    this.pane.addEventListener("keydown", (event) => this.#pressed(event));
    byId("zoom-in").onclick = () => this.view.zoom(1.3);
    byId("zoom-out").onclick = () => this.view.zoom(1 / 1.3);
    byId("fit").onclick = () => this.view.fit();
    byId("seek").onclick = () => this.seek();
    store.watch("selected", () => this.#begin());
    store.watch("status", () => this.#explain());
    store.watch("detail", () => this.#load());
    store.watch("detail drawing", () => this.#light());
    store.watch("breakpoints drawing", () => this.#markBreakpoints());
    store.watch("status drawing", () => this.#markHeld());
    store.watch("log drawing", () => this.#traceLast());
    store.watch("moment", () => this.#trace?.stop());
  }

  /** Move the view to the current state. */
  seek() {
    const { drawing, shown } = this.store;
    if (drawing) this.view.seek(drawing.placesOf(shown?.lit ?? []));
  }

  /** Start over with another machine, which may have the same name. */
  #begin() {
    const { hello, selected } = this.store;
    this.#wanted = "";
    setLongText(byId("graph-title"), selected ?? "");
    if (hello && selected === null) this.#showInstead(NO_MACHINE);
  }

  /** While the game is waiting, there may be nothing to show. */
  #explain() {
    const isWaiting = conditionOf(this.store).word === "idle" && !this.store.detail;
    if (isWaiting && this.note.hidden) this.#showInstead(NOT_YET);
  }

  /** Load the drawing if the machine or its definition has changed. */
  async #load() {
    const { detail } = this.store;
    const wanted = detail && `${detail.graph} ${detail.machine}`;
    if (!detail || wanted === this.#wanted) return;
    this.#wanted = wanted;
    try {
      const drawing = await loadDrawing(this.connection, detail.machine);
      if (wanted === this.#wanted) this.#mount(drawing, detail.machine);
    } catch (error) {
      if (wanted === this.#wanted) this.#listStates(error, detail);
    }
  }

  #mount(drawing, machine) {
    const isSame = machine === this.#machine;
    const closed = isSame ? this.#folding?.closed : null;
    this.#trace?.stop();
    this.#trace = new Trace(drawing);
    this.#folding = new Folding(drawing, () => this.#folding.name(this.#lit));
    this.#folding.close(closed ?? new Set());
    this.#lit = [];
    this.#dashed = [];
    this.#held = [];
    this.#machine = machine;
    this.note.hidden = true;
    this.view.svg.setAttribute("aria-label", `Graph of ${machine}`);
    this.view.show(drawing.content, drawing.size);
    if (!isSame) this.view.open(drawing.placesOf(this.store.shown?.lit ?? []));
    this.store.setDrawing(drawing);
  }

  /** Without Graphviz show the states as a list. */
  #listStates(error, detail) {
    const states = element("div", { class: "states" });
    const make = (state) => element("button", { data: { state, machine: detail.machine } }, state);
    matchChildren(states, detail.states, String, make, () => {});
    states.addEventListener("click", (event) => this.#clicked(event));
    this.#showInstead(error.message, states);
  }

  #showInstead(text, ...more) {
    this.view.show(null, null);
    this.#machine = null;
    this.note.hidden = false;
    this.note.replaceChildren(element("p", {}, text), ...more);
    this.store.setDrawing(null);
  }

  #light() {
    const { shown, drawing } = this.store;
    if (!drawing || !shown || shown.machine !== this.#machine) return;
    const { lit = [], dashed = [] } = shown;
    if (!areSame(lit, this.#lit) || !areSame(dashed, this.#dashed))
      this.#setLit(drawing, lit, dashed);
    for (const id of drawing.nodes.keys())
      this.#shade(drawing.parts.get(id), shown.shade?.[id] ?? 0);
  }

  #setLit(drawing, lit, dashed) {
    for (const [id, { state }] of drawing.nodes) {
      const part = drawing.parts.get(id);
      const [isLit, isDashed] = [lit.includes(id), dashed.includes(id)];
      part?.classList.toggle("lit", isLit);
      part?.classList.toggle("suspended", isDashed);
      const role = isLit ? ", current state" : isDashed ? ", suspended" : "";
      part?.setAttribute("aria-label", `${state}${role}`);
    }
    this.#lit = lit;
    this.#dashed = dashed;
    this.#folding.name(lit);
  }

  /** Rounded, since a smaller change cannot be seen but costs as much. */
  #shade(part, share) {
    const rounded = share.toFixed(2);
    if (!part || part.dataset.share === rounded) return;
    part.dataset.share = rounded;
    part.style.setProperty("--share", rounded);
  }

  #markBreakpoints() {
    const { drawing } = this.store;
    if (!drawing) return;
    for (const [id, { machine, state }] of drawing.nodes) {
      drawing.parts
        .get(id)
        ?.classList.toggle("stops", this.store.hasBreakpoint(machine, "state", state));
    }
    for (const [id, { machine, events }] of drawing.edges) {
      const stops = events.some((event) => this.store.hasBreakpoint(machine, "event", event));
      drawing.parts.get(id)?.classList.toggle("stops", stops);
    }
  }

  #markHeld() {
    const { drawing, status } = this.store;
    if (!drawing) return;
    const edge = status.held && drawing.edgeOf(status.held);
    const held = edge ? [edge, drawing.edges.get(edge).target] : [];
    if (held.join() === this.#held.join()) return;
    for (const id of this.#held) drawing.parts.get(id)?.classList.remove("held");
    for (const id of held) drawing.parts.get(id)?.classList.add("held");
    this.#held = held;
  }

  #traceLast() {
    const { isNew, entries } = this.reader.read();
    const { detail, moment } = this.store;
    if (isNew || moment || !entries.some((entry) => entry.kind === "enter")) return;
    if (detail?.edge) this.#trace?.run(detail.edge);
  }

  #clicked(event) {
    const part = event.target.closest("[data-state]");
    if (part) this.menu.open(part.dataset.machine, part.dataset.state, part, this.#shareOf(part));
  }

  #shareOf(part) {
    return this.store.shown?.shade?.[part.id] ?? null;
  }

  #pressed(event) {
    const isButton = event.target.matches("[role=button]");
    if (isButton && (event.key === "Enter" || event.key === " ")) {
      event.target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      event.preventDefault();
      event.stopPropagation();
    } else if (this.view.press(event.key)) event.preventDefault();
  }
}

const areSame = (one, other) => one.join("\n") === other.join("\n");
