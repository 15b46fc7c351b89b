/** The actions of a state as the code has them: their parameters are edited in place. */

import { byId, element, setAttribute, setText } from "../parts/elements.js";
import { placeBeside } from "../parts/popover.js";
import { fieldOf } from "./parameter_fields.js";
import { differentReasons, grey, reasonOf, showRefusal } from "./refusals.js";
import { forgetTyping } from "./sheet_forms.js";

/** @typedef {import("./edits.js").Refusal} Why */
/** @typedef {{index: string, name: string, move: Why|null, remove: Why|null,
 *   parameters: {name: string, text: string, why: Why|null}[]}} WrittenAction */

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
    byId("action-sheet-add").onclick = () => this.#add();
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
  #rowOf({ index, name, parameters }) {
    const row = element("li", { data: { index } });
    row.style.setProperty("--depth", index.split("/").length - 1);
    const isInner = index.includes("/");
    const buttons = isInner
      ? []
      : [
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
    const last = actions.filter(({ index }) => !index.includes("/")).length - 1;
    actions.forEach(({ index, move, remove, parameters }, place) => {
      const row = this.list.children[place];
      const ends = { up: index === "0", down: index === String(last), remove: false };
      for (const button of row.querySelectorAll("[data-do]")) {
        grey(button, button.dataset.do === "remove" ? remove : move);
        button.disabled ||= ends[button.dataset.do];
      }
      for (const { name, why } of parameters)
        for (const control of row.querySelectorAll(`[name="${name}"]`)) grey(control, why);
      const whys = differentReasons([move, remove, ...parameters.map(({ why }) => why)]);
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
    const index = Number(button.closest("li").dataset.index);
    const verb = button.dataset.do;
    if (verb === "remove")
      return this.#make({ kind: "remove-action", state, index, machine }, button, "[data-do=remove]");
    const to = index + (verb === "up" ? -1 : 1);
    this.#make({ kind: "move-action", state, index, to, machine }, button, `[data-index="${to}"] [data-do]:enabled`);
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

  #add() {
    const back = () => this.open(this.#state, this.#place);
    this.popover.hidePopover();
    this.gallery.open(this.#state, this.#place, back);
  }
}

function buttonOf(verb, label, sign) {
  const attributes = { type: "button", class: "icon", data: { do: verb }, "aria-label": label };
  return element("button", attributes, sign);
}
