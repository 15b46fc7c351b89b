/** The drawing of a machine, laid out by the program, and the meaning of its parts. */

import { encoded } from "../parts/address.js";
import { shape } from "../parts/elements.js";
import { boundsOf } from "./bounds.js";
import { breakpointMark } from "./breakpoint_marks.js";
import { centreWords } from "./centred_words.js";

const BAR = 3;
const PADDING = 16;
const PAPER = "polygon:is([stroke=none], [stroke=transparent])";

/**
 * @typedef {{machine: string, state: string, final: boolean, start: boolean}} NodeFact
 * @typedef {{machine: string, events: string[], source: string, target: string,
 *   sources?: string[]}} EdgeFact `sources` are the states of one that is drawn instead of several
 * @typedef {{machine: string, title: string, inside: string|null}} ClusterFact
 */

export class Drawing {
  /** @type {Map<string, SVGElement>} id of an edge -> its words */
  #labels = new Map();

  /** @param {{svg: string, nodes: object, edges: object, clusters: object}} answer */
  constructor({ svg, nodes, edges, clusters }) {
    /** @type {Map<string, NodeFact>} */
    this.nodes = new Map(Object.entries(nodes));
    /** @type {Map<string, EdgeFact>} */
    this.edges = new Map(Object.entries(edges));
    /** @type {Map<string, ClusterFact>} */
    this.clusters = new Map(Object.entries(clusters));
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    /** The group in Graphviz coordinates; `origin` is where they start. */
    this.content = document.importNode(parsed.querySelector("g"), true);
    this.parts = new Map([...this.content.querySelectorAll("[id]")].map((part) => [part.id, part]));
    this.origin = { x: 0, y: 0 };
    this.size = this.#crop(parsed.getAttribute("viewBox"));
    for (const part of this.content.querySelectorAll(".node"))
      centreWords(part.children, boundsOf(part));
    for (const [id, fact] of this.nodes) this.#prepareState(id, fact);
    for (const id of this.clusters.keys()) this.#prepareCluster(id);
    for (const [id, fact] of this.edges) this.#prepareEdge(id, fact);
  }

  /** The machines in the drawing, the outermost one first. */
  get machines() {
    return [...this.clusters.values()].map(({ machine, title }) => ({ machine, title }));
  }

  /** The ids of a cluster and those around it, from the inside out. */
  lineage(cluster) {
    const ids = [];
    for (let id = cluster; id && !ids.includes(id); id = this.#outer(id)) ids.push(id);
    return ids;
  }

  /** The id of the cluster that shows a machine. */
  clusterOf(machine) {
    for (const [id, fact] of this.clusters) if (fact.machine === machine) return id;
    return null;
  }

  /** The bounds of these parts in the picture, as far as they are in it. */
  placesOf(ids) {
    const parts = ids.map((id) => this.parts.get(id)).filter(Boolean);
    return parts.map(boundsOf).map(({ left, top, right, bottom }) => ({
      left: left + this.origin.x,
      top: top + this.origin.y,
      right: right + this.origin.x,
      bottom: bottom + this.origin.y,
    }));
  }

  /** The id of the edge along which an event leads out of a state. */
  edgeOf({ machine, event, state, target }) {
    const fitting = [...this.edges].filter(([, edge]) => {
      const source = this.nodes.get(edge.source);
      const isFrom = edge.sources?.includes(state) ?? (!source || source.state === state);
      return isFrom && edge.machine === machine && edge.events.includes(event);
    });
    const leadingTo = (wanted) =>
      fitting.find(([, edge]) => this.nodes.get(edge.target)?.state === wanted);
    const [id] = leadingTo(target) ?? leadingTo(undefined) ?? [null]; // "back" is no state
    return id;
  }

  /** The id of the edge that is drawn for this one: itself, or one that stands for several. */
  drawnEdge(id) {
    const edge = this.edges.get(id);
    if (this.parts.has(id) || !edge) return id;
    const state = this.nodes.get(edge.source)?.state;
    const stands = ([other, { sources, target, events }]) =>
      this.parts.has(other) &&
      sources?.includes(state) &&
      target === edge.target &&
      edge.events.some((event) => events.includes(event));
    return [...this.edges].find(stands)?.[0] ?? id;
  }

  /** Give a part and its words a class, or take it away. */
  mark(id, name, isMarked) {
    this.parts.get(id)?.classList.toggle(name, isMarked);
    this.#labels.get(id)?.classList.toggle(name, isMarked);
  }

  /** The words at an edge, if it has any. */
  wordsOf(id) {
    return this.#labels.get(id);
  }

  /** Crop the title, which the page shows itself. */
  #crop(viewBox) {
    const [, , width, height] = viewBox.split(/[\s,]+/).map(Number);
    const tops = [...this.parts.values()].map((part) => boundsOf(part).top).filter(Number.isFinite);
    const [, x, y] = this.content
      .getAttribute("transform")
      .match(/translate\(([-\d.]+)[ ,]+([-\d.]+)\)/);
    const cut = Math.max(0, Math.min(...tops, 0) + Number(y) - PADDING);
    this.origin = { x: Number(x), y: Number(y) - cut };
    this.content.setAttribute("transform", `translate(${this.origin.x} ${this.origin.y})`);
    return { width, height: height - cut };
  }

  #outer(cluster) {
    const state = this.nodes.get(this.clusters.get(cluster)?.inside);
    return state ? this.clusterOf(state.machine) : null;
  }

  #prepareState(id, { machine, state }) {
    const part = this.parts.get(id);
    if (!part) return;
    part.classList.remove("current", "suspended");
    for (const line of part.querySelectorAll("path")) line.removeAttribute("stroke-dasharray");
    part.setAttribute("tabindex", "0");
    part.setAttribute("role", "button");
    part.setAttribute("aria-haspopup", "menu");
    Object.assign(part.dataset, { state, machine });
    const { left, top, right, bottom } = boundsOf(part);
    part.append(
      shape("rect", {
        class: "share",
        x: left + 6,
        y: bottom - BAR - 3,
        width: right - left - 12,
        height: BAR,
        rx: 1.5,
      }),
      breakpointMark(left + 1, top + 1, 8),
    );
  }

  #prepareEdge(id, { machine, events, target }) {
    const part = this.parts.get(id);
    if (!part) return;
    Object.assign(part.dataset, { edge: events.join(" "), machine });
    this.#prepareStub(this.parts.get(`${id}--tag`), target);
    const papers = part.querySelectorAll(PAPER);
    const place = boundsOf({ children: papers });
    if (papers.length) centreWords(part.querySelectorAll("text"), place);
    const words = [...part.querySelectorAll(`${PAPER}, text`)];
    const y = Number(part.querySelector("text")?.getAttribute("y") ?? 0);
    const stop = breakpointMark((papers.length ? place.left : 0) - 5, y - 4, 5);
    this.#addLabel(id, this.lineage(this.clusterOf(machine)).length - 1, [...words, stop]);
  }

  /** The tag at the end of a short edge leads to the state that it names. */
  #prepareStub(part, target) {
    const state = this.nodes.get(target)?.state;
    if (!part?.classList.contains("stub") || state === undefined) return;
    part.setAttribute("tabindex", "0");
    part.setAttribute("role", "button");
    part.setAttribute("aria-label", `Go to ${state}`);
    part.dataset.leadsTo = target;
  }

  /** The words at an edge lie on top of all edges, on paper of the colour of their surroundings. */
  #addLabel(id, depth, parts) {
    const tooltip = this.parts.get(id).querySelector("title")?.cloneNode(true);
    const label = shape("g", { class: "label" }, ...(tooltip ? [tooltip] : []), ...parts);
    label.classList.toggle("inner", depth > 0);
    label.style.setProperty("--depth", depth);
    this.#labels.set(id, label);
    this.content.append(label);
  }

  #prepareCluster(id) {
    const part = this.parts.get(id);
    part?.style.setProperty("--depth", this.lineage(id).length - 1);
  }
}

/**
 * Load the drawing of a machine, to make a Drawing of. Throws an Error whose message can be shown.
 *
 * @param {import("../parts/connection.js").Connection} connection
 * @param {import("./drawings.js").Wish} wish
 */
export async function loadDrawing(connection, { machine, radius, around }) {
  const extent = radius ? `&radius=${radius}&around=${encoded(around.join(" "))}` : "";
  const query = `machine=${encoded(machine)}${extent}`;
  const answer = await connection.load(`graph?${query}`);
  return answer.json();
}
