/** What a frame costs: measured from "Measure" to "Stop", with the ten parts that cost most. */

import { byId, element, matchChildren, setLongText, setText } from "../parts/elements.js";
import { counted, microseconds, percent } from "../parts/wording.js";

const INTERVAL = 1_000; // milliseconds between two requests
const MOST_MACHINES = 10;

export class Costs {
  #isMeasuring = false;
  #isAsking = false;

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.button = byId("costs-measure");
    this.button.onclick = () => this.#measure(!this.#isMeasuring);
    store.watch("hello connection", () => this.#draw());
    store.watch("hello", () => this.#isMeasuring && this.#measure(true)); // the connection is a new one
    setInterval(() => this.#ask(), INTERVAL);
  }

  #draw() {
    const { hello, isConnected } = this.store;
    byId("costs-part").hidden = !hello?.measures;
    byId("costs").hidden = !this.#isMeasuring;
    setText(this.button, this.#isMeasuring ? "Stop" : "Measure");
    this.button.disabled = !isConnected;
  }

  async #measure(on) {
    if (!this.#isMeasuring) this.#show(null);
    this.#isMeasuring = on;
    this.#draw();
    await this.commands.ask("measure", { on });
  }

  async #ask() {
    const { isConnected } = this.store;
    if (!this.#isMeasuring || this.#isAsking || !isConnected || document.hidden) return;
    this.#isAsking = true;
    const answer = await this.commands.connection.ask("costs").catch(() => null); // the next one will do
    this.#isAsking = false;
    if (answer?.costs && this.#isMeasuring) this.#show(answer.costs);
  }

  /** Show a table; null before there is one. */
  #show(table) {
    setText(byId("costs-frame"), frameText(table));
    const costOf = ({ machine }) => ownOf(machine, table).reduce((sum, { own }) => sum + own, 0);
    const dearest = [...(table?.machines ?? [])].sort((a, b) => costOf(b) - costOf(a));
    const machines = table?.frames ? dearest.slice(0, MOST_MACHINES) : [];
    matchChildren(byId("costs-machines"), machines, ({ machine }) => machine, make, (row, each) =>
      this.#fillMachine(row, each, table),
    );
    const parts = table?.frames ? table.parts : [];
    const key = ({ machine, state, title }) => JSON.stringify([machine, state, title]);
    matchChildren(byId("costs-parts"), parts, key, make, (row, part) => this.#fillPart(row, part, table));
    byId("costs-worst").hidden = !parts.length;
  }

  #fillMachine(row, { machine, mean, worst, updates }, table) {
    const states = ownOf(machine, table);
    const cost = states.reduce((sum, each) => sum + each.own, 0);
    const about = states.map(({ state, own: time }) => `${state || "not running"} ${microseconds(time)}`);
    const more = `${counted(updates, "update")} of ${microseconds(mean)}, at worst ${microseconds(worst)}`;
    const place = about.join(" · ");
    this.#fill(row, { machine, title: machine, place, cost, frame: table.mean, more });
  }

  #fillPart(row, { machine, state, title, own, whole, worst, calls }, { mean: frame, machines }) {
    const place = machines.length > 1 ? `${state} · ${machine}` : state;
    const within = whole - own > 0.005 ? `; with what it calls ${microseconds(whole)}` : "";
    const more = `${counted(calls, "call")}, the longest ${microseconds(worst)}${within}`;
    this.#fill(row, { machine, title, place, cost: own, frame, more });
  }

  #fill(row, { machine, title, place, cost, frame, more }) {
    const [button, time] = row.children;
    const share = Math.min(1, frame ? cost / frame : 0);
    setLongText(button.firstChild, title);
    setLongText(button.lastChild, place);
    button.onclick = () => this.commands.selectOuter(machine);
    button.disabled = !this.#isListed(machine);
    setText(time, microseconds(cost));
    row.title = `${percent(share)} of a frame. ${more}`;
    row.style.setProperty("--share", share);
  }

  /** False for a title that stands for several machines. */
  #isListed(machine) {
    const names = [...this.store.machines.keys()];
    return names.some((name) => machine === name || machine.startsWith(`${name}/`));
  }
}

/** What a machine costs in each of its states, the most expensive first. */
const ownOf = (machine, { states }) =>
  states.filter((each) => each.machine === machine).sort((a, b) => b.own - a.own);

function frameText(table) {
  if (!table) return "The first frames are being measured …";
  const { frames, measured, mean, worst, outside } = table;
  if (!frames) return "No update yet.";
  return (
    `${microseconds(mean)} a frame, at worst ${microseconds(worst)}; ${microseconds(outside)} between two frames. ` +
    `${counted(frames, "frame")}, ${measured.toLocaleString("en")} of them in detail.`
  );
}

const make = () =>
  element(
    "li",
    {},
    element("button", { type: "button" }, element("b", {}), element("span", { class: "soft" })),
    element("span", { class: "time" }),
  );
