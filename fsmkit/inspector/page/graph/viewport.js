/** A pane in which a drawing can be zoomed and moved. */

import { shape } from "../parts/elements.js";
import { middleOf, togetherIn } from "./bounds.js";
import { Glide } from "./glide.js";

const SMALLEST = 0.05;
const LARGEST = 4;
const LARGEST_FIT = 1.7;
const SMALLEST_FIT = 0.6; // below that, letters are less than 8 pixels high
const READABLE = 0.75;
const MARGIN = 16;
const CLICK = 4; // pixels that a pointer may move during a click
const STEP = 60;
const LOW = 120; // pixels of height that messages may take
const EDGE = 8; // pixels around what counts as in sight
const ROOM = 72; // pixels around what is brought into sight, if the pane has as many

export class Viewport {
  #size = null;
  #at = { x: 0, y: 0, scale: 1 };
  /** Repeated when the pane is resized, until the reader moves the view. */
  #arrange = () => {};
  /** @type {Map<number, {x: number, y: number}>} pressed fingers and mice */
  #pointers = new Map();
  #moved = 0;
  #pane = { width: 0, height: 0 };

  /**
   * @param {HTMLElement} pane
   * @param {() => void} moved called when the reader moves the view
   */
  constructor(pane, moved) {
    this.pane = pane;
    this.moved = moved;
    this.glide = new Glide((at) => this.#look(at));
    this.layer = shape("g");
    this.svg = shape("svg", { class: "fsmkit-diagram", role: "group" }, this.layer);
    pane.append(this.svg);
    new ResizeObserver(() => this.#resized()).observe(pane);
    pane.addEventListener("wheel", (event) => this.#turned(event), { passive: false });
    pane.addEventListener("pointerdown", (event) => this.#pressed(event));
    pane.addEventListener("pointermove", (event) => this.#dragged(event));
    pane.addEventListener("click", (event) => this.#clicked(event), { capture: true });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      pane.addEventListener(end, (event) => this.#pointers.delete(event.pointerId));
    }
  }

  /** Show some content, or none. The view stays as it is. */
  show(content, size) {
    this.#size = size;
    this.layer.replaceChildren(...(content ? [content] : []));
  }

  /** Show all of it. */
  fit() {
    this.#keep(() => this.#look(this.#around(this.#fitting, [])));
  }

  /**
   * Show all of it, or only the surroundings of these places if it would be illegible. What was shown
   * whole stays whole when the pane is made smaller.
   *
   * @param {{isGliding?: boolean, largest?: number}} [options] `largest` bounds the scale
   */
  open(places, { isGliding = false, largest = LARGEST_FIT } = {}) {
    let isWhole = false;
    const view = () => {
      const all = Math.min(this.#fitting, largest);
      isWhole ||= all >= SMALLEST_FIT;
      return this.#around(isWhole ? all : READABLE, places);
    };
    const glide = () => this.glide.run(this.#at, view());
    const look = () => this.#look(view());
    this.#keep(look, isGliding ? glide : look);
  }

  /** Put a place where another one of an earlier drawing was, so that it stays for the eye. */
  pin(before, now) {
    const { x, y, scale } = this.#at;
    if (before && now) {
      this.#look({
        x: x + ((before.left + before.right - now.left - now.right) * scale) / 2,
        y: y + ((before.top + before.bottom - now.top - now.bottom) * scale) / 2,
        scale,
      });
    }
  }

  /** Move no farther than to show these places, as many as fit; the first one always counts. */
  reveal(places) {
    if (!places.length || !this.pane.clientWidth) return;
    const { clientWidth, clientHeight } = this.pane;
    const { x, y, scale } = this.glide.end ?? this.#at;
    const width = (clientWidth - 2 * EDGE) / scale;
    const height = (clientHeight - 2 * EDGE) / scale;
    const { left, right, top, bottom } = togetherIn(places, { width, height });
    const to = {
      x: x + shift(left * scale + x, right * scale + x, clientWidth),
      y: y + shift(top * scale + y, bottom * scale + y, clientHeight),
      scale,
    };
    if (to.x === x && to.y === y) return; // they are in sight
    this.#arrange = () => this.reveal(places);
    this.glide.run(this.#at, to);
  }

  /** Move no farther than to show a part of the picture. */
  bring(part) {
    const pane = this.pane.getBoundingClientRect();
    const { left, right, top, bottom } = part.getBoundingClientRect();
    const across = shift(left - pane.left, right - pane.left, pane.width);
    const down = shift(top - pane.top, bottom - pane.top, pane.height);
    if (across || down) this.#drag(across, down);
  }

  /** Show the surroundings of these places, large enough to read. */
  seek(places) {
    if (places.length) this.#move(this.#around(Math.max(READABLE, this.#at.scale), places));
  }

  zoom(factor, x = this.pane.clientWidth / 2, y = this.pane.clientHeight / 2) {
    const { x: left, y: top, scale: old } = this.#at;
    const scale = Math.min(LARGEST, Math.max(SMALLEST, old * factor));
    this.#move({ x: x - ((x - left) * scale) / old, y: y - ((y - top) * scale) / old, scale });
  }

  pan(x, y) {
    this.#move({ ...this.#at, x: this.#at.x + x, y: this.#at.y + y });
  }

  /** Handle a key; return true if it was one for the view. */
  press(key) {
    const ways = {
      ArrowLeft: [STEP, 0],
      ArrowRight: [-STEP, 0],
      ArrowUp: [0, STEP],
      ArrowDown: [0, -STEP],
    };
    if (ways[key]) this.#drag(...ways[key]);
    return key in ways;
  }

  /** A message below the graph takes a little of its height: no reason to move what is in sight. */
  #resized() {
    const { clientWidth: width, clientHeight: height } = this.pane;
    const { width: before, height: high } = this.#pane;
    this.#pane = { width, height };
    if (width !== before || Math.abs(height - high) > LOW || !this.#isAllInSight) this.#arrange();
  }

  get #isAllInSight() {
    if (!this.#size) return false;
    const { x, y, scale } = this.#at;
    const right = x + this.#size.width * scale;
    const bottom = y + this.#size.height * scale;
    return x >= 0 && y >= 0 && right <= this.pane.clientWidth && bottom <= this.pane.clientHeight;
  }

  /** Arrange the view whenever the pane is resized, and now, perhaps in another way. */
  #keep(arrange, first = arrange) {
    const hasRoom = () => this.#size && this.pane.clientWidth;
    this.#arrange = () => hasRoom() && arrange();
    if (hasRoom()) first();
  }

  #drag(x, y) {
    this.moved();
    this.pan(x, y);
  }

  /** The scale at which all of it fits. */
  get #fitting() {
    const { clientWidth, clientHeight } = this.pane;
    const { width, height } = this.#size;
    const room = Math.min((clientWidth - MARGIN) / width, (clientHeight - MARGIN) / height);
    return Math.min(LARGEST_FIT, Math.max(SMALLEST, room));
  }

  /** The view with these places in the middle, without empty margins. */
  #around(scale, places) {
    const { clientWidth, clientHeight } = this.pane;
    const { width, height } = this.#size;
    const room = { width: (clientWidth - MARGIN) / scale, height: (clientHeight - MARGIN) / scale };
    const middle = places.length ? middleOf(places, room) : { x: width / 2, y: height / 2 };
    return {
      x: startOf(clientWidth, width * scale, middle.x * scale),
      y: startOf(clientHeight, height * scale, middle.y * scale),
      scale,
    };
  }

  /** Move the view for the reader. */
  #move(to) {
    this.#arrange = () => {};
    this.#look(to);
  }

  #look(to) {
    if (to !== this.glide.at) this.glide.stop();
    this.#at = to;
    this.layer.setAttribute("transform", `translate(${to.x} ${to.y}) scale(${to.scale})`);
  }

  #turned(event) {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1);
    const { left, top } = this.pane.getBoundingClientRect();
    const strength = event.ctrlKey ? 0.01 : 0.0015; // a touch-pad pinch sets ctrlKey
    this.zoom(Math.exp(-pixels * strength), event.clientX - left, event.clientY - top);
  }

  #pressed(event) {
    if (event.button !== 0) return;
    if (!this.#pointers.size) this.#moved = 0;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #dragged(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    this.#moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (this.#moved <= CLICK) return;
    this.pane.setPointerCapture(event.pointerId);
    if (this.#pointers.size === 2) this.#pinched(event.pointerId, before, now);
    this.#drag((now.x - before.x) / this.#pointers.size, (now.y - before.y) / this.#pointers.size);
    this.#pointers.set(event.pointerId, now);
  }

  #pinched(moving, before, now) {
    const [other] = [...this.#pointers].filter(([id]) => id !== moving).map(([, at]) => at);
    const apart = (at) => Math.max(1, Math.hypot(at.x - other.x, at.y - other.y));
    const { left, top } = this.pane.getBoundingClientRect();
    const middle = [(now.x + other.x) / 2 - left, (now.y + other.y) / 2 - top];
    this.zoom(apart(now) / apart(before), ...middle);
  }

  #clicked(event) {
    if (this.#moved > CLICK) event.stopPropagation();
    this.#moved = 0;
  }
}

/** The start of something in a pane, with `middle` centred unless that wastes space. */
function startOf(pane, size, middle) {
  if (size <= pane) return (pane - size) / 2;
  return Math.min(MARGIN / 2, Math.max(pane - MARGIN / 2 - size, pane / 2 - middle));
}

/** The way to go so that what is from `start` to `end` lies well inside a pane of that size. */
function shift(start, end, pane) {
  if (start >= EDGE && end <= pane - EDGE) return 0;
  const room = Math.max(0, Math.min(ROOM, (pane - (end - start)) / 2));
  return start < EDGE ? room - start : pane - room - end;
}
