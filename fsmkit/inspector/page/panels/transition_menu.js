/** The menu of a transition: send its event, set a breakpoint on it, and go to when it was taken. */

import { endsText } from "../parts/breakpoint_words.js";
import { byId, element, setAttribute, setText } from "../parts/elements.js";
import { placeOf } from "../parts/place.js";
import { placeBeside } from "../parts/popover.js";
import { timesTaken } from "../parts/taken.js";
import { answerText, counted, seconds } from "../parts/wording.js";

/** @typedef {import("../graph/drawing.js").TransitionFact} TransitionFact */

export class TransitionMenu {
  /** @type {TransitionFact|null} the one that the menu is of */
  #transition = null;
  #beside = null;
  /** Called when it is of another transition. @type {(transition: TransitionFact, beside: Element) => void} */
  opened = () => {};

  /**
   * @param {import("./breakpoint_editor.js").BreakpointEditor} editor
   * @param {import("./code_lines.js").CodeLines} codeLines
   * @param {import("./events.js").Events} events
   */
  constructor(store, commands, editor, codeLines, events) {
    this.store = store;
    this.commands = commands;
    this.codeLines = codeLines;
    this.events = events;
    this.menu = byId("transition-menu");
    this.source = byId("transition-menu-source");
    this.sending = byId("transition-menu-send");
    this.stop = byId("transition-menu-break");
    this.source.onchange = () => this.#choose(this.source.value);
    this.sending.onclick = () => this.#act((each) => this.send(each));
    this.stop.onclick = () => this.#act((each) => commands.toggleTransition(each));
    byId("transition-menu-more").onclick = () => {
      const { machine, event: name, way } = this.#transition;
      editor.open({ kind: "transition", machine, name, way }, this.menu);
    };
    store.watch("breakpoints connection hello detail moment log status", () => this.#draw());
    store.watch("lines", () => this.#drawPlaces());
  }

  /** Open the menu beside the words of a transition. @param {TransitionFact} transition */
  open(transition, beside) {
    const { machine, sources } = transition;
    this.#transition = transition;
    this.#beside = beside;
    this.opened(transition, beside);
    this.source.parentElement.hidden = !sources.length;
    const current = this.#stateOf(machine);
    this.source.replaceChildren(
      ...sources.map((state) => element("option", { selected: state === current }, state)),
    );
    if (sources.includes(current)) this.#choose(current);
    this.menu.showPopover();
    this.#drawPlaces();
    this.#draw();
    placeBeside(this.menu, beside.getBoundingClientRect());
    this.menu.querySelector(":scope > button:enabled:not([hidden])")?.focus();
  }

  /** Send the event, as its button does. */
  send({ machine, event }) {
    if (!this.store.isLocked) this.events.begin(machine, event);
  }

  /** One of the states that the transition leads from, where it is drawn for several. */
  #choose(source) {
    const way = { ...this.#transition.way, source };
    this.#transition = { ...this.#transition, way };
    this.opened(this.#transition, this.#beside);
    this.#drawPlaces();
    this.#draw();
  }

  #stateOf(machine) {
    const { shown } = this.store;
    const inner = shown?.inner.find((each) => each.machine === machine);
    return (inner ?? shown)?.state ?? null;
  }

  #draw() {
    if (!this.menu.matches(":popover-open")) return;
    const { machine, event, text, way } = this.#transition;
    const { isLocked, isPast } = this.store;
    setText(byId("transition-menu-name"), text);
    setText(byId("transition-menu-way"), endsText({ ...way, rank: 0 }));
    setText(byId("transition-menu-answer"), this.#answerText());
    this.sending.disabled = isLocked;
    setText(this.sending, this.events.asks(machine, event) ? `Send ${event}…` : `Send ${event}`);
    for (const each of [this.sending, this.stop, byId("transition-menu-more")]) each.hidden = isPast;
    const isSet = this.store.hasBreakpoint(machine, "transition", event, way);
    setAttribute(this.stop, "aria-pressed", String(isSet));
    setText(
      this.stop.querySelector("span"),
      isSet ? "Remove the breakpoint" : "Break on this transition",
    );
    this.#drawTaken();
  }

  /** Not with everything else: a line shows for a while that it has been copied. */
  #drawPlaces() {
    const lines = this.#transition ? this.codeLines.ofTransition(this.#transition) : [];
    byId("transition-menu-places").replaceChildren(...lines.map(placeOf));
  }

  /** What its guard said last: `is_fatal said no at 4.25 s`. */
  #answerText() {
    const { machine, event, way } = this.#transition;
    const answered = this.store.shown?.answers?.find(
      (each) =>
        each.machine === machine &&
        each.event === event &&
        each.state === way.source &&
        each.number === way.rank + 1,
    );
    return answered?.guard ? `${answered.guard} said ${answerText(answered)}` : "";
  }

  /** How often it was taken, as far as the log holds it, and the way to when it was. */
  #drawTaken() {
    const times = timesTaken(this.store, this.#transition);
    const { time } = this.store;
    const [before, after] = [
      times.findLast((each) => each < time - SAME),
      times.find((each) => each > time + SAME),
    ];
    const isTold = this.store.hello?.kind !== "crowd";
    byId("transition-menu-taken").hidden = !isTold;
    setText(
      byId("transition-menu-taken"),
      times.length ? `Taken ${counted(times.length, "time")} in the log` : "Not in the log",
    );
    this.#drawTravel(byId("transition-menu-before"), before, "taken last");
    this.#drawTravel(byId("transition-menu-after"), after, "taken next");
  }

  #drawTravel(button, time, what) {
    button.hidden = time === undefined;
    if (time === undefined) return;
    setText(button, `Show when it was ${what}: ${seconds(time)}`);
    button.onclick = () => this.#act(() => this.commands.travel(time));
  }

  #act(act) {
    this.menu.hidePopover();
    act(this.#transition);
  }
}

const SAME = 1e-6; // seconds
