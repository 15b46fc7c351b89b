/** What the menu of a state offers to edit: its name, transitions, actions, groups, and its end. */

import { byId, element, setText } from "../parts/elements.js";
import { differentReasons, grey, reasonOf } from "./refusals.js";

export class StateEdits {
  #state = null;

  /**
   * @param {import("./edits.js").Edits} edits
   * @param {import("../panels/state_menu.js").StateMenu} stateMenu
   * @param {{field: import("./name_field.js").NameField, form: import("./transition_form.js").TransitionForm,
   *   actions: import("./action_sheet.js").ActionSheet, gallery: import("./gallery.js").Gallery}} sheets
   */
  constructor(edits, stateMenu, { field, form, actions, gallery }) {
    this.edits = edits;
    this.menu = stateMenu.menu;
    this.part = byId("state-edits");
    this.why = byId("state-edits-why");
    this.rename = byId("state-edits-rename");
    this.remove = byId("state-edits-remove");
    this.final = byId("state-edits-final");
    this.groups = byId("state-edits-groups");
    this.field = field;
    stateMenu.opened = (state, beside) => this.#show(state, beside);
    this.rename.onclick = () => this.#act((state, place) => this.renameAt(state, place));
    this.remove.onclick = () => this.#act((state) => this.removeNow(state));
    byId("state-edits-transition").onclick = () =>
      this.#act(({ machine, state: source }, place) => form.add({ machine, source }, place));
    byId("state-edits-actions").onclick = () => this.#act((state, place) => actions.open(state, place));
    byId("state-edits-add").onclick = () => this.#act((state, place) => gallery.open(state, place));
    byId("graph-pane").addEventListener("keydown", (event) => this.#pressed(event));
  }

  #show(state, beside) {
    this.#state = { ...state, place: beside.getBoundingClientRect() };
    this.part.hidden = !this.edits.isOn;
    if (this.part.hidden) return;
    this.#know({ state: {} });
    const asked = this.#state;
    this.edits.reasons(state.machine, state.state, (reasons) => {
      const isOpen = asked === this.#state && this.menu.matches(":popover-open");
      if (isOpen) this.#know(reasons);
      return isOpen;
    });
  }

  /** Show what is known: what cannot be edited is grey. */
  #know({ state: { rename, remove, final: whyNotFinal }, final: isFinal, groups = [] }) {
    grey(this.rename, rename);
    grey(this.remove, remove);
    grey(this.final, whyNotFinal);
    this.final.hidden = isFinal === undefined;
    setText(this.final, isFinal ? "Not final any more" : "Make it final");
    this.final.onclick = () => this.#act((state) => this.#setFinal(state, !isFinal));
    this.groups.replaceChildren(...groups.map((group) => this.#buttonOf(group)));
    const whys = differentReasons([rename, remove, whyNotFinal, ...groups.map(({ why }) => why)]);
    this.why.hidden = !whys.length;
    this.why.replaceChildren(...whys.map((why) => element("p", {}, ...reasonOf(why, this.edits))));
    for (const line of this.why.querySelectorAll(".code-line")) line.setAttribute("role", "menuitem");
  }

  #buttonOf({ name, has, why }) {
    const words = has ? `Take it out of the group ${name}` : `Add it to the group ${name}`;
    const kind = has ? "remove-from-group" : "add-to-group";
    const edit = ({ machine, state }) => this.#make({ kind, group: name, state, machine });
    const button = element("button", { role: "menuitem", on: { click: () => this.#act(edit) } }, words);
    grey(button, why);
    return button;
  }

  #act(act) {
    const { place, ...state } = this.#state;
    this.menu.hidePopover();
    act(state, place);
  }

  /** Ask for another name where the state is. */
  renameAt({ machine, state }, place) {
    const editFor = (name) => ({ kind: "rename-state", state, name, machine });
    const done = (name) => this.edits.graph.focusOnceShown(machine, name);
    this.field.open("Rename the state", state, place, editFor, done);
  }

  async removeNow({ machine, state }) {
    const refusal = await this.edits.make({ kind: "remove-state", state, machine });
    if (refusal) return this.edits.commands.refuse({ message: refusal.reason });
    byId("graph-pane").focus({ preventScroll: true });
  }

  #setFinal({ machine, state }, final) {
    return this.#make({ kind: "set-final", state, final, machine });
  }

  /** Make an edit after which the state is still there; of several machines, ask first. */
  async #make(edit) {
    const refusal = await this.edits.make(edit);
    const everywhere = () => this.edits.make(edit, { everywhere: true });
    if (refusal?.shared?.length) return this.edits.report.ask(refusal, everywhere);
    if (refusal) return this.edits.commands.refuse({ message: refusal.reason });
    this.edits.focus(edit.machine, edit.state);
  }

  /** F2 and Delete, on a state that has the focus. */
  #pressed({ key, target, ctrlKey, altKey, metaKey }) {
    const part = target.closest(".node[data-state]");
    if (!part || !this.edits.isOn || ctrlKey || altKey || metaKey) return;
    const { machine, state } = part.dataset;
    if (key === "F2") this.renameAt({ machine, state }, part.getBoundingClientRect());
    if (key === "Delete") this.removeNow({ machine, state });
  }
}
