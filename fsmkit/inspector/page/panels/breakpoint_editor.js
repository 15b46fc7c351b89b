/** The editor of a breakpoint: its machine, condition, count, or what it logs instead. */

import { conditionText, isAtSame, parseCondition, titleOf } from "../parts/breakpoint_words.js";
import { byId, element, setAttribute, setText } from "../parts/elements.js";
import { placeBeside } from "../parts/popover.js";

const ANY = "any machine";
const MOST_NAMES = 12; // that are shown with their values

const EMPTY = { machine: null, name: "", condition: null, count: 1, every: true, text: "" };

export class BreakpointEditor {
  #point = EMPTY;
  #place = null;

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.popover = byId("breakpoint-editor");
    this.form = byId("breakpoint-form");
    this.problem = byId("breakpoint-problem");
    this.form.addEventListener("submit", (event) => this.#submit(event));
    this.form.when.addEventListener("change", () => this.#showCount());
    this.form.machine.addEventListener("change", () => this.#suggest());
    byId("breakpoint-cancel").onclick = () => this.popover.hidePopover();
    byId("breakpoint-remove").onclick = () => this.#remove();
    store.watch("breakpoints", () => this.#checkThere());
  }

  /**
   * Open the editor beside an element.
   *
   * @param {object} point a breakpoint, or what is known of a new one: its kind, machine, name
   */
  open(point, beside) {
    this.#place = beside.getBoundingClientRect(); // a menu that it is opened from closes
    const there = this.store.breakpoints.filter((each) => isSame(each, point));
    this.#point = { ...EMPTY, ...(point.number || there.length !== 1 ? point : there[0]) };
    this.#fill();
    this.popover.showPopover();
    placeBeside(this.popover, this.#place);
    this.form.condition.focus();
    this.#suggest();
  }

  #fill() {
    const { kind, machine, condition, count, every, text, number } = this.#point;
    const title = kind === "value" ? ["on a value", ""] : titleOf(this.#point);
    byId("breakpoint-title").replaceChildren(`Breakpoint ${title[0]}`, element("b", {}, title[1]));
    const known = machine ?? this.store.selected;
    const option = (value, shown, chosen) => element("option", { value, selected: chosen }, shown);
    this.form.machine.replaceChildren(
      ...(known === null ? [] : [option(`=${known}`, known, machine !== null)]),
      option("", ANY, machine === null),
    );
    this.form.condition.value = conditionText(condition);
    const isValue = kind === "value";
    setText(byId("breakpoint-condition-label"), isValue ? "When" : "Only if");
    const example = isValue ? "distance < 3, or: distance changes" : "health < 20";
    this.form.condition.placeholder = example;
    this.form.when.value = count === 1 && every ? "each" : every ? "every" : "at";
    this.form.count.value = String(count);
    this.form.text.value = text;
    byId("breakpoint-remove").hidden = !number;
    this.#showProblem("");
    this.#showCount();
  }

  #showCount() {
    this.form.count.hidden = this.form.when.value === "each";
  }

  #showProblem(text) {
    setText(this.problem, text);
    this.problem.hidden = !text;
    setAttribute(this.form.condition, "aria-invalid", text ? "true" : null);
  }

  get #machine() {
    const { value } = this.form.machine;
    return value ? value.slice(1) : null;
  }

  /** Offer the names of values. */
  async #suggest() {
    const of = this.#machine === null ? {} : { machine: this.#machine };
    const answer = await this.commands.ask("names", of);
    if (!answer || !this.popover.matches(":popover-open")) return;
    const names = answer.names.map(([name]) => name);
    byId("breakpoint-names").replaceChildren(
      ...names.map((value) => element("option", { value: `${value} ` })),
    );
    byId("breakpoint-values").replaceChildren(
      ...answer.names.slice(0, MOST_NAMES).map(([name, text]) => this.#value(name, text)),
    );
    placeBeside(this.popover, this.#place);
  }

  #value(name, text) {
    const use = () => this.#use(name);
    const shown = [element("code", {}, name), element("span", { class: "soft" }, text)];
    return element("button", { type: "button", class: "chip", on: { click: use } }, ...shown);
  }

  /** Write a name into the field that is being filled. */
  #use(name) {
    const { condition, text } = this.form;
    const isText = Boolean(text.value) && Boolean(condition.value);
    if (isText) text.value += ` {${name}}`;
    else condition.value = `${name} `;
    (isText ? text : condition).focus();
  }

  async #submit(submitting) {
    submitting.preventDefault();
    const { kind, name, way, number, on = true } = this.#point;
    try {
      const condition = parseCondition(this.form.condition.value);
      const when = this.form.when.value;
      const count = when === "each" ? 1 : Math.trunc(Number(this.form.count.value)) || 0;
      await this.commands.setBreakpoint({
        ...(number && { number }),
        ...(this.#machine !== null && { machine: this.#machine }),
        ...(condition && { condition }),
        ...(way && { way }),
        name: kind === "value" ? "" : name,
        kind,
        count,
        every: when !== "at",
        text: this.form.text.value.trim(),
        on,
      });
      this.popover.hidePopover();
    } catch (error) {
      this.#showProblem(error.message);
    }
  }

  #remove() {
    this.commands.removeBreakpoint(this.#point.number);
    this.popover.hidePopover();
  }

  /** Another page may have removed it. */
  #checkThere() {
    const { number } = this.#point;
    if (!number || this.store.breakpoints.some((each) => each.number === number)) return;
    this.#point = { ...this.#point, number: undefined };
    byId("breakpoint-remove").hidden = true;
  }
}

const isSame = (one, other) => one.machine === other.machine && isAtSame(one, other);
