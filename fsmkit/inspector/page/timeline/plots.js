/** Small plots under the timeline, with its time axis and its cursor. */

import { paints } from "../parts/colours.js";
import { byId, element, matchChildren, setAttribute, setLongText, setText } from "../parts/elements.js";
import { recall, remember } from "../parts/preferences.js";
import { PlotData, short, textAt } from "./plot_data.js";
import { PlotPainting } from "./plot_painting.js";
import { SharedAxis } from "./shared_axis.js";
import { TimelineInput } from "./timeline_input.js";

const ROW = 34; // pixels
const MOST_ROWS = 3; // in sight at once; the others are scrolled to
const INTERVAL = 200; // milliseconds between two requests
const FOLDED = "plots-folded";

export class Plots {
  #data = new PlotData();
  #askedAt = -1; // the time of the machines
  #paths = [];
  #paints = null;

  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {import("../all/all_timeline.js").AllTimeline} allTimeline
   * @param {import("./plotted.js").Plotted} plotted
   */
  constructor(store, connection, [timeline, allTimeline], plotted) {
    this.store = store;
    this.connection = connection;
    this.plotted = plotted;
    this.list = byId("plots");
    this.axis = new SharedAxis(timeline, allTimeline, this.list);
    this.fold = byId("plots-fold");
    this.isFolded = recall(FOLDED) === "yes";
    this.fold.onclick = () => this.#toggleFold();
    this.list.addEventListener("click", (event) => this.#clicked(event));
    new TimelineInput(this.axis, this.list);
    for (const each of [timeline, allTimeline]) each.besides.push(() => this.draw());
    store.watch("selected hello", () => this.#begin());
    store.watch("detail plotted", () => this.#arrange());
    setInterval(() => this.#ask(), INTERVAL);
  }

  /** Read the colours again and repaint. */
  recolour() {
    this.#paints = null;
    this.draw();
  }

  draw() {
    if (this.isFolded || !this.#paths.length || !this.list.clientWidth) return;
    this.#paints ??= paints();
    for (const row of this.list.children) this.#drawRow(row);
  }

  #begin() {
    this.#data.clear();
    this.#askedAt = -1;
    this.#arrange();
  }

  #toggleFold() {
    this.isFolded = !this.isFolded;
    remember(FOLDED, this.isFolded ? "yes" : "no");
    this.#arrange();
  }

  #arrange() {
    this.#paths = this.plotted.paths;
    const count = this.isFolded ? 0 : this.#paths.length;
    this.fold.hidden = !this.#paths.length;
    this.list.hidden = !count;
    setAttribute(this.fold, "aria-expanded", String(!this.isFolded));
    const height = ROW * Math.min(MOST_ROWS, count);
    document.documentElement.style.setProperty("--plots-height", `${height}px`);
    const paths = this.isFolded ? [] : this.#paths;
    matchChildren(this.list, paths, (path) => JSON.stringify(path), make, (row) => row);
    this.draw();
  }

  async #ask() {
    const { selected, status, isConnected } = this.store;
    const isQuiet = document.hidden || this.isFolded || !this.#paths.length || !isConnected;
    const isNew = this.#paths.some((path) => !this.#data.of(path)) || status.clock !== this.#askedAt;
    if (isQuiet || !isNew || selected === null || this.isAsking) return;
    this.#askedAt = status.clock;
    this.isAsking = true;
    const wanted = this.#data.wanted(this.#paths);
    const answer = await this.connection
      .ask("samples", { machine: selected, wanted })
      .catch(() => null); // the next one will do
    this.isAsking = false;
    if (!answer || selected !== this.store.selected) return;
    for (const samples of answer.samples) this.#data.add(samples);
    this.draw();
  }

  #clicked(event) {
    const row = event.target.closest(".remove")?.parentElement;
    if (row) this.plotted.toggle(JSON.parse(row.dataset.plot));
  }

  #drawRow(row) {
    const { now, labels, cursor, moment, chosen } = this.axis;
    const { from, to } = this.axis.window;
    const [canvas, label, range] = row.children;
    const view = { from, to, now, labels, width: this.list.clientWidth, height: ROW };
    const context = sized(canvas, view);
    const samples = this.#data.of(JSON.parse(row.dataset.plot));
    const painting = new PlotPainting(context, view, this.#paints);
    const found = painting.paint(samples, { cursor, moment, exchanges: this.store.status.exchanges });
    setText(label.lastChild, textAt(samples, chosen));
    setText(range, found ? rangeText(found) : "");
    row.style.setProperty("--labels", `${labels}px`);
  }
}

const rangeText = ([least, greatest]) =>
  least === greatest ? "" : `${short(least)} … ${short(greatest)}`;

/** The name of a value: without its source, but of an action with that. */
export function titleOf(path) {
  return path[0] === "action" ? path.at(-1) : path.slice(1).join(".");
}

function make(path) {
  const title = titleOf(path);
  const label = element("p", {}, element("b", {}), element("output"));
  setLongText(label.firstChild, title);
  if (path[0] === "action") label.title = path.slice(1).join(" · ");
  return element(
    "li",
    { data: { plot: JSON.stringify(path) } },
    element("canvas", { role: "img", "aria-label": `Plot of ${title}` }),
    label,
    element("span", { class: "range" }),
    element("button", { class: "remove icon", "aria-label": `Remove the plot of ${title}` }, "×"),
  );
}

/** Fit the canvas to its row and the screen. */
function sized(canvas, { width, height }) {
  const pixels = [width, height].map((each) => Math.round(each * devicePixelRatio));
  if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) {
    [canvas.width, canvas.height] = pixels;
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  const context = canvas.getContext("2d");
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  return context;
}
