/** The drawing of a machine, laid out by the program, and the meaning of its parts. */

import { encoded } from "../parts/address.js";
import { endsText } from "../parts/breakpoint_words.js";
import { shape } from "../parts/elements.js";
import { visible } from "../parts/wording.js";
import { boundsOf } from "./bounds.js";
import { breakpointMark } from "./breakpoint_marks.js";
import { centre, centreInside, heightOf, linesOfWords } from "./centred_words.js";

const BAR = 3;
const PADDING = 16;
const RISE = 10.5; // points from the line that letters stand on to the top of their paper
const PAPER = "polygon:is([stroke=none], [stroke=transparent])";

/**
 * @typedef {{machine: string, state: string, final: boolean, start: boolean}} NodeFact
 * @typedef {{event: string, rank: number, text: string, lines: number}} LabelFact one transition:
 *   its place among those for its event, and what the drawing says of it in so many lines
 * @typedef {{machine: string, events: string[], source: string, target: string, labels: LabelFact[],
 *   sources?: string[], group?: string}} EdgeFact `sources` are the states of one that is drawn
 *   instead of several: for a `group`, or for transitions that say the same
 * @typedef {{source: string, target: string|null, rank: number}} Way where a transition leads from: a
 *   state, a group, or "" for any state; and to: null is back
 * @typedef {{machine: string, event: string, text: string, way: Way, sources: string[],
 *   members: string[]}} TransitionFact `sources` are the states that may be the source instead,
 *   `members` those of the group that is the source
 * @typedef {{machine: string, title: string, inside: string|null}} ClusterFact
 */

export class Drawing {
  /** @type {Map<string, SVGElement[]>} id of an edge -> the words of each of its transitions */
  #labels = new Map();
  /** @type {Map<string, SVGElement>} id of an edge -> what makes it wide enough to be pressed */
  #reaches = new Map();

  /**
   * @param {{svg: string, nodes: object, edges: object, clusters: object,
   *   places?: Object<string, number[]>, has_kept?: boolean}} answer
   */
  constructor({ svg, nodes, edges, clusters, places = {}, has_kept = false }) {
    /** Id of a state that can be dragged -> where it is, from the corner of its machine. */
    this.places = places;
    this.hasKept = has_kept;
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
    for (const part of this.content.querySelectorAll(".node")) centreInside(part, boundsOf(part));
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
    const parts = [this.parts.get(id), this.#reaches.get(id), ...this.wordsOf(id)];
    for (const part of parts) part?.classList.toggle(name, isMarked);
  }

  /** The words of each transition of an edge that is in the picture. */
  wordsOf(id) {
    return this.#labels.get(id) ?? [];
  }

  /** A transition of an edge. @returns {TransitionFact} */
  transitionOf(id, index) {
    const { machine, labels, group, ...edge } = this.edges.get(id);
    const { event, rank, text } = labels[index];
    const [sources, members] = group === undefined ? [edge.sources ?? [], []] : [[], edge.sources];
    const source = this.nodes.get(edge.source)?.state ?? group ?? sources[0] ?? "";
    const target = this.nodes.get(edge.target)?.state ?? null;
    return { machine, event, text, way: { source, target, rank }, sources, members };
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

  #prepareEdge(id, { machine, events, target, labels }) {
    const part = this.parts.get(id);
    if (!part) return;
    Object.assign(part.dataset, { edge: events.join(" "), machine });
    this.#prepareStub(this.parts.get(`${id}--tag`), target);
    this.#addReach(id, part);
    const papers = part.querySelectorAll(PAPER);
    const place = boundsOf({ children: papers });
    const lines = linesOfWords(part.querySelectorAll("text"));
    centre(lines, place);
    for (const paper of papers) paper.remove();
    const depth = this.lineage(this.clusterOf(machine)).length - 1;
    let top = place.top;
    labels.forEach((label, index) => {
      const own = lines.splice(0, label.lines);
      const bottom = lines.length ? heightOf(lines[0]) - RISE : place.bottom;
      this.#addLabel(id, index, depth, own, { ...place, top, bottom });
      top = bottom;
    });
  }

  /** The line of an edge is too thin for a finger, or a hand that is not steady. */
  #addReach(id, part) {
    const line = part.querySelector("path");
    const tooltip = part.querySelector("title").cloneNode(true);
    const reach = shape("path", { class: "reach", d: line.getAttribute("d"), "data-of": id }, tooltip);
    this.#reaches.set(id, reach);
    part.before(reach);
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

  /** The words of a transition lie on top of all edges, on paper of the colour of their surroundings. */
  #addLabel(id, index, depth, lines, { left, right, top, bottom }) {
    const { text, event, way } = this.transitionOf(id, index);
    const label = shape(
      "g",
      {
        class: depth > 0 ? "label inner" : "label",
        tabindex: "0",
        role: "button",
        "aria-haspopup": "dialog",
        "aria-label": visible(`${text}, ${endsText(way)}`),
        "data-of": id,
        "data-index": index,
        "data-event": event,
      },
      this.parts.get(id).querySelector("title").cloneNode(true),
      shape("rect", { x: left, y: top, width: right - left, height: bottom - top }),
      ...lines,
      breakpointMark(left - 5, top + RISE - 4, 5),
    );
    label.style.setProperty("--depth", depth);
    this.#labels.set(id, [...this.wordsOf(id), label]);
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
