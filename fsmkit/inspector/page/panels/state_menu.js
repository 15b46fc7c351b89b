/** The menu of a state: set a breakpoint, or force the state, which asks twice. */

import { byId, setText } from "../parts/elements.js";
import { placeOf } from "../parts/place.js";
import { placeBeside } from "../parts/popover.js";
import { percent } from "../parts/wording.js";

export class StateMenu {
  #state = null;
  /** Called after it was opened. @type {(state: {machine: string, state: string}, beside: Element) => void} */
  opened = () => {};

  /**
   * @param {import("./breakpoint_editor.js").BreakpointEditor} editor
   * @param {import("./code_lines.js").CodeLines} codeLines
   */
  constructor(store, commands, editor, codeLines) {
    this.codeLines = codeLines;
    this.store = store;
    this.commands = commands;
    this.menu = byId("state-menu");
    this.stop = byId("state-menu-break");
    this.sure = byId("state-menu-sure");
    this.stop.onclick = () => this.#toggleBreakpoint();
    byId("state-menu-more").onclick = () => {
      const { machine, state } = this.#state;
      editor.open({ kind: "state", machine, name: state }, this.menu);
    };
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
    const line = this.codeLines.ofState(machine, state);
    const places = byId("state-menu-places");
    places.replaceChildren(...(line ? [placeOf({ ...line, what: "added" })] : []));
    places.querySelector(".code-line")?.setAttribute("role", "menuitem");
    setText(byId("state-menu-yes"), `Yes, start in ${state}`);
    this.#askAgain(false);
    this.#showBreakpoint();
    this.opened({ machine, state }, beside);
    this.menu.showPopover();
    placeBeside(this.menu, beside.getBoundingClientRect());
    this.stop.focus();
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
