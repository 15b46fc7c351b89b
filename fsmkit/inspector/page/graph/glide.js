/** Moves a view smoothly. */

const MILLISECONDS = 320;
const IS_CALM = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {{x: number, y: number, scale: number}} View */

export class Glide {
  #frame = 0;
  /** @type {View|null} the view that it shows at this moment */
  at = null;
  /** @type {View|null} the view that it leads to; null when it is there */
  end = null;

  /** @param {(at: View) => void} look shows a view */
  constructor(look) {
    this.look = look;
  }

  /** Go from one view to another. */
  run(from, to) {
    this.stop();
    if (IS_CALM.matches || document.hidden) return this.look(to);
    const start = performance.now();
    this.end = to;
    const step = () => {
      const done = Math.min(1, (performance.now() - start) / MILLISECONDS);
      this.at = between(from, to, 1 - (1 - done) ** 3);
      this.look(this.at);
      if (done < 1) this.#frame = requestAnimationFrame(step);
      else this.end = null;
    };
    this.#frame = requestAnimationFrame(step);
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.end = null;
  }
}

function between(from, to, share) {
  const mix = (name) => from[name] + (to[name] - from[name]) * share;
  return { x: mix("x"), y: mix("y"), scale: mix("scale") };
}
