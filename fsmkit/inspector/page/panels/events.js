/** Events: a button for each one the state handles, and a field for any other. */

import { SIGN_WORDS, signOf } from "../parts/breakpoint_words.js";
import { byId, element, icon, matchChildren, setAttribute, setLines, setText } from "../parts/elements.js";
import { answerText, shortError } from "../parts/wording.js";

const PATIENCE = 200; // milliseconds after the last keystroke

export class Events {
  #timer = 0;
  #hasAnswer = false; // to an event that was sent; shown until the field changes
  #asked = "";
  /** The event that is asked for its data, of a machine that may be a nested one. */
  #chosen = { machine: null, name: "" };

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
    store.watch("selected", () => {
      this.#chosen = { machine: null, name: "" };
      this.#showAnswer("");
    });
  }

  #draw() {
    const { shown, moment, isReadOnly, isConnected } = this.store;
    const isLocked = isReadOnly || !isConnected || !shown;
    byId("send").disabled = isLocked || moment !== null;
    this.list.dataset.empty = shown ? whyNone(shown) : "";
    const events = shown ? eventsOf(shown) : [];
    const keyOf = ({ name, machine }) => `${name} ${machine}`;
    matchChildren(this.list, events, keyOf, make, (part, event) => {
      const stops = this.store.hasBreakpoint(event.machine, "event", event.name);
      const sign = signOf(this.store.breakpointsAt(event.machine, "event", event.name));
      update(part, event, { stops, sign, isLocked, isPast: moment !== null });
      setAttribute(part.firstChild, "title", this.#titleOf(event) || null);
    });
    this.#askAgain(shown);
  }

  /** That it is a global transition, and where it was added, with its guard and its effect. */
  #titleOf({ machine, name, isGlobal }) {
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
    } else if (event.target.closest(".send")) this.begin(machine, name);
  }

  /** True if the guards or effects that the event meets now take its data. */
  asks(machine, name) {
    return this.#known(machine, name)?.takesData ?? false;
  }

  /** Send an event, or ask for its data first if its guards or effects take some. */
  begin(machine, name) {
    if (!this.asks(machine, name)) return this.#send(machine, name);
    const { last } = this.#known(machine, name);
    this.#chosen = { machine, name };
    this.#hasAnswer = true; // the question is one
    this.form.event.value = name;
    this.form.data.value = last;
    this.form.classList.add("asking");
    if (!this.form.checkVisibility()) document.body.dataset.tab = "now";
    this.form.data.focus();
    this.form.data.select();
    this.#showAnswer(`${name} takes data${last ? "; this was the last" : ""}. Then press Send.`);
  }

  #known(machine, name) {
    const isIt = (each) => each.machine === machine && each.name === name;
    return this.store.shown && eventsOf(this.store.shown).find(isIt);
  }

  /** The machine that the event in the field is for. */
  get #receiver() {
    const { machine, name } = this.#chosen;
    return this.form.event.value === name && machine !== null ? machine : this.store.selected;
  }

  #submit(submitting) {
    submitting.preventDefault();
    clearTimeout(this.#timer);
    const name = this.form.event.value;
    if (!name) return this.form.event.focus();
    const text = this.form.data.value.trim();
    try {
      this.#send(this.#receiver, name, text ? { data: JSON.parse(text) } : {});
    } catch (error) {
      this.form.data.setAttribute("aria-invalid", "true");
      this.#showAnswer(`The data must be JSON: ${error.message}`, true);
    }
  }

  async #send(machine, event, data = {}) {
    this.#hasAnswer = true;
    this.form.classList.remove("asking");
    try {
      const answer = await this.commands.send({ machine, event, ...data });
      this.#showAnswer(answer.outcome ?? "Sent.");
    } catch (error) {
      this.#showAnswer(shortError(error.message), true);
    }
    this.#tell();
  }

  /** Where the answer is not in sight, it comes as a toast; where it is, its error does not. */
  #tell() {
    const { toasts } = this.commands;
    const isError = this.why.classList.contains("error");
    if (!this.why.checkVisibility()) toasts.show(this.why.textContent, isError ? "error" : "note");
    else if (isError) toasts.spare(this.why.textContent);
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
    const answer = await this.commands.ask("ask", { machine: this.#receiver, event });
    if (answer && event === this.form.event.value) this.#showAnswer(answer.why);
  }

  #showAnswer(text, isError = false) {
    setLines(this.why, text);
    this.why.classList.toggle("error", isError);
  }
}

function whyNone({ running }) {
  return running ? "This state handles no events." : "The machine is not running.";
}

/** The events that can be sent, each once with all the ways that it may take. */
function eventsOf({ machine: outer, events }) {
  const found = new Map();
  for (const { name, machine = outer, target, label = name, ...more } of events) {
    const key = `${name} ${machine}`;
    if (!found.has(key)) found.set(key, { name, machine, ways: [], takesData: false, last: "" });
    const event = found.get(key);
    event.ways.push({ target, label, answered: more.answered });
    event.isGlobal ||= more.global;
    event.takesData ||= more.takes_data ?? false;
    event.last ||= more.last ?? "";
  }
  return [...found.values()];
}

function make({ name }) {
  return element(
    "div",
    { class: "event", data: { event: name } },
    element(
      "button",
      { class: "send" },
      element("code"),
      element("span", { class: "ways" }),
    ),
    element("button", { class: "stop icon" }, icon("break")),
    element("button", { class: "more icon", title: "Condition, count, log" }, "…"),
  );
}

/** One way beside the name of its event; of several, each with its own guard and effect. */
function fillWays([title, place], { name, ways }) {
  const isOne = ways.length === 1;
  setText(title, isOne ? ways[0].label : name);
  const shown = ways.map(({ label, target, answered }) => ({
    way: [isOne ? "" : label.replace(name, "").replace("  ", " ").trim(), `→ ${target}`].filter(Boolean).join(" "),
    said: answered ? answerText(answered) : "",
  }));
  const makeWay = () => element("span", { class: "target" }, element("span"), element("span", { class: "said" }));
  matchChildren(place, shown, ({ way }) => way, makeWay, ({ children: [first, last] }, { way, said }) => {
    setText(first, way);
    setText(last, said);
  });
}

function update(part, { name, ways, machine, takesData }, { stops, sign, isLocked, isPast }) {
  const [send, stop, more] = part.children;
  part.dataset.machine = machine;
  fillWays(send.children, { name, ways });
  setAttribute(send, "data-asks", takesData);
  send.disabled = isLocked || isPast;
  stop.disabled = more.disabled = isLocked;
  setAttribute(stop, "data-sign", sign || null);
  setAttribute(more, "aria-label", `Edit the breakpoint on ${name}`);
  setAttribute(stop, "aria-pressed", String(stops));
  setAttribute(stop, "aria-label", `Break before ${name}`);
  setAttribute(stop, "aria-description", SIGN_WORDS[sign] || null);
  setAttribute(stop, "title", stops ? "Remove the breakpoint" : "Break before this event");
}
