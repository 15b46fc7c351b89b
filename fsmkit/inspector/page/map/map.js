/** The map: where everybody is, live and at the past moment that is shown. */

import { paints } from "../parts/colours.js";
import { byId, setAttribute, setText } from "../parts/elements.js";
import { recall, remember } from "../parts/preferences.js";
import { counted, seconds, stateName } from "../parts/wording.js";
import { MapData } from "./map_data.js";
import { MapInput } from "./map_input.js";
import { FEW, isIn, MapPainting, pointOf } from "./map_painting.js";
import { boundsOf, boundsOfPoints, boundsOfTiles, MapView, union } from "./map_view.js";

const NARROW = matchMedia("(max-width: 760px)"); // there it is a tab
const INTERVAL = 33; // milliseconds between two requests, at least
const PATIENCE = 2; // times as long as the last request took
const TILES_INTERVAL = 1_000; // while they change
const OTHER_TILES = 3_000; // after which the game may have another map
const TRAIL = 6; // seconds
const NEAR = 14; // pixels
const OPEN = "map-open";
const UP = "map-up";
const HOW =
  "A machine is on the map if its context has a position, if an action moves a transform, or if one thing in its context has a position.";

export class WorldMap {
  #data = new MapData();
  #view = new MapView();
  #paints = null;
  #isAsking = false;
  #asks = 0;
  #notBefore = 0;
  #timer = 0;
  #tilesAskedAt = -Infinity;
  #tilesOf = null; // the machine whose tiles are shown
  /** @type {number|undefined} the index of the one pointed at */
  #pointed;

  constructor(store, commands, connection) {
    this.store = store;
    this.commands = commands;
    this.connection = connection;
    this.part = byId("map");
    this.pane = byId("map-pane");
    this.canvas = byId("map-canvas");
    this.button = byId("map-open");
    this.upButton = byId("map-up");
    this.painting = new MapPainting(this.canvas);
    this.isOpen = recall(OPEN) === "yes";
    this.input = new MapInput(this);
    this.button.onclick = () => this.toggle();
    this.upButton.onclick = () => this.#turn();
    byId("map-in").onclick = () => this.move((view) => view.zoom(1.3));
    byId("map-out").onclick = () => this.move((view) => view.zoom(1 / 1.3));
    byId("map-fit").onclick = () => this.move((view) => view.fit());
    new ResizeObserver(() => this.draw()).observe(this.pane);
    NARROW.addEventListener("change", () => this.#arrange());
    new MutationObserver(() => this.#ask()).observe(document.body, { attributeFilter: ["data-tab"] });
    document.addEventListener("visibilitychange", () => this.#ask());
    store.watch("hello", () => this.#begin());
    store.watch("status", () => this.#arrange());
    store.watch("status detail moment", () => this.#ask());
    store.watch("selected", () => (this.#tilesOf = null));
    store.watch("selected found drawing machines", () => this.draw());
  }

  /** True if it can be seen. */
  get isShown() {
    return !document.hidden && this.pane.clientWidth > 0;
  }

  toggle() {
    if (this.button.hidden) return;
    if (NARROW.matches) {
      document.body.dataset.tab = "map";
      return;
    }
    this.isOpen = !this.isOpen;
    remember(OPEN, this.isOpen ? "yes" : "no");
    this.#arrange();
    this.#ask();
  }

  recolour() {
    this.#paints = null;
    this.draw();
  }

  /** Change the view and draw it. @param {(view: MapView) => void} change */
  move(change) {
    change(this.#view);
    this.draw();
  }

  /** Point at what is near a pixel of the pane; null points at nothing. */
  point(pixel) {
    this.#pointed = pixel ? this.#nearest(pixel) : undefined;
    this.draw();
  }

  /** Select the machine near a pixel, or single out the agent of a crowd. */
  async choose(pixel) {
    const index = this.#nearest(pixel);
    const names = this.#data.shown?.roll.names;
    if (index === undefined) return;
    if (names) return this.commands.select(names[index]);
    if (this.store.moment) return; // another agent may have that index now
    const answer = await this.commands.ask("agent", { index });
    if (!answer) return;
    this.store.receive({ joined: [[answer.machine, answer.state]] }); // the next frame says so as well
    this.commands.select(answer.machine);
  }

  /** A new connection, perhaps to another run of the program. */
  #begin() {
    this.#data.clear();
    this.#data.trail = this.store.hello?.kind === "crowd" ? 0 : TRAIL;
    this.#view.fit();
    this.#asks += 1;
    this.#isAsking = false;
    this.#tilesOf = null;
  }

  /** It is not there if nobody has a position. */
  #arrange() {
    const hasMap = this.store.status.has_map ?? false;
    this.button.hidden = byId("map-tab").hidden = !hasMap;
    const isOpen = hasMap && (this.isOpen || NARROW.matches);
    this.part.hidden = !isOpen;
    document.body.classList.toggle("with-map", isOpen);
    setAttribute(this.button, "aria-pressed", String(this.isOpen));
    const { dataset } = document.body;
    if (dataset.tab === "map" && !hasMap) dataset.tab = "graph";
  }

  /** Put the y axis the other way. */
  #turn() {
    remember(UP, this.#view.up > 0 ? "down" : "up");
    this.draw();
  }

  /** The time of the past moment that is shown; null for now, and for the moment of a recording. */
  get #until() {
    return this.store.isPast ? null : (this.store.moment?.time ?? null);
  }

  /** Ask for what is new, once the last answer is here; a slow program is asked less often. */
  async #ask() {
    const { store } = this;
    if (this.#isAsking || !this.isShown || !store.isConnected || !store.hello) return;
    const wait = this.#notBefore - performance.now();
    clearTimeout(this.#timer);
    if (wait > 0) this.#timer = setTimeout(() => this.#ask(), wait);
    else await this.#askNow(this.#until);
  }

  async #askNow(until) {
    const [number, begun] = [(this.#asks += 1), performance.now()];
    this.#isAsking = true;
    const wanted = this.#data.wanted(this.store.status.clock, until);
    const answer = await this.connection.ask("positions", wanted).catch((error) => ({ error }));
    if (number !== this.#asks) return; // of another connection
    this.#isAsking = false;
    this.#notBefore = begun + Math.max(INTERVAL, PATIENCE * (performance.now() - begun));
    if (answer.error) return this.#say(answer.error.message);
    this.#data.take(answer, until === null);
    this.#say(this.#problem(until));
    this.draw();
    this.#askForTiles();
    if (until !== this.#until) this.#ask(); // the reader has moved on meanwhile
  }

  async #askForTiles() {
    const { selected } = this.store;
    const now = performance.now();
    const patience = this.#data.areTilesOld ? TILES_INTERVAL : OTHER_TILES;
    const isDue = this.#tilesOf !== selected || now > this.#tilesAskedAt + patience;
    if (selected === null || !isDue) return;
    this.#tilesOf = selected;
    this.#tilesAskedAt = now;
    const { number, version } = this.#data.tiles ?? {};
    const answer = await this.connection.ask("tiles", { machine: selected, number, version }).catch(() => null);
    if (!answer || selected !== this.store.selected || (answer.tiles && !("columns" in answer.tiles))) return;
    const before = this.#data.tiles?.number;
    this.#data.takeTiles(answer.tiles);
    if (this.#view.isFitting && before !== answer.tiles?.number) this.#view.fit();
    this.draw();
  }

  /** Why there is nothing to be seen. */
  #problem(until) {
    const { shown, begun } = this.#data;
    if (!shown && until !== null)
      return begun === null ? "Positions are not kept yet." : `Positions are kept from ${seconds(begun, 1)} on.`;
    if (shown && !boundsOf(shown)) return "Nobody is anywhere now.";
    return "";
  }

  #say(text) {
    setText(byId("map-note"), text);
    byId("map-note").hidden = !text;
  }

  #nearest({ left, top }) {
    const { shown } = this.#data;
    let [found, least] = [undefined, NEAR];
    for (let index = 0; index < (shown?.x.length ?? 0); index += 1) {
      const [x, y] = pointOf(this.#view, shown, index);
      const away = Math.hypot(x - left, y - top);
      if (away < least) [found, least] = [index, away];
    }
    return found;
  }

  draw() {
    if (!this.isShown || !this.#size()) return;
    const { shown, tiles } = this.#data;
    const up = recall(UP) ?? (this.#data.pointsUp ? "up" : "down");
    this.#view.up = up === "up" ? 1 : -1;
    setText(this.upButton, `y ${up === "up" ? "↑" : "↓"}`);
    setAttribute(this.upButton, "aria-label", `The y axis points ${up}: turn it round`);
    const isPale = this.#paleness();
    if (this.#view.isFitting) this.#view.hold(this.#bounds(shown, tiles, isPale));
    this.#paints ??= paints();
    const selected = this.#data.indexOf(this.store.selected);
    const begun = performance.now();
    this.painting.paint(this.#view, this.#data, this.#paints, { selected, pointed: this.#pointed, isPale });
    setText(byId("map-hover"), this.#describe());
    byId("map-hover").title = HOW;
    this.#describeView(shown, performance.now() - begun);
  }

  #bounds(shown, tiles, isPale) {
    if (tiles) return boundsOfTiles(tiles);
    const people = shown && boundsOf(shown, isPale);
    if (!people || shown.x.length > FEW) return people;
    const ways = boundsOfPoints(this.#data.courses.flatMap(({ machine, points }) => (isPale(machine) ? [] : points)));
    return ways ? union(people, ways) : people;
  }

  /** Those that the list of machines does not show are pale. */
  #paleness() {
    const { machines, everyone } = this.store;
    const { found } = everyone.roster;
    const names = this.#data.shown?.roll.names;
    if (!names || found.length === machines.size) return () => false;
    const shown = new Set(found);
    return (index) => !shown.has(names[index]);
  }

  #describe() {
    const { shown } = this.#data;
    if (!shown) return "";
    if (this.#pointed !== undefined && this.#pointed < shown.x.length) return this.#describeOne(shown, this.#pointed);
    const { names, count } = shown.roll;
    const all = this.store.machines.size;
    const who = !names
      ? counted(count, "agent")
      : count === all
        ? ""
        : `${count.toLocaleString("en")} of ${counted(all, "machine")}`;
    const unseen = this.#unseen(shown);
    const out = unseen ? `${unseen.toLocaleString("en")} out of view` : "";
    const when = this.#data.isLive ? "" : `as at ${seconds(shown.time, 1)}`;
    return [who, out, when].filter(Boolean).join("  ·  ");
  }

  /** How many are somewhere else than the part that is shown. */
  #unseen(frame) {
    let count = 0;
    for (let index = 0; index < frame.x.length; index += 1) {
      const [left, top] = pointOf(this.#view, frame, index);
      if (Number.isFinite(left + top) && !isIn(this.#view, left, top)) count += 1;
    }
    return count;
  }

  #describeOne({ x, y, states, origin, roll }, index) {
    const place = [x[index] + origin[0], y[index] + origin[1]].map((each) => +each.toPrecision(5));
    const name = roll.names?.[index] ?? `Agent ${index}`;
    return [name, stateName(this.#data.stateAt(states[index])), place.join(", ")].join("  ·  ");
  }

  /** Fit the canvas to its pane and the screen; false if it is not visible. */
  #size() {
    const { clientWidth: width, clientHeight: height } = this.pane;
    if (!width || !height) return false;
    const pixels = [width, height].map((each) => Math.round(each * devicePixelRatio));
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) {
      [this.canvas.width, this.canvas.height] = pixels;
      Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    Object.assign(this.#view, { width, height });
    return true;
  }

  /** Describe the view in attributes of the canvas. */
  #describeView(shown, taken) {
    const inView = (index) => isIn(this.#view, ...pointOf(this.#view, shown, index));
    const names = shown?.roll.names ?? [];
    const places = names.slice(0, 50).map((name, index) => {
      const [left, top] = pointOf(this.#view, shown, index);
      return `${name}\t${left.toFixed(1)}\t${top.toFixed(1)}\t${inView(index)}`;
    });
    Object.assign(this.canvas.dataset, {
      time: shown ? shown.time.toFixed(3) : "",
      count: shown?.x.length ?? 0,
      places: places.join("\n"),
      courses: this.#data.courses.length,
      tiles: this.#data.tiles ? `${this.#data.tiles.columns} ${this.#data.tiles.rows}` : "",
      taken: taken.toFixed(2),
    });
  }
}
