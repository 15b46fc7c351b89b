/** The pointer and the keys of the map: move, zoom, point at somebody, choose. */

const CLICK = 4; // pixels that a pointer may move during a click
const STEP = 60;

export class MapInput {
  /** @type {Map<number, {left: number, top: number}>} pressed fingers and mice */
  #pointers = new Map();
  #moved = 0;

  /** @param {import("./map.js").WorldMap} map */
  constructor(map) {
    this.map = map;
    const { pane } = map;
    pane.addEventListener("wheel", (event) => this.#turned(event), { passive: false });
    pane.addEventListener("pointerdown", (event) => this.#pressed(event));
    pane.addEventListener("pointermove", (event) => this.#dragged(event));
    pane.addEventListener("pointerleave", () => map.point(null));
    pane.addEventListener("click", (event) => this.#moved <= CLICK && map.choose(this.#at(event)));
    pane.addEventListener("keydown", (event) => this.#key(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
      pane.addEventListener(end, ({ pointerId }) => this.#pointers.delete(pointerId));
  }

  #at({ clientX, clientY }) {
    const { left, top } = this.map.pane.getBoundingClientRect();
    return { left: clientX - left, top: clientY - top };
  }

  #turned(event) {
    event.preventDefault();
    const { left, top } = this.#at(event);
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1);
    const strength = event.ctrlKey ? 0.01 : 0.0015; // a touch-pad pinch sets ctrlKey
    this.map.move((view) => view.zoom(Math.exp(-pixels * strength), left, top));
  }

  #pressed(event) {
    if (event.button !== 0) return;
    if (!this.#pointers.size) this.#moved = 0;
    this.#pointers.set(event.pointerId, this.#at(event));
  }

  #dragged(event) {
    const before = this.#pointers.get(event.pointerId);
    const now = this.#at(event);
    if (!before) return this.map.point(now);
    this.#moved += Math.hypot(now.left - before.left, now.top - before.top);
    if (this.#moved <= CLICK) return;
    this.map.pane.setPointerCapture(event.pointerId);
    const others = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.map.move((view) => {
      for (const other of others) pinch(view, before, now, other);
      view.pan((now.left - before.left) / this.#pointers.size, (now.top - before.top) / this.#pointers.size);
    });
    this.#pointers.set(event.pointerId, now);
  }

  #key(event) {
    const ways = {
      ArrowLeft: (view) => view.pan(STEP, 0),
      ArrowRight: (view) => view.pan(-STEP, 0),
      ArrowUp: (view) => view.pan(0, STEP),
      ArrowDown: (view) => view.pan(0, -STEP),
      "+": (view) => view.zoom(1.3),
      "=": (view) => view.zoom(1.3),
      "-": (view) => view.zoom(1 / 1.3),
      f: (view) => view.fit(),
      0: (view) => view.fit(),
    };
    if (!ways[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.map.move(ways[event.key]);
  }
}

function pinch(view, before, now, other) {
  const apart = ({ left, top }) => Math.max(1, Math.hypot(left - other.left, top - other.top));
  view.zoom(apart(now) / apart(before), (now.left + other.left) / 2, (now.top + other.top) / 2);
}
