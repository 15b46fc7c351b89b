/** The list of machines: search, how many are in each state, and thousands of rows. */

import { byId, element, matchChildren, setAttribute, setText } from "./elements.js";
import { setSwatch } from "./colours.js";
import { Rows } from "./rows.js";
import { counted, stateName } from "./wording.js";

const ROW = 28;
const NOT_RUNNING = null;

export class Machines {
  #found = [];
  #state; // undefined: machines in any state

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.part = byId("machines");
    this.search = byId("machines-search");
    this.list = byId("machines-list");
    this.rows = new Rows(this.list, ROW, (row, machine, index) => this.#fill(row, machine, index), "option");
    this.search.addEventListener("input", () => this.#draw());
    this.search.addEventListener("keydown", (event) => this.#pressed(event));
    this.list.addEventListener("keydown", (event) => this.#pressed(event));
    this.list.addEventListener("click", (event) => this.#clicked(event));
    store.watch("machines selected", () => this.#draw());
  }

  #draw() {
    const { machines } = this.store;
    this.#showPart(machines.size > 1);
    const wanted = this.search.value.trim().toLowerCase();
    const named = [...machines].filter(([machine]) => machine.toLowerCase().includes(wanted));
    this.#drawStates(named);
    const inState = ([, state]) => this.#state === undefined || state === this.#state;
    this.#found = named.filter(inState).map(([machine]) => machine);
    setText(byId("machines-count"), this.#countText(machines.size));
    this.list.dataset.empty = "None is like that.";
    this.rows.show(this.#found);
  }

  #showPart(isShown) {
    this.part.hidden = !isShown;
    document.querySelector("#tabs [data-tab=machines]").hidden = !isShown;
    document.body.classList.toggle("several", isShown);
  }

  #countText(all) {
    const found = this.#found.length;
    return found === all ? all.toLocaleString("en") : `${found.toLocaleString("en")} of ${counted(all, "machine")}`;
  }

  #drawStates(machines) {
    const counts = new Map(this.#state === undefined ? [] : [[this.#state, 0]]);
    for (const [, state] of machines) counts.set(state, (counts.get(state) ?? 0) + 1);
    const chips = [...counts].sort(([a], [b]) => stateName(a).localeCompare(stateName(b)));
    const make = ([state]) => this.#chip(state);
    matchChildren(byId("machines-states"), chips, ([state]) => JSON.stringify(state), make, (chip, [state, count]) => {
      setText(chip.lastChild, count.toLocaleString("en"));
      setAttribute(chip, "aria-pressed", String(state === this.#state));
    });
  }

  #chip(state) {
    const swatch = element("i", { class: "swatch" });
    setSwatch(swatch, state);
    const toggle = () => this.#filter(state);
    const data = state === NOT_RUNNING ? { stopped: "" } : { state };
    return element(
      "button",
      { class: "chip", data, on: { click: toggle } },
      swatch, element("span", { class: "name" }, stateName(state)), element("b"),
    );
  }

  #filter(state) {
    this.#state = this.#state === state ? undefined : state;
    this.#draw();
  }

  #fill(row, machine, index) {
    const state = this.store.machines.get(machine) ?? null;
    if (!row.firstChild) {
      row.append(element("i", { class: "swatch" }), element("span", { class: "name" }), element("span", { class: "soft" }));
    }
    const [swatch, name, where] = row.children;
    setSwatch(swatch, state);
    setText(name, machine);
    setText(where, stateName(state));
    row.dataset.machine = machine;
    row.dataset.state = state ?? "";
    row.id = `machine-row-${index}`;
    this.#mark(row, machine, index);
  }

  #mark(row, machine, index) {
    const isSelected = machine === this.store.selected;
    setAttribute(row, "aria-selected", String(isSelected));
    setAttribute(row, "aria-posinset", String(index + 1));
    setAttribute(row, "aria-setsize", String(this.#found.length));
    if (isSelected) this.list.setAttribute("aria-activedescendant", row.id);
  }

  #clicked(event) {
    const row = event.target.closest(".row");
    if (row) this.commands.select(row.dataset.machine);
  }

  #pressed(event) {
    const last = this.#found.length - 1;
    const at = this.#found.indexOf(this.store.selected);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Enter: Math.max(at, 0) }[event.key]
      ?? (event.target === this.list ? { Home: 0, End: last }[event.key] : undefined);
    if (next === undefined || last < 0) return;
    event.preventDefault();
    const index = Math.min(last, Math.max(0, next));
    this.commands.select(this.#found[index]);
    this.rows.reveal(index);
  }
}
