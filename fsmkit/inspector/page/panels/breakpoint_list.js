/** The list of breakpoints, of all machines. */

import { detailsOf, SIGN_WORDS, signOf, titleOf } from "../parts/breakpoint_words.js";
import { byId, element, icon, matchChildren, setAttribute, setText } from "../parts/elements.js";

export class BreakpointList {
  /** @param {import("./breakpoint_editor.js").BreakpointEditor} editor */
  constructor(store, commands, editor) {
    this.store = store;
    this.commands = commands;
    this.editor = editor;
    this.list = byId("breakpoints");
    byId("break-on-error").onclick = () => this.#add("error");
    byId("break-on-unhandled").onclick = () => this.#add("unhandled");
    byId("break-on-value").onclick = ({ target }) =>
      editor.open({ kind: "value", machine: store.selected }, target);
    byId("breakpoints-clear").onclick = () => commands.clearBreakpoints();
    store.watch("breakpoints hello connection paused", () => this.#draw());
  }

  /** Of any machine; the editor narrows it down to one. */
  #add(kind) {
    if (this.store.breakpointsAt(null, kind, "").length) return;
    this.commands.setBreakpoint({ kind }).catch((error) => this.commands.refuse(error));
  }

  #draw() {
    const { breakpoints, isReadOnly, isConnected, isPast } = this.store;
    const isLocked = isReadOnly || !isConnected || isPast;
    byId("breakpoints-part").hidden = (isReadOnly || isPast) && !breakpoints.length;
    byId("breakpoints-clear").hidden = breakpoints.length < 2;
    for (const button of document.querySelectorAll("#breakpoints-add button, #breakpoints-clear")) {
      button.disabled = isLocked;
    }
    const canStop = !isLocked && !this.store.status.paused && !this.store.status.held;
    matchChildren(this.list, breakpoints, keyOf, (point) => this.#row(point), (row, point) =>
      fill(row, point, isLocked, canStop),
    );
  }

  /** Pause at the machine whose value is so already. */
  async #stopNow(number) {
    const { holds } = this.store.breakpoints.find((each) => each.number === number) ?? {};
    await this.commands.pause();
    if (holds) this.commands.selectOuter(holds);
  }

  #row({ number }) {
    const row = element("li");
    const point = () => this.store.breakpoints.find((each) => each.number === number);
    const button = (name, click, ...content) =>
      element("button", { class: `icon ${name}`, on: { click } }, ...content);
    row.append(
      button("sign", () => this.commands.switchBreakpoint(number, !point().on)),
      element(
        "p",
        {},
        element("span", { class: "what" }),
        element("span", { class: "soft" }),
        element("button", { class: "chip", on: { click: () => this.#stopNow(number) } }, "Stop now"),
      ),
      button("more", ({ target }) => this.editor.open(point(), target), "…"),
      button("remove", () => this.commands.removeBreakpoint(number), "×"),
    );
    return row;
  }
}

const keyOf = ({ number }) => String(number);

function fill(row, point, isLocked, canStop) {
  const [sign, text, more, remove] = row.children;
  const [before, name] = titleOf(point);
  const what = `${before}${name}`;
  const kind = signOf([point]);
  if (row.dataset.sign !== kind) {
    row.dataset.sign = kind;
    sign.replaceChildren(icon(point.text ? "log-point" : "break"));
  }
  Object.assign(row.dataset, { kind: point.kind, name: point.name, machine: point.machine ?? "" });
  if (text.firstChild.textContent !== what) {
    text.firstChild.replaceChildren(before, element("b", {}, name));
  }
  const details = detailsOf(point);
  const [, about, stopNow] = text.children;
  setText(about, [point.machine ?? "any machine", details].filter(Boolean).join(" · "));
  text.title = about.textContent;
  stopNow.hidden = !canStop || !point.holds || Boolean(point.text);
  setAttribute(sign, "role", "switch");
  setAttribute(sign, "aria-checked", String(point.on));
  setAttribute(sign, "aria-label", `${SIGN_WORDS[kind]} ${what}`);
  sign.title = point.on ? "Switch it off" : "Switch it on";
  setAttribute(more, "aria-label", `Edit the breakpoint ${what}`);
  more.title = "Condition, count, log";
  setAttribute(remove, "aria-label", `Remove the breakpoint ${what}`);
  for (const button of [sign, more, remove]) button.disabled = isLocked;
}
