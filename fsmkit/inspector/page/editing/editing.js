/** Editing the code from the page; nothing of it is shown where the program does not allow it. */

import { byId, element } from "../parts/elements.js";
import { ActionSheet } from "./action_sheet.js";
import { Connecting } from "./connecting.js";
import { EditReport } from "./edit_report.js";
import { Edits } from "./edits.js";
import { Gallery } from "./gallery.js";
import { KeptValues } from "./kept_values.js";
import { NameField } from "./name_field.js";
import { NewStates } from "./new_states.js";
import { StateEdits } from "./state_edits.js";
import { TransitionEdits } from "./transition_edits.js";
import { TransitionForm } from "./transition_form.js";

export class Editing {
  /**
   * @param {object} parts the page's parts that it adds to
   * @param {import("./edits.js").CodePane|null} code the code beside the inspector, if there is one
   */
  constructor({ store, commands, graph, stateMenu, transitionMenu, values }, code) {
    this.store = store;
    this.edits = new Edits(store, commands, graph, new EditReport(), code);
    this.kept = new KeptValues(store, this.edits, values);
    const field = new NameField(this.edits);
    const form = new TransitionForm(store, this.edits);
    const gallery = new Gallery(this.edits);
    const actions = new ActionSheet(this.edits, gallery);
    this.newStates = new NewStates(store, this.edits, graph, field);
    new Connecting(store, this.edits, form);
    new StateEdits(this.edits, stateMenu, { field, form, actions, gallery });
    new TransitionEdits(store, this.edits, transitionMenu, form);
    this.open = byId("actions-edit");
    this.open.onclick = () => actions.open(this.#current, this.open.getBoundingClientRect());
    this.add = byId("actions-add");
    this.add.onclick = () => gallery.open(this.#current, this.add.getBoundingClientRect());
    addEventListener("keydown", (event) => this.#pressed(event));
    store.watch("hello connection moment detail", () => this.#offer());
  }

  /** Keys for the help and the page. @returns {import("../parts/shortcuts.js").Shortcut[]} */
  get shortcuts() {
    if (!this.store.hello?.editing) return [];
    return [
      { keys: ["N"], shown: "N", text: "Editing: a new state", run: () => this.newStates.begin() },
      { keys: [], shown: "Enter", text: "Editing: on a state or an arrow, its menu" },
      { keys: [], shown: "F2", text: "Editing: rename the state or the event" },
      { keys: [], shown: "Del", text: "Editing: remove the state or the arrow" },
      { keys: [], shown: "Ctrl Z", text: "Editing: take back the last edit" },
    ];
  }

  /** The innermost current state that is shown among the actions. */
  get #current() {
    const { machine, state } = this.store.shown;
    return { machine, state };
  }

  #offer() {
    const { isOn, file, fileName } = this.edits;
    const isOffered = Boolean(this.store.hello?.editing);
    byId("edited-file").hidden = !isOffered;
    for (const button of [byId("add-state"), this.open, this.add]) {
      button.hidden = !isOffered;
      button.disabled = !isOn || (button !== byId("add-state") && !this.store.shown?.state);
    }
    if (!isOffered) this.edits.report.hide();
    byId("edited-file").replaceChildren("edits ", element("code", {}, fileName));
    byId("edited-file").title = `Edits on this page change ${file}`;
  }

  #pressed(event) {
    const { key, ctrlKey, metaKey, shiftKey, altKey, target } = event;
    const isUndo = key.toLowerCase() === "z" && (ctrlKey || metaKey) && !shiftKey && !altKey;
    if (!isUndo || event.defaultPrevented || !this.edits.isOn) return;
    if (target.matches("input, textarea, select") || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.edits.undo();
  }
}
