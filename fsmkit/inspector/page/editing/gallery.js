/**
 * The gallery of actions: search, choose one, fill in its form, and it is added to a state.
 *
 * For a composite, such as Sequence, its first action is chosen next: it is written with that inside.
 */

import { byId, element, setText } from "../parts/elements.js";
import { placeBeside } from "../parts/popover.js";
import { fieldOf, filledIn } from "./parameter_fields.js";
import { showRefusal } from "./refusals.js";
import { setUpForm } from "./sheet_forms.js";

export class Gallery {
  #state = null;
  #chosen = null;
  #inside = null; // the place of the composite that the action is put into
  #within = null; // the name of a new composite around it
  #forms = [];
  #done = () => {};

  /** @param {import("./edits.js").Edits} edits */
  constructor(edits) {
    this.edits = edits;
    this.popover = byId("gallery");
    this.choice = byId("gallery-choice");
    this.topic = byId("gallery-topic");
    this.list = byId("gallery-list");
    this.form = byId("action-form");
    this.problem = byId("action-form-problem");
    this.choice.oninput = () => this.#list();
    this.choice.onkeydown = (event) => this.#pressed(event);
    setUpForm(this.popover, this.form, () => this.#submit(), () => this.#show(null));
    byId("action-form-back").onclick = () => this.#choose(null);
  }

  /**
   * Open it beside a place, for a state.
   *
   * @param {() => void} [done] called after an action was added
   * @param {{index: string, name: string}|null} [inside] the composite that it is put into
   */
  async open({ machine, state }, place, done = () => {}, inside = null) {
    this.#state = { machine, state };
    this.#done = done;
    this.search.value = "";
    this.topic.value = "";
    this.#inside = inside;
    this.popover.showPopover();
    this.#choose(null);
    placeBeside(this.popover, place);
    this.#forms = await this.edits.forms();
    this.#fill();
  }

  get search() {
    return byId("gallery-search");
  }

  #nameIt() {
    const { state } = this.#state;
    const owner = this.#inside ? `${this.#inside.name} of ${state}` : state;
    const what = this.#within ? `${this.#within}: its first action` : "an action";
    setText(byId("gallery-title"), `Add ${what} to ${owner} in ${this.edits.fileName}`);
  }

  #fill() {
    const topics = [...new Set(this.#forms.map(({ topic }) => topic))];
    this.topic.replaceChildren(
      element("option", { value: "" }, "All topics"),
      ...topics.map((topic) => element("option", { value: topic }, topic)),
    );
    this.#list();
  }

  #list() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ name, summary, topic }) => {
      const text = `${name} ${summary} ${topic}`.toLowerCase();
      return (!this.topic.value || topic === this.topic.value) && words.every((word) => text.includes(word));
    };
    const found = this.#forms.filter((each) => fits(each) && !(this.#within && each.holds));
    const isNamed = ({ name }) => words.some((word) => name.toLowerCase().startsWith(word));
    found.sort((one, other) => isNamed(other) - isNamed(one));
    this.list.dataset.empty = this.#forms.length ? "No action is like that." : "…";
    const back = { type: "button", on: { click: () => this.#choose(null) } };
    const all = this.#within ? [element("li", {}, element("button", back, "← All actions"))] : [];
    this.list.replaceChildren(...all, ...found.map((each) => this.#entry(each)));
  }

  #entry(action) {
    const choose = { type: "button", on: { click: () => this.#choose(action) } };
    const summary = element("span", { class: "soft" }, ...withCode(action.summary));
    return element("li", {}, element("button", choose, element("b", {}, action.name), summary));
  }

  /** The arrow keys walk through the list; Enter in the search field chooses the first. */
  #pressed(event) {
    const { key, target } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const isFirst = key === "Enter" && target === this.search;
    if (target === this.topic || !(step || isFirst)) return;
    event.preventDefault();
    const buttons = [...this.list.querySelectorAll("button")];
    if (isFirst) return buttons[this.#within ? 1 : 0]?.click();
    (buttons[buttons.indexOf(target) + step] ?? this.search).focus();
  }

  /** Show the form of an action; null shows the gallery. */
  #choose(action) {
    const isAround = action?.holds ?? false;
    this.#chosen = isAround ? null : action;
    if (isAround || !action) this.#within = isAround ? action.name : null;
    this.choice.hidden = this.#chosen !== null;
    this.form.hidden = this.#chosen === null;
    this.#show(null);
    this.#nameIt();
    if (!this.#chosen) {
      if (isAround) this.search.value = this.topic.value = "";
      this.#list();
      return this.search.focus();
    }
    setText(byId("action-form-name"), action.name);
    byId("action-form-summary").replaceChildren(...withCode(action.summary));
    const { parameters } = action;
    const required = parameters.filter((each) => each.required);
    const others = parameters.filter((each) => !each.required);
    byId("action-form-required").replaceChildren(...required.map((each) => fieldOf(each)));
    byId("action-form-others").replaceChildren(...others.map((each) => fieldOf(each)));
    byId("action-form-more").hidden = !others.length;
    byId("action-form-more").open = !required.length;
    this.form.scrollTop = 0;
    (this.form.querySelector(".parameter :is(input, select)") ?? byId("action-form-add")).focus();
  }

  async #submit(options) {
    const { machine, state } = this.#state;
    const parameters = filledIn(this.form);
    this.form.setAttribute("aria-busy", "true");
    const where = { inside: this.#inside?.index ?? null, within: this.#within };
    const edit = { kind: "add-action", state, action: this.#chosen.name, parameters, ...where, machine };
    const refusal = await this.edits.make(edit, options);
    this.form.removeAttribute("aria-busy");
    this.#show(refusal);
    if (refusal) return;
    this.popover.hidePopover();
    this.edits.focus(machine, state);
    this.#done();
  }

  #show(refusal) {
    showRefusal(this.problem, refusal, this.edits, () => this.#submit({ everywhere: true }));
  }
}

/** A text whose `names` are code. */
const withCode = (text) =>
  text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
