/** A tile for each machine; where there is no room for all, for those that need attention. */

import { fillMarks, makeMarks } from "../all/marks.js";
import { setSwatch } from "../parts/colours.js";
import { byId, element, matchChildren, setText } from "../parts/elements.js";
import { seconds, stateName } from "../parts/wording.js";

const SIZES = [
  { name: "large", width: 232, height: 104 },
  { name: "medium", width: 168, height: 76 },
  { name: "small", width: 124, height: 54 },
];
const GAP = 8;

export class Tiles {
  /** True if there is a tile for every machine. */
  showsAll = true;

  constructor(store) {
    this.store = store;
    this.place = byId("dashboard-tiles");
  }

  /** Draw the tiles; return the machines, those with a tile first. */
  draw() {
    const { hello, machines: rows } = this.store;
    const machines = [...rows.keys()].slice(hello?.kind === "crowd" ? 1 : 0); // it is in many states
    const room = this.place.parentElement.clientHeight;
    const size = SIZES.find((each) => this.#fitting(each, room) >= machines.length);
    this.showsAll = size !== undefined;
    const inOrder = size ? machines : this.#worstFirst(machines);
    const shown = size ? machines : inOrder.slice(0, this.#fitting(SIZES[1], room / 3));
    this.place.dataset.size = (size ?? SIZES[1]).name;
    matchChildren(this.place, shown, String, makeTile, (tile, machine) => this.#fill(tile, machine));
    return inOrder;
  }

  #fitting({ width, height }, room) {
    const columns = Math.floor((this.place.clientWidth + GAP) / (width + GAP));
    return columns * Math.max(1, Math.floor((room + GAP) / (height + GAP)));
  }

  /** Those with errors, then those with unhandled events, then those longest in their state. */
  #worstFirst(machines) {
    const { roster } = this.store.everyone;
    const inOrder = machines.map((machine, index) => ({ machine, index }));
    inOrder.sort(
      (a, b) =>
        roster.errors(b.machine) - roster.errors(a.machine) ||
        roster.unhandled(b.machine) - roster.unhandled(a.machine) ||
        roster.since(a.machine) - roster.since(b.machine) ||
        a.index - b.index,
    );
    return inOrder.map(({ machine }) => machine);
  }

  #fill(tile, machine) {
    const { machines, status, everyone } = this.store;
    const state = machines.get(machine) ?? null;
    const [head, where] = tile.children;
    setSwatch(tile, state);
    setText(head.firstChild, machine);
    fillMarks([...head.children].slice(1), everyone.roster, machine);
    setText(where.firstChild, stateName(state));
    const time = Math.max(0, status.clock - everyone.roster.since(machine));
    setText(where.lastChild, state === null ? "" : seconds(Math.floor(time), 0));
    tile.dataset.machine = machine;
    tile.dataset.trouble = everyone.roster.errors(machine)
      ? "errors"
      : everyone.roster.unhandled(machine)
        ? "unhandled"
        : "";
  }
}

function makeTile() {
  const head = element("p", {}, element("b", { class: "name" }), ...makeMarks());
  const where = element("p", {}, element("span", { class: "name" }), element("span", { class: "soft" }));
  return element("li", {}, head, where);
}
