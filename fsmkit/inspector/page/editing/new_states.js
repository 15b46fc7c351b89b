/** New states: by a double click on the empty graph, by a button, or by a key. */

import { byId } from "../parts/elements.js";

const TAKEN = "[data-state], .label, .reach, .stub, .fold";

export class NewStates {
  /**
   * @param {import("./edits.js").Edits} edits
   * @param {import("./name_field.js").NameField} field
   */
  constructor(store, edits, graph, field) {
    this.store = store;
    this.edits = edits;
    this.graph = graph;
    this.field = field;
    this.pane = byId("graph-pane");
    this.button = byId("add-state");
    this.button.onclick = () => this.begin();
    this.pane.addEventListener("dblclick", (event) => this.#doubleClicked(event));
  }

  /** Ask for the name of a new state in the middle of the graph. */
  begin() {
    if (this.edits.isOn && this.store.detail) this.#ask(this.pane.getBoundingClientRect());
  }

  #doubleClicked({ target, clientX: x, clientY: y }) {
    const { drawing, detail } = this.store;
    if (!this.edits.isOn || !drawing || !detail || target.closest(TAKEN)) return;
    const around = drawing.clusters.get(target.closest(".cluster")?.id)?.machine;
    this.#ask({ left: x, right: x, top: y, bottom: y }, around);
  }

  #ask(place, machine = this.store.detail.machine) {
    const editFor = (name) => ({ kind: "add-state", name, machine });
    this.field.open("New state", "", place, editFor, (name) => this.graph.focusOnceShown(machine, name));
  }
}
