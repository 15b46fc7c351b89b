/** The actions of a state as the code has them: their parameters are edited in place. */

import { byId, element, setAttribute, setText } from "../parts/elements.js";
import { placeBeside } from "../parts/popover.js";
import { fieldOf } from "./parameter_fields.js";
import { differentReasons, grey, reasonOf, showRefusal } from "./refusals.js";
import { forgetTyping } from "./sheet_forms.js";

/** @typedef {import("./edits.js").Refusal} Why */
/** @typedef {{index: string, name: string, move: Why|null, remove: Why|null, add?: Why|null,
 *   parameters: {name: string, text: string, why: Why|null}[]}} WrittenAction `add` is there for a
 *   composite: why no action can be added to it */

export class ActionSheet {
  #state = null;
  #place = null;
  #forms = [];

  /**
   * @param {import("./edits.js").Edits} edits
   * @param {import("./gallery.js").Gallery} gallery
   */
  constructor(edits, gallery) {
    this.edits = edits;
    this.gallery = gallery;
    this.popover = byId("action-sheet");
    this.list = byId("action-sheet-list");
    this.list.dataset.empty = "This state has no actions.";
    this.problem = byId("action-sheet-problem");
    forgetTyping(this.popover);
    byId("action-sheet-add").onclick = () => this.#add(null);
    byId("action-sheet-close").onclick = () => this.popover.hidePopover();
    this.list.addEventListener("change", ({ target }) => this.#changed(target));
    this.list.addEventListener("keydown", ({ key, target }) => {
      if (key === "Escape" && target.matches("input:not([type=radio])"))
        target.value = target.dataset.before;
    });
    this.list.addEventListener("click", ({ target }) => this.#clicked(target.closest("[data-do]")));
  }

  /** Open it beside a place. */
  async open({ machine, state }, place) {
    this.#state = { machine, state };
    this.#place = place;
    setText(byId("action-sheet-title"), `Actions of ${state} in ${this.edits.fileName}`);
    showRefusal(this.problem, null);
    this.#forms = await this.edits.forms();
    await this.#load();
    this.popover.showPopover();
    placeBeside(this.popover, place);
    this.#focus(":is(input, select):enabled");
  }

  /** Show the actions; what cannot be edited of them is grey once that is known. */
  #load() {
    const { machine, state } = this.#state;
    let isShown = false;
    return new Promise((resolve) => {
      const show = ({ actions, add_action: whyNotAdd }) => {
        if (!isShown) this.list.replaceChildren(...actions.map((each) => this.#rowOf(each)));
        const isSame = this.list.childElementCount === actions.length;
        const isWanted = isSame && (!isShown || this.popover.matches(":popover-open"));
        isShown = true;
        if (isWanted) this.#grey(actions, whyNotAdd);
        resolve();
        return isWanted;
      };
      this.edits.reasons(machine, state, show).then(resolve);
    });
  }

  /** @param {WrittenAction} action */
  #rowOf({ index, name, parameters, add }) {
    const row = element("li", { data: { index, name } });
    row.style.setProperty("--depth", index.split("/").length - 1);
    const buttons = [
      ...(add === undefined ? [] : [buttonOf("add", `Add an action to ${name}`, "+")]),
      buttonOf("up", `Move ${name} up`, "↑"),
      buttonOf("down", `Move ${name} down`, "↓"),
      buttonOf("remove", `Remove ${name}`, "×"),
    ];
    const known = this.#forms.find((each) => each.name === name)?.parameters ?? [];
    const given = new Map(parameters.map((each) => [each.name, each]));
    const names = [...new Set([...given.keys(), ...known.map((each) => each.name)])];
    const fields = names.map((each) => this.#field(each, given.get(each), known));
    const isGiven = (field) => given.has(field.dataset.parameter);
    const more = fields.filter((field) => !isGiven(field));
    row.append(element("div", { class: "head" }, element("b", {}, name), ...buttons));
    row.append(...fields.filter(isGiven));
    if (more.length) row.append(element("details", {}, element("summary", {}, "more"), ...more));
    row.append(element("div", { class: "why" }));
    return row;
  }

  /** @param {WrittenAction[]} actions */
  #grey(actions, whyNotAdd) {
    grey(byId("action-sheet-add"), whyNotAdd);
    const siblings = new Map();
    for (const [parent] of actions.map(({ index }) => split(index)))
      siblings.set(parent, (siblings.get(parent) ?? 0) + 1);
    actions.forEach(({ index, move, remove, add, parameters }, place) => {
      const row = this.list.children[place];
      const [parent, number] = split(index);
      const ends = { up: number === 0, down: number === siblings.get(parent) - 1 };
      const whysOf = { up: move, down: move, remove, add };
      for (const button of row.querySelectorAll("[data-do]")) {
        grey(button, whysOf[button.dataset.do]);
        button.disabled ||= ends[button.dataset.do] ?? false;
      }
      for (const { name, why } of parameters)
        for (const control of row.querySelectorAll(`[name="${name}"]`)) grey(control, why);
      const whys = differentReasons([move, remove, add, ...parameters.map(({ why }) => why)]);
      row.lastChild.replaceChildren(
        ...whys.map((why) => element("p", {}, ...reasonOf(why, this.edits))),
      );
    });
  }

  #field(name, given, known) {
    const text = { name, kind: "code", required: false, default: "", unit: null, help: "" };
    const parameter = known.find((each) => each.name === name) ?? text;
    const field = fieldOf(parameter, given?.text);
    field.dataset.parameter = name;
    for (const { dataset } of field.querySelectorAll("input, select"))
      Object.assign(dataset, { before: given?.text ?? "", standard: parameter.default ?? "" });
    return field;
  }

  #changed(control) {
    const { before, standard } = control.dataset;
    const value = control.value.trim() || standard;
    const { index } = control.closest("li").dataset;
    if (!value) control.value = before;
    if (!value || value === before) return;
    const { machine, state } = this.#state;
    const edit = { kind: "set", state, index, parameter: control.name, value, machine };
    this.#make(edit, control, `[data-index="${index}"] [name="${control.name}"]`);
  }

  #clicked(button) {
    if (!button) return;
    const { machine, state } = this.#state;
    const { index, name } = button.closest("li").dataset;
    const verb = button.dataset.do;
    if (verb === "add") return this.#add({ index, name });
    if (verb === "remove")
      return this.#make({ kind: "remove-action", state, index, machine }, button, "[data-do=remove]");
    const [parent, number] = split(index);
    const to = number + (verb === "up" ? -1 : 1);
    const next = `[data-index="${parent}${to}"] [data-do=${verb}]:enabled, [data-index="${parent}${to}"] [data-do]:enabled`;
    this.#make({ kind: "move-action", state, index, to, machine }, button, next);
  }

  async #make(edit, control, next, options) {
    setAttribute(this.list, "aria-busy", "true");
    const refusal = await this.edits.make(edit, options);
    setAttribute(this.list, "aria-busy", null);
    setAttribute(control, "aria-invalid", refusal ? "true" : null);
    const everywhere = () => this.#make(edit, control, next, { everywhere: true });
    showRefusal(this.problem, refusal, this.edits, everywhere);
    if (refusal) return control.focus();
    await this.#load();
    this.#focus(next);
  }

  #focus(next) {
    (this.list.querySelector(next) ?? byId("action-sheet-add")).focus();
  }

  /** @param {{index: string, name: string}|null} inside the composite that the action is put into */
  #add(inside) {
    const back = () => this.open(this.#state, this.#place);
    this.popover.hidePopover();
    this.gallery.open(this.#state, this.#place, back, inside);
  }
}

/** The beginning of an index, as of "1/0/" in "1/0/2", and its last number. */
function split(index) {
  const end = index.lastIndexOf("/") + 1;
  return [index.slice(0, end), Number(index.slice(end))];
}

function buttonOf(verb, label, sign) {
  const attributes = { type: "button", class: "icon", data: { do: verb }, "aria-label": label };
  return element("button", attributes, sign);
}
