/** The list of machines: a search, a count per state, and thousands of rows. */

import { setSwatch } from "../parts/colours.js";
import { byId, element, setAttribute, setText } from "../parts/elements.js";
import { Rows } from "../parts/rows.js";
import { counted, stateName } from "../parts/wording.js";
import { fillMarks, makeMarks } from "../all/marks.js";
import { TroubleChips } from "../all/trouble_chips.js";
import { StateChips } from "./state_chips.js";

const ROW = matchMedia("(pointer: coarse)").matches ? 40 : 28;

export class Machines {
  #found = [];
  #second = 0;

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.part = byId("machines");
    this.search = byId("machines-search");
    this.list = byId("machines-list");
    this.states = new StateChips(() => this.#draw());
    this.troubles = new TroubleChips(store, () => this.#draw());
    const fill = (row, machine, index) => this.#fill(row, machine, index);
    this.rows = new Rows(this.list, ROW, fill, "option");
    this.search.addEventListener("input", () => this.#draw());
    this.search.addEventListener("keydown", (event) => this.#pressed(event));
    this.list.addEventListener("keydown", (event) => this.#pressed(event));
    this.list.addEventListener("click", (event) => this.#clicked(event));
    store.watch("machines selected marks", () => this.#draw());
    store.watch("status", () => this.#tick());
    store.watch("selected", () => this.rows.reveal(this.#found.indexOf(store.selected)));
  }

  #draw() {
    const { machines } = this.store;
    const isCrowd = this.store.hello?.kind === "crowd";
    this.#showPart(machines.size > 1 || isCrowd);
    const wanted = this.search.value.trim().toLowerCase();
    const named = [...machines].filter(([machine]) => machine.toLowerCase().includes(wanted));
    const troubled = named
      .filter(([machine, state]) => this.troubles.fits(machine, state))
      .map(([machine]) => [machine, this.store.stateOf(machine)]);
    this.troubles.count(named);
    this.states.count(
      troubled
        .filter(([machine, state]) => !this.#isWhole(machine) && state !== undefined)
        .map(([, state]) => state),
    );
    this.#found = troubled
      .filter(([, state]) => this.states.fits(state))
      .map(([machine]) => machine);
    this.store.everyone.roster.found = this.#found;
    this.store.changed("found");
    setText(byId("machines-count"), this.#countText(machines.size));
    this.list.classList.toggle("empty", !this.#found.length);
    this.rows.show(this.#found);
  }

  /** Once a second of the machines' time some may have been stuck for long. */
  #tick() {
    const second = Math.floor(this.store.status.clock);
    if (second !== this.#second) this.#draw();
    this.#second = second;
  }

  #showPart(isShown) {
    this.part.hidden = !isShown;
    document.querySelector("#tabs [data-tab=machines]").hidden = !isShown;
    document.body.classList.toggle("several", isShown);
    const { dataset } = document.body;
    if (!isShown && dataset.tab === "machines") dataset.tab = "graph";
  }

  #countText(all) {
    const found = this.#found.length;
    return found === all
      ? all.toLocaleString("en")
      : `${found.toLocaleString("en")} of ${counted(all, "machine")}`;
  }

  #fill(row, machine, index) {
    const known = this.store.stateOf(machine);
    const state = known ?? null;
    if (!row.firstChild) addParts(row);
    const [swatch, name, ...rest] = row.children;
    const where = rest.pop();
    fillMarks(rest, this.store.everyone.roster, machine);
    setSwatch(swatch, state);
    setText(name, machine);
    const isSuspended = this.store.isSuspended(machine) && !this.store.group;
    const text = this.#isWhole(machine)
      ? "all"
      : known === undefined
        ? this.store.group.why(machine)
        : stateName(state);
    setText(where, isSuspended ? `‖ ${text}` : text);
    where.title = isSuspended ? "Suspended by the page" : "";
    setAttribute(row, "data-suspended", isSuspended);
    row.dataset.machine = machine;
    row.dataset.state = state ?? "";
    row.id = `machine-row-${index}`;
    this.#mark(row, machine, index);
  }

  /** True for the row of a crowd, which is in many states. */
  #isWhole(machine) {
    return this.store.hello?.kind === "crowd" && machine === this.store.firstMachine;
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
    const next =
      { ArrowDown: at + 1, ArrowUp: at - 1, Enter: Math.max(at, 0) }[event.key] ??
      (event.target === this.list ? { Home: 0, End: last }[event.key] : undefined);
    if (next === undefined || last < 0) return;
    event.preventDefault();
    this.commands.select(this.#found[Math.min(last, Math.max(0, next))]);
  }
}

function addParts(row) {
  const swatch = element("i", { class: "swatch" });
  const name = element("span", { class: "name" });
  row.append(swatch, name, ...makeMarks(), element("span", { class: "soft" }));
}
