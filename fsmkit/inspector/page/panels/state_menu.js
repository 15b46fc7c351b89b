/** The menu of a state: set a breakpoint, or force the state, which asks twice. */

import { byId, setText } from "../parts/elements.js";
import { percent } from "../parts/wording.js";

const GAP = 6;

export class StateMenu {
  #state = null;

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.menu = byId("state-menu");
    this.stop = byId("state-menu-break");
    this.sure = byId("state-menu-sure");
    this.stop.onclick = () => this.#toggleBreakpoint();
    byId("state-menu-force").onclick = () => this.#askAgain(true);
    byId("state-menu-no").onclick = () => this.menu.hidePopover();
    byId("state-menu-yes").onclick = () => this.#force();
    store.watch("breakpoints", () => this.#showBreakpoint());
    store.watch("detail", () => this.#showShare());
  }

  /** Open the menu beside an element. */
  open(machine, state, beside) {
    this.#state = { machine, state, id: beside.id };
    setText(byId("state-menu-name"), state);
    this.#showShare();
    setText(byId("state-menu-yes"), `Yes, start in ${state}`);
    this.#askAgain(false);
    this.#showBreakpoint();
    this.menu.showPopover();
    this.#place(beside.getBoundingClientRect());
    this.stop.focus();
  }

  #place({ left, right, top, bottom }) {
    const { offsetWidth: width, offsetHeight: height } = this.menu;
    const beside = right + GAP + width < innerWidth ? right + GAP : left - GAP - width;
    const fitting = (at, size, room) => Math.max(GAP, Math.min(at, room - size - GAP));
    this.menu.style.left = `${fitting(beside, width, innerWidth)}px`;
    this.menu.style.top = `${fitting((top + bottom) / 2 - 40, height, innerHeight)}px`;
  }

  #showShare() {
    const share = this.store.shown?.share?.[this.#state?.id];
    setText(byId("state-menu-share"), share === undefined ? "" : `${percent(share)} of the time`);
  }

  #showBreakpoint() {
    if (!this.#state) return;
    const { machine, state } = this.#state;
    const isSet = this.store.hasBreakpoint(machine, "state", state);
    this.stop.setAttribute("aria-checked", String(isSet));
    setText(
      this.stop.querySelector("span"),
      isSet ? "Remove the breakpoint" : "Break before entering",
    );
  }

  #toggleBreakpoint() {
    const { machine, state } = this.#state;
    this.commands.toggleBreakpoint(machine, "state", state);
    this.menu.hidePopover();
  }

  #askAgain(isAsking) {
    this.sure.hidden = !isAsking;
    byId("state-menu-force").hidden = isAsking;
    if (isAsking) byId("state-menu-no").focus();
  }

  #force() {
    const { machine, state } = this.#state;
    this.commands.force(machine, state);
    this.menu.hidePopover();
  }
}
