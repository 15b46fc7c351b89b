/** The buttons of the header: pause, step, speed. */

import { byId, setAttribute, setText } from "./elements.js";
import { times } from "./wording.js";

const HOLD = 600; // milliseconds for which the slider is the reader's

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
    const isStanding = Boolean(paused || held);
    setAttribute(this.pause, "aria-pressed", String(isStanding));
    setAttribute(this.pause, "aria-label", isStanding ? "Go on" : "Pause");
    setAttribute(
      this.pause.querySelector("use"),
      "href",
      isStanding ? "#icon-resume" : "#icon-pause",
    );
    setText(this.pause.querySelector("span"), isStanding ? "Go on" : "Pause");
    if (performance.now() - this.#touched > HOLD) this.#showSpeed(speed);
  }

  #showSpeed(factor) {
    const value = Math.log10(factor).toFixed(2);
    if (Number(this.slider.value) !== Number(value)) this.slider.value = value;
    setAttribute(this.slider, "aria-valuetext", `${times(factor)} the ordinary speed`);
    setText(byId("speed-text"), times(factor));
  }

  /** Without permission or a connection there is nothing to press. */
  #lock() {
    const isLocked = this.store.isReadOnly || !this.store.isConnected;
    for (const control of document.querySelectorAll("[data-control]")) control.disabled = isLocked;
    document.body.classList.toggle(
      "disconnected",
      this.store.wasConnected && !this.store.isConnected,
    );
  }
}
