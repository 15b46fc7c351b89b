/** The list of breakpoints, of all machines. */

import { byId, element, icon, matchChildren } from "../parts/elements.js";

export class BreakpointList {
  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.list = byId("breakpoints");
    store.watch("breakpoints hello", () => this.#draw());
  }

  #draw() {
    const { breakpoints, isReadOnly } = this.store;
    byId("breakpoints-part").hidden = !breakpoints.length;
    const make = (breakpoint) => this.#row(breakpoint, isReadOnly);
    matchChildren(this.list, breakpoints, JSON.stringify, make, () => {});
  }

  #row([machine, kind, name], isReadOnly) {
    const remove = () => this.commands.removeBreakpoint(machine, kind, name);
    const label = `Remove the breakpoint on ${name}`;
    return element(
      "li",
      { data: { machine, kind, name } },
      icon("break"),
      element("span", {}, kind === "state" ? "before " : "on ", element("b", {}, name)),
      element("span", { class: "soft" }, machine),
      element(
        "button",
        { class: "icon", "aria-label": label, disabled: isReadOnly, on: { click: remove } },
        "×",
      ),
    );
  }
}
