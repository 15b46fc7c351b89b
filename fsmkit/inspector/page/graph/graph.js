/** The graph: inserted once; afterwards only classes change. */

import { conditionOf } from "../parts/condition.js";
import { byId, element, matchChildren, setLongText } from "../parts/elements.js";
import { Reader } from "../parts/journal.js";
import { markBreakpoints } from "./breakpoint_marks.js";
import { markCensus } from "./census_marks.js";
import { Drawing } from "./drawing.js";
import { Drawings } from "./drawings.js";
import { Extent } from "./extent.js";
import { Folding } from "./folding.js";
import { Following } from "./following.js";
import { Trace } from "./trace.js";
import { Viewport } from "./viewport.js";

const NO_MACHINE = "There is no machine in the group. The first one to join is shown here.";
const LARGEST = [undefined, 1.2, 1.2]; // scale by radius: the letters of neighbourhoods keep their size
const NOT_YET = "The machine is shown as soon as the game updates it.";

export class Graph {
  #machine = null;
  #radius = 0;
  #picture = "";
  #folding = null;
  #trace = null;
  #lit = [];
  #dashed = [];
  #failed = [];
  #held = [];
  #hasOtherCode = false; // so that the next picture is fitted anew
  #awaited = null; // a state that is to get the focus

  /**
   * @param {import("../panels/state_menu.js").StateMenu} menu opened for a clicked state
   * @param {import("../panels/transition_menu.js").TransitionMenu} transitionMenu opened for an arrow
   * @param {import("../parts/connection.js").Connection} connection loads the drawings
   */
  constructor(store, menu, transitionMenu, connection) {
    this.store = store;
    this.connection = connection;
    this.menu = menu;
    this.transitionMenu = transitionMenu;
    this.pane = byId("graph-pane");
    this.note = byId("graph-note");
    this.following = new Following(() => this.seek());
    this.view = new Viewport(this.pane, () => this.following.rest());
    this.extent = new Extent(() => this.#load());
    this.drawings = new Drawings(connection, {
      show: (answer, wish) => this.#show(answer, wish),
      fail: (error) => this.#listStates(error, this.store.detail),
    });
    this.reader = new Reader(store.journal);
    this.pane.addEventListener("click", (event) => this.#clicked(event));
    this.pane.addEventListener("keydown", (event) => this.#pressed(event));
    this.pane.addEventListener("focusin", (event) => this.#focused(event));
    byId("zoom-in").onclick = () => this.view.zoom(1.3);
    byId("zoom-out").onclick = () => this.view.zoom(1 / 1.3);
    byId("fit").onclick = () => this.view.fit();
    byId("seek").onclick = () => this.seek();
    store.watch("hello", () => this.drawings.clear());
    store.watch("exchanges", () => this.expectOtherCode());
    store.watch("selected", () => this.#begin());
    store.watch("status", () => this.#explain());
    store.watch("detail status", () => this.#load());
    store.watch("detail drawing", () => this.#light());
    store.watch("breakpoints drawing", () => this.#markBreakpoints());
    store.watch("status drawing", () => this.#markHeld());
    store.watch("log drawing", () => this.#traceLast());
    store.watch("moment", () => this.#trace?.stop());
  }

  /** Move the view to the current state. */
  seek() {
    const { drawing, shown } = this.store;
    if (drawing && shown) this.view.seek(this.#current(drawing));
  }

  /** The next picture is of other code: it is fitted anew. */
  expectOtherCode() {
    this.#hasOtherCode = true;
  }

  /** Give a state the focus, once it is in the picture. */
  focusOnceShown(machine, state) {
    this.#awaited = { machine, state };
    this.#focusAwaited();
  }

  #focusAwaited() {
    const { machine, state } = this.#awaited ?? {};
    const part = [...this.pane.querySelectorAll(".node[data-state]")].find(
      ({ dataset }) => dataset.machine === machine && dataset.state === state,
    );
    if (!part) return;
    this.#awaited = null;
    part.focus({ preventScroll: true });
  }

  /** Start over with another machine, which may have the same name. */
  #begin() {
    const { hello, selected } = this.store;
    this.drawings.stop();
    this.following.begin();
    setLongText(byId("graph-title"), selected ?? "");
    if (hello && selected === null) this.#showInstead(NO_MACHINE);
  }

  /** While the game is waiting, there may be nothing to show. */
  #explain() {
    const isWaiting = conditionOf(this.store).word === "idle" && !this.store.detail;
    if (isWaiting && this.note.hidden) this.#showInstead(NOT_YET);
  }

  /** Load the drawing if the machine has changed, or the states that are to be in the middle. */
  #load() {
    const { detail, shown, status } = this.store;
    if (!detail) return;
    this.extent.suit(detail.census ? 0 : detail.size); // a crowd is in all states
    const { radius } = this.extent;
    const around = radius && shown.machine === detail.machine ? (shown.lit ?? []) : [];
    const version = `${detail.graph}.${status.layout ?? 0}`;
    this.drawings.want({ machine: detail.machine, version, radius, around });
  }

  /** Show a drawing, unless it is the one that is shown. */
  #show(answer, { machine, radius }) {
    const isSame = machine === this.#machine && radius === this.#radius && !this.#hasOtherCode;
    this.#hasOtherCode = false;
    if (isSame && answer.svg === this.#picture) return;
    this.#picture = answer.svg;
    const drawing = new Drawing(answer);
    const pin = isSame ? this.#pinned() : null;
    const rest = isSame && !radius ? this.#resting(drawing) : null;
    this.#mount(drawing, machine);
    if (rest) this.view.pin(rest.place, drawing.placesOf([rest.id])[0]);
    if (isSame && radius) this.#move(drawing, pin);
    else if (!isSame) this.view.open(this.#current(drawing), { largest: LARGEST[radius] });
    this.#radius = radius;
    this.store.setDrawing(drawing);
  }

  /** A state that another layout leaves where it was, and its place until now. */
  #resting(drawing) {
    const before = this.store.drawing;
    const id = Object.keys(before?.places ?? {}).find(
      (each) => before.places[each].join() === drawing.places[each]?.join(),
    );
    return id === undefined ? null : { id, place: before.placesOf([id])[0] };
  }

  #mount(drawing, machine) {
    const focused = this.pane.contains(document.activeElement) && document.activeElement.id;
    const closed = machine === this.#machine ? this.#folding?.closed : null;
    this.#trace?.stop();
    this.#trace = new Trace(drawing);
    this.#folding = new Folding(drawing, () => this.#folding.name(this.#lit));
    this.#folding.close(closed ?? new Set());
    this.#lit = [];
    this.#dashed = [];
    this.#failed = [];
    this.#held = [];
    this.#machine = machine;
    this.note.hidden = true;
    this.view.svg.setAttribute("aria-label", `Graph of ${machine}`);
    this.view.show(drawing.content, drawing.size);
    if (focused) drawing.parts.get(focused)?.focus({ preventScroll: true });
    this.#focusAwaited();
  }

  /** Go on to the neighbourhood of another state, which stays where it is while that begins. */
  #move(drawing, pin) {
    const [place] = this.#current(drawing).slice(-1);
    if (pin && place) this.view.pin(pin, place);
    if (!this.following.isOn && pin && place) return;
    this.view.open(this.#current(drawing), { isGliding: Boolean(pin), largest: LARGEST[this.#radius] });
  }

  /** The place of the innermost current state, if it is in the picture. */
  #pinned() {
    const { drawing } = this.store;
    return drawing ? this.#current(drawing).at(-1) : null;
  }

  /** The places of the current states, from the outer to the inner ones. */
  #current(drawing) {
    return drawing.placesOf(this.store.shown?.lit ?? []);
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
    const { lit = [], dashed = [], failed = [], others = [] } = shown;
    const before = this.#lit;
    for (const [id, part] of drawing.parts) part.classList.toggle("other", others.includes(id));
    if (!areSame(lit, before) || !areSame(dashed, this.#dashed) || !areSame(failed, this.#failed))
      this.#setLit(drawing, lit, dashed, failed);
    if (!areSame(lit, before)) this.#follow(drawing, before);
    for (const id of drawing.nodes.keys())
      this.#shade(drawing.parts.get(id), shown.shade?.[id] ?? 0);
    markCensus(drawing, shown);
  }

  #setLit(drawing, lit, dashed, failed) {
    for (const [id, { state }] of drawing.nodes) {
      const part = drawing.parts.get(id);
      const [isLit, isDashed] = [lit.includes(id), dashed.includes(id)];
      part?.classList.toggle("lit", isLit);
      part?.classList.toggle("suspended", isDashed);
      part?.classList.toggle("failed", failed.includes(id));
      const role = isLit ? ", current state" : isDashed ? ", suspended" : "";
      const trouble = failed.includes(id) ? ", after an error or a failure" : "";
      part?.setAttribute("aria-label", `${state}${role}${trouble}`);
    }
    this.#lit = lit;
    this.#dashed = dashed;
    this.#failed = failed;
    this.#folding.name(lit);
  }

  /** Bring the states into sight that are new, and the others as far as there is room. */
  #follow(drawing, before) {
    const inner = this.#lit.toReversed();
    const isNew = (id) => !before.includes(id);
    const [news, others] = [inner.filter(isNew), inner.filter((id) => !isNew(id))];
    if (this.following.isOn && before.length)
      this.view.reveal(drawing.placesOf([...news, ...others]));
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
      markBreakpoints(drawing.parts.get(id), this.store.breakpointsAt(machine, "state", state));
    }
    for (const id of drawing.edges.keys()) {
      const each = drawing.wordsOf(id).map((words, index) => {
        const points = this.#breakpointsOn(drawing.transitionOf(id, index));
        markBreakpoints(words, points);
        return points;
      });
      markBreakpoints(drawing.parts.get(id), each.flat());
    }
  }

  /** Those on a transition, and those on its event; of a bundle, on any that it stands for. */
  #breakpointsOn({ machine, event, way, sources }) {
    const ways = sources.length ? sources.map((source) => ({ ...way, source })) : [way];
    return [
      ...this.store.breakpointsAt(machine, "event", event),
      ...ways.flatMap((each) => this.store.breakpointsAt(machine, "transition", event, each)),
    ];
  }

  #markHeld() {
    const { drawing, status } = this.store;
    if (!drawing) return;
    const edge = status.held && drawing.edgeOf(status.held);
    const held = edge ? [drawing.drawnEdge(edge), drawing.edges.get(edge).target] : [];
    if (held.join() === this.#held.join()) return;
    for (const id of this.#held) drawing.mark(id, "held", false);
    for (const id of held) drawing.mark(id, "held", true);
    this.#held = held;
  }

  #traceLast() {
    const { isNew, entries } = this.reader.read();
    const { detail, moment, isPast } = this.store;
    if (isNew || isPast || moment || !entries.some((entry) => entry.kind === "enter")) return;
    if (detail?.edge) this.#trace?.run(detail.edge);
  }

  #clicked(event) {
    const stub = event.target.closest("[data-leads-to]");
    if (stub) this.#goTo(stub.dataset.leadsTo);
    const part = event.target.closest("[data-state]");
    if (part && !this.store.isPast)
      this.menu.open(part.dataset.machine, part.dataset.state, part);
    const words = this.#wordsAt(event);
    if (words) this.#answer(words, event.altKey);
  }

  /** The words of the transition that was pressed: its own, or the nearest at its edge. */
  #wordsAt({ target, clientX, clientY }) {
    const edge = target.closest(".reach, .edge.transition");
    if (!edge) return target.closest(".label");
    const distance = (words) => {
      const { left, right, top, bottom } = words.getBoundingClientRect();
      return Math.hypot((left + right) / 2 - clientX, (top + bottom) / 2 - clientY);
    };
    const near = this.store.drawing.wordsOf(edge.dataset.of ?? edge.id);
    return near.toSorted((one, other) => distance(one) - distance(other))[0];
  }

  /** An arrow opens its menu; with Alt it sends its event. */
  #answer(words, isSending) {
    const { of: id, index } = words.dataset;
    const transition = this.store.drawing.transitionOf(id, Number(index));
    if (isSending) this.transitionMenu.send(transition);
    else this.transitionMenu.open(transition, words);
  }

  #goTo(id) {
    this.following.rest();
    this.view.seek(this.store.drawing.placesOf([id]));
    this.store.drawing.parts.get(id)?.focus({ preventScroll: true });
  }

  /** The keyboard reaches parts that are out of sight. */
  #focused({ target }) {
    if (target !== this.pane && target.matches(":focus-visible")) this.view.bring(target);
  }

  #pressed(event) {
    const isButton = event.target.matches("[role=button]");
    if (isButton && (event.key === "Enter" || event.key === " ")) {
      event.target.dispatchEvent(new MouseEvent("click", { bubbles: true, altKey: event.altKey }));
      event.preventDefault();
      event.stopPropagation();
    } else if (this.view.press(event.key)) event.preventDefault();
  }
}

const areSame = (one, other) => one.join("\n") === other.join("\n");
