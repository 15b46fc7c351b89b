/** Two recordings beside each other: the difference at this moment, and the values that differ. */

import { byId, element, matchChildren, setLongText, setText } from "../parts/elements.js";
import { counted } from "../parts/wording.js";

const SAME = 1e-6; // seconds

export class Comparison {
  constructor(store, commands) {
    this.store = store;
    this.part = byId("difference");
    byId("difference-first").onclick = () => this.#goToFirst(commands);
    byId("difference-last").onclick = () => commands.goToDifference(false);
    byId("difference-next").onclick = () => commands.goToDifference(true);
    store.watch("hello", () => this.#greet());
    store.watch("hello status selected", () => this.#draw());
    store.watch("detail", () => this.#drawValues(store.shown));
  }

  get #differences() {
    return this.store.hello?.differences ?? [];
  }

  #greet() {
    const isComparison = this.store.hello?.kind === "comparison";
    byId("difference-buttons").hidden = !isComparison || !this.#differences.length;
    byId("differs-part").hidden = !isComparison;
  }

  async #goToFirst(commands) {
    const [first] = this.#differences;
    await commands.travel(first.time);
    commands.selectOuter(first.machine);
  }

  #draw() {
    const { selected, status } = this.store;
    const isHere = ({ time, machine }) =>
      Math.abs(time - status.clock) < SAME &&
      (machine === selected || machine.startsWith(`${selected}/`));
    const found = this.#differences.filter(isHere);
    this.part.hidden = !found.length;
    const keyOf = ({ machine, first, second }) => JSON.stringify([machine, first, second]);
    matchChildren(this.part, found.slice(0, 3), keyOf, make, () => {});
    const index = this.#differences.findIndex(isHere);
    const all = counted(this.#differences.length, "difference");
    setText(byId("difference-count"), index < 0 ? all : `${index + 1} of ${all}`);
  }

  #drawValues(detail) {
    const values = detail?.differs ?? [];
    const list = byId("differs");
    list.dataset.empty = "Nothing differs at this moment.";
    matchChildren(list, values, ([name]) => name, makeValue, updateValue);
  }
}

function make({ note, machine, first, second }) {
  return element(
    "div",
    {},
    element("p", { class: "soft" }, [machine, note].filter(Boolean).join(": ")),
    side("A", first),
    side("B", second),
  );
}

function side(name, lines) {
  const texts = lines.length ? lines : ["nothing"];
  return element(
    "div",
    { class: "side", data: { side: name } },
    element("b", {}, name),
    element("ul", {}, ...texts.map((line) => element("li", {}, line))),
  );
}

function makeValue([name]) {
  return element(
    "div",
    { data: { differs: name } },
    element("p", {}, name),
    element("p", { data: { side: "A" } }, element("b", {}, "A"), element("code")),
    element("p", { data: { side: "B" } }, element("b", {}, "B"), element("code")),
  );
}

function updateValue(row, [, first, second]) {
  setLongText(row.children[1].lastChild, first);
  setLongText(row.children[2].lastChild, second);
}
