/** Events: a button for each one the state handles, and a field for any other. */

import { SIGN_WORDS, signOf } from "../parts/breakpoint_words.js";
import { byId, element, icon, matchChildren, setAttribute, setText } from "../parts/elements.js";

const PATIENCE = 200; // milliseconds after the last keystroke

export class Events {
  #timer = 0;
  #hasAnswer = false; // to an event that was sent; shown until the field changes
  #asked = "";

  /**
   * @param {import("./breakpoint_editor.js").BreakpointEditor} editor
   * @param {import("./code_lines.js").CodeLines} codeLines
   */
  constructor(store, commands, editor, codeLines) {
    this.codeLines = codeLines;
    this.store = store;
    this.commands = commands;
    this.editor = editor;
    this.list = byId("events");
    this.form = byId("send-form");
    this.why = byId("send-why");
    this.form.addEventListener("submit", (event) => this.#submit(event));
    this.form.event.addEventListener("input", () => this.#askSoon());
    this.form.data.addEventListener("input", () => this.form.data.removeAttribute("aria-invalid"));
    this.list.addEventListener("click", (event) => this.#clicked(event));
    store.watch("detail breakpoints hello connection moment lines", () => this.#draw());
    store.watch("drawing", () => this.#suggest());
    store.watch("selected", () => this.#showAnswer(""));
  }

  #draw() {
    const { shown, moment, isReadOnly, isConnected } = this.store;
    const isLocked = isReadOnly || !isConnected || !shown;
    byId("send").disabled = isLocked || moment !== null;
    this.list.dataset.empty = shown ? whyNone(shown) : "";
    const events = (shown?.events ?? []).map((event) => ({ machine: shown.machine, ...event }));
    const keyOf = ({ name, label, machine }) => `${label ?? name} ${machine}`;
    matchChildren(this.list, events, keyOf, make, (part, event) => {
      const stops = this.store.hasBreakpoint(event.machine, "event", event.name);
      const sign = signOf(this.store.breakpointsAt(event.machine, "event", event.name));
      update(part, event, { stops, sign, isLocked, isPast: moment !== null });
      setAttribute(part.firstChild, "title", this.#titleOf(event) || null);
    });
    this.#askAgain(shown);
  }

  /** That it is a global transition, and where it was added, with its guard and its effect. */
  #titleOf({ machine, name, global: isGlobal }) {
    const { shown } = this.store;
    const inner = shown.inner.find((each) => each.machine === machine);
    const state = (inner ?? shown).state;
    const lines = this.codeLines.ofEvent(machine, state, name, isGlobal);
    const where = lines.map(({ what, path }) => `${what} ${path}`);
    return [isGlobal && "From any state: a global transition", ...where].filter(Boolean).join("\n");
  }

  /** All events in the drawing, for the field. */
  #suggest() {
    const edges = [...(this.store.drawing?.edges.values() ?? [])];
    const events = [...new Set(edges.flatMap((edge) => edge.events))].sort();
    byId("send-known").replaceChildren(...events.map((value) => element("option", { value })));
  }

  #clicked(event) {
    const part = event.target.closest("[data-event]");
    if (!part) return;
    const { event: name, machine } = part.dataset;
    if (event.target.closest(".stop")) this.commands.toggleBreakpoint(machine, "event", name);
    else if (event.target.closest(".more")) {
      this.editor.open({ kind: "event", machine, name }, event.target.closest(".more"));
    } else if (event.target.closest(".send")) this.#send(machine, name);
  }

  #submit(submitting) {
    submitting.preventDefault();
    clearTimeout(this.#timer);
    const name = this.form.event.value;
    if (!name) return this.form.event.focus();
    const text = this.form.data.value.trim();
    try {
      this.#send(this.store.selected, name, text ? { data: JSON.parse(text) } : {});
    } catch (error) {
      this.form.data.setAttribute("aria-invalid", "true");
      this.#showAnswer(`The data must be JSON: ${error.message}`, true);
    }
  }

  async #send(machine, event, data = {}) {
    const answer = await this.commands.ask("send", { machine, event, ...data });
    if (answer) this.#showAnswer(answer.outcome ?? "Sent.");
    this.#hasAnswer = true;
  }

  #askSoon() {
    this.#hasAnswer = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), PATIENCE);
  }

  /** In another state the answer is another one. */
  #askAgain(shown) {
    const key = `${shown?.machine} ${shown?.state}`;
    if (key !== this.#asked && this.form.event.value && !this.#hasAnswer) this.#askSoon();
    this.#asked = key;
  }

  async #ask() {
    const event = this.form.event.value;
    if (!event) return this.#showAnswer("");
    const answer = await this.commands.ask("ask", { machine: this.store.selected, event });
    if (answer && event === this.form.event.value) this.#showAnswer(answer.why);
  }

  #showAnswer(text, isError = false) {
    setText(this.why, text);
    this.why.classList.toggle("error", isError);
  }
}

function whyNone({ running }) {
  return running ? "This state handles no events." : "The machine is not running.";
}

function make({ name, label = name }) {
  return element(
    "div",
    { class: "event", data: { event: name } },
    element(
      "button",
      { class: "send" },
      element("code", {}, label),
      element("span", { class: "target" }),
    ),
    element("button", { class: "stop icon" }, icon("break")),
    element("button", { class: "more icon", title: "Condition, count, log" }, "…"),
  );
}

function update(part, { name, target, machine }, { stops, sign, isLocked, isPast }) {
  const [send, stop, more] = part.children;
  part.dataset.machine = machine;
  setText(send.lastChild, `→ ${target}`);
  send.disabled = isLocked || isPast;
  stop.disabled = more.disabled = isLocked;
  setAttribute(stop, "data-sign", sign || null);
  setAttribute(more, "aria-label", `Edit the breakpoint on ${name}`);
  setAttribute(stop, "aria-pressed", String(stops));
  setAttribute(stop, "aria-label", `Break before ${name}`);
  setAttribute(stop, "aria-description", SIGN_WORDS[sign] || null);
  setAttribute(stop, "title", stops ? "Remove the breakpoint" : "Break before this event");
}
