/** What the menu of a transition offers to edit: where it leads, its event, and to remove it. */

import { byId, element } from "../parts/elements.js";
import { differentReasons, grey, reasonOf } from "./refusals.js";

export class TransitionEdits {
  #transition = null;
  #place = null;

  /**
   * @param {import("./edits.js").Edits} edits
   * @param {import("../panels/transition_menu.js").TransitionMenu} transitionMenu
   * @param {import("./transition_form.js").TransitionForm} form
   */
  constructor(store, edits, transitionMenu, form) {
    this.store = store;
    this.edits = edits;
    this.menu = transitionMenu.menu;
    this.form = form;
    this.part = byId("transition-edits");
    this.why = byId("transition-edits-why");
    const verbs = ["retarget", "rename", "remove"];
    this.buttons = Object.fromEntries(verbs.map((verb) => [verb, byId(`transition-edits-${verb}`)]));
    transitionMenu.opened = (transition, beside) => this.#show(transition, beside);
    this.buttons.retarget.onclick = () => this.#act((each, place) => form.retarget(each, place));
    this.buttons.rename.onclick = () => this.#act((each, place) => form.rename(each, place));
    this.buttons.remove.onclick = () => this.#act((each) => this.removeNow(each));
    byId("graph-pane").addEventListener("keydown", (event) => this.#pressed(event));
  }

  #show(transition, beside) {
    this.#transition = transition;
    this.#place = beside.getBoundingClientRect();
    this.part.hidden = !this.edits.isOn;
    if (this.part.hidden) return;
    this.#grey({});
    const { machine, event, way } = transition;
    this.edits.reasons(machine, way.source || null, ({ transitions }) => {
      const isOpen = transition === this.#transition && this.menu.matches(":popover-open");
      if (isOpen) this.#grey(transitions[event]?.[way.rank] ?? {});
      return isOpen;
    });
  }

  #grey(whys) {
    for (const [verb, button] of Object.entries(this.buttons)) grey(button, whys[verb]);
    const reasons = differentReasons(Object.keys(this.buttons).map((verb) => whys[verb]));
    this.why.hidden = !reasons.length;
    this.why.replaceChildren(...reasons.map((why) => element("p", {}, ...reasonOf(why, this.edits))));
  }

  #act(act) {
    this.menu.hidePopover();
    act(this.#transition, this.#place);
  }

  async removeNow({ machine, event, way: { source, rank } }) {
    const edit = { kind: "remove-transition", source: source || null, event, rank, machine };
    const refusal = await this.edits.make(edit);
    if (refusal) return this.edits.commands.refuse({ message: refusal.reason });
    this.edits.graph.focusOnceShown(machine, source);
  }

  /** F2 and Delete, on a transition that has the focus. */
  #pressed({ key, target, ctrlKey, altKey, metaKey }) {
    const words = target.closest(".label");
    if (!words || !this.edits.isOn || ctrlKey || altKey || metaKey) return;
    const transition = this.store.drawing.transitionOf(words.dataset.of, Number(words.dataset.index));
    if (key === "F2") this.form.rename(transition, words.getBoundingClientRect());
    if (key === "Delete") this.removeNow(transition);
  }
}
