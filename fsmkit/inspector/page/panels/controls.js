/** The buttons of the header: pause, step, speed. */

import { byId, setAttribute, setText } from "../parts/elements.js";
import { times } from "../parts/wording.js";

const HOLD = 600; // milliseconds for which a touched slider ignores the status

export class Controls {
  #touched = -Infinity;

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.pause = byId("pause");
    this.slider = byId("speed");
    this.pause.onclick = () => commands.pauseOrResume();
    byId("step").onclick = () => commands.step();
    this.slider.addEventListener("input", () => this.#slide(10 ** Number(this.slider.value)));
    this.slider.addEventListener("dblclick", () => this.#slide(1));
    store.watch("status", () => this.#draw());
    store.watch("hello connection", () => this.#lock());
  }

  #slide(factor) {
    this.#touched = performance.now();
    this.commands.setSpeed(factor);
    this.#showSpeed(factor);
  }

  #draw() {
    const { paused, held, speed } = this.store.status;
    const isStopped = Boolean(paused || held);
    setAttribute(this.pause, "aria-pressed", String(isStopped));
    const resume = this.store.isPast ? "Play" : "Resume";
    setAttribute(this.pause, "aria-label", isStopped ? resume : "Pause");
    setAttribute(
      this.pause.querySelector("use"),
      "href",
      isStopped ? "#icon-resume" : "#icon-pause",
    );
    setText(this.pause.querySelector("span"), isStopped ? resume : "Pause");
    if (performance.now() - this.#touched > HOLD) this.#showSpeed(speed);
  }

  #showSpeed(factor) {
    const value = Math.log10(factor).toFixed(2);
    if (Number(this.slider.value) !== Number(value)) this.slider.value = value;
    setAttribute(this.slider, "aria-valuetext", `${times(factor)} normal speed`);
    setText(byId("speed-text"), times(factor));
  }

  /** Disable the controls without permission or a connection. */
  #lock() {
    const { isReadOnly, isPast, isConnected } = this.store;
    const isLocked = (isReadOnly && !isPast) || !isConnected;
    for (const control of document.querySelectorAll("[data-control]")) control.disabled = isLocked;
    document.body.classList.toggle(
      "disconnected",
      this.store.wasConnected && !this.store.isConnected,
    );
  }
}
