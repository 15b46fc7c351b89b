/** What the checks say of the selected machine: a button beside the graph, a list, marks in it. */

import { byId, element, setText } from "../parts/elements.js";
import { placeOf } from "../parts/place.js";
import { placeBeside } from "../parts/popover.js";
import { counted } from "../parts/wording.js";

const AGAIN = 500; // milliseconds until a check that takes its time is asked again

export class Findings {
  #wanted = "";
  #found = [];
  #timer = 0;

  constructor(store, connection, graph) {
    this.store = store;
    this.connection = connection;
    this.graph = graph;
    this.button = byId("findings-open");
    this.menu = byId("findings");
    this.button.onclick = () => this.#open();
    this.menu.addEventListener("toggle", ({ newState }) => {
      if (newState === "closed") this.#point([]);
    });
    store.watch("detail", () => this.#load());
    store.watch("drawing", () => this.#mark());
  }

  #load() {
    const { detail, isPast } = this.store;
    const wanted = detail && !isPast ? `${detail.graph} ${detail.machine}` : "";
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    clearTimeout(this.#timer);
    this.#show([]);
    if (wanted) this.#ask(wanted, detail.machine);
  }

  async #ask(wanted, machine) {
    let answer = null;
    try {
      answer = await this.connection.ask("findings", { machine });
    } catch {
      if (wanted === this.#wanted) this.#wanted = ""; // the next frame asks again
      return;
    }
    if (wanted !== this.#wanted) return;
    if (answer.findings) this.#show(answer.findings, answer.failed);
    else this.#timer = setTimeout(() => this.#ask(wanted, machine), AGAIN);
  }

  #show(findings, failed = "") {
    this.#found = findings;
    this.button.hidden = !findings.length && !failed;
    this.button.dataset.severity = findings.some(({ severity }) => severity === "error")
      ? "error"
      : "warning";
    setText(this.button, failed ? "check failed" : counted(findings.length, "finding"));
    this.menu.hidePopover();
    const rows = findings.map((each) => this.#row(each));
    if (failed) rows.push(element("li", {}, `The machine cannot be checked: ${failed}`));
    byId("findings-list").replaceChildren(...rows);
    this.#mark();
  }

  #row(finding) {
    const { severity, code, where, text, parts, place } = finding;
    const show = { type: "button", class: "finding", on: { click: () => this.#point(parts) } };
    const head = element("b", {}, `${severity} ${code}`);
    const row = element("li", { data: { severity } });
    row.append(element("button", show, head, element("span", { class: "soft" }, where)));
    row.append(element("p", {}, text));
    if (place) row.append(placeOf(place));
    return row;
  }

  #open() {
    this.menu.showPopover();
    const { left, right, bottom } = this.button.getBoundingClientRect();
    placeBeside(this.menu, { left, right, top: bottom + 40, bottom: bottom + 40 });
    this.menu.querySelector("button")?.focus();
  }

  /** Show the parts of the graph that a finding is about. */
  #point(ids) {
    const { drawing } = this.store;
    if (!drawing) return;
    for (const id of drawing.parts.keys()) drawing.mark(id, "pointed", ids.includes(id));
    if (ids.length) this.graph.view.seek(drawing.placesOf(ids));
  }

  /** Mark the states and edges that a finding is about. */
  #mark() {
    const { drawing } = this.store;
    if (!drawing) return;
    const found = new Set(this.#found.flatMap(({ parts }) => parts));
    for (const id of drawing.parts.keys()) drawing.mark(id, "found", found.has(id));
  }
}
