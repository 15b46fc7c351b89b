/** The form of a transition: from which state, for which event, to which state. */

import { byId, element, setAttribute, setText } from "../parts/elements.js";
import { placeBeside } from "../parts/popover.js";
import { showRefusal } from "./refusals.js";
import { setUpForm } from "./sheet_forms.js";

const BACK = "BACK"; // as edits call this target
const ALWAYS_KNOWN = ["FINISHED", "FAILED", "ERROR"];

/** @typedef {{machine: string, source: string, event?: string, target?: string|null}} Ends */

export class TransitionForm {
  #ask = null;
  #machine = null;

  /** @param {import("./edits.js").Edits} edits */
  constructor(store, edits) {
    this.store = store;
    this.edits = edits;
    this.popover = byId("transition-form");
    this.form = this.popover.querySelector("form");
    this.problem = byId("transition-form-problem");
    setUpForm(this.popover, this.form, () => this.#submit(), () => this.#show(null));
    byId("transition-form-cancel").onclick = () => this.popover.hidePopover();
  }

  /** Ask for a new transition. @param {Ends} ends as far as they are known */
  add(ends, place) {
    const { machine } = ends;
    const editFor = ({ source, event, target }) =>
      ({ kind: "add-transition", source: source || null, event, target, machine });
    this.#open("Add a transition", "Add", ends, ["source", "event", "target"], place, editFor);
  }

  /** Ask where a transition is to lead. @param {import("../graph/drawing.js").TransitionFact} transition */
  retarget({ machine, event, way: { source, target, rank } }, place) {
    const editFor = (ends) =>
      ({ kind: "retarget", source: source || null, event, target: ends.target, rank, machine });
    this.#open(`${event} leads to`, "Change", { machine, source, event, target }, ["target"], place, editFor);
  }

  /** Ask for another event. @param {import("../graph/drawing.js").TransitionFact} transition */
  rename({ machine, event, way: { source, target, rank } }, place) {
    const editFor = (ends) =>
      ({ kind: "rename-event", source: source || null, event, new_event: ends.event, rank, machine });
    this.#open("Rename the event", "Rename", { machine, source, event, target }, ["event"], place, editFor);
  }

  #open(title, verb, ends, asked, place, editFor) {
    const { source, event, target } = this.form.elements;
    const states = this.#statesOf(ends.machine);
    this.#ask = editFor;
    this.#machine = ends.machine;
    setText(byId("transition-form-title"), title);
    setText(byId("transition-form-do"), verb);
    source.replaceChildren(...states.map(optionOf), element("option", { value: "" }, "any state"));
    const back = states.includes(BACK) ? [] : [element("option", { value: BACK }, "back to what was suspended")];
    target.replaceChildren(...states.map(optionOf), ...back);
    source.value = ends.source;
    target.value = ends.target ?? states.find((each) => each !== ends.source) ?? states[0];
    event.value = ends.event ?? "";
    for (const field of [source, event, target]) {
      const isAsked = asked.includes(field.name);
      field.closest("label").hidden = !isAsked;
      field.disabled = !isAsked;
    }
    this.#suggest(ends.machine);
    this.#show(null);
    this.popover.showPopover();
    placeBeside(this.popover, place);
    const first = asked.includes("event") ? event : target;
    first.focus();
    first.select?.();
  }

  #statesOf(machine) {
    const { detail, drawing } = this.store;
    if (detail?.machine === machine) return detail.states;
    const nodes = [...(drawing?.nodes.values() ?? [])];
    return nodes.filter((node) => node.machine === machine).map(({ state }) => state);
  }

  #suggest(machine) {
    const edges = [...(this.store.drawing?.edges.values() ?? [])];
    const own = edges.filter((edge) => edge.machine === machine).flatMap(({ events }) => events);
    const events = [...new Set([...own.sort(), ...ALWAYS_KNOWN])];
    byId("transition-form-known").replaceChildren(...events.map((value) => element("option", { value })));
  }

  async #submit(options) {
    const { source, event, target } = this.form.elements;
    const ends = { source: source.value, event: event.value.trim(), target: target.value };
    setAttribute(this.form, "aria-busy", "true");
    const refusal = await this.edits.make(this.#ask(ends), options);
    setAttribute(this.form, "aria-busy", null);
    this.#show(refusal);
    if (refusal) return;
    this.popover.hidePopover();
    this.edits.focus(this.#machine, source.value);
  }

  #show(refusal) {
    showRefusal(this.problem, refusal, this.edits, () => this.#submit({ everywhere: true }));
  }
}

const optionOf = (state) => element("option", { value: state }, state);
