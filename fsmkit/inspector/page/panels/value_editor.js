/** Editing in place: an input where the value was. Enter sets it, Escape cancels. */

import { byId, element, setText } from "../parts/elements.js";

const LONGEST = 1000; // letters of a text

/** The kinds of value_kinds.py that need fields of their own. */
const [NUMBERS, TEXT, CHOICE, VECTOR] = ["if", "s", "e", "v"];

export class ValueEditor {
  /** @type {HTMLFormElement|null} */
  #form = null;
  /** Called after a value was set. @type {(path: string[], written: string|null) => void} */
  tuned = () => {};

  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.undo = byId("undo-edit");
    this.undo.onclick = () => this.#undo();
    store.watch("selected moment connection", () => this.close());
    store.watch("selected hello", () => (this.undo.hidden = true));
  }

  /** Edit the value that `shown` shows; frames do not overwrite what is typed. */
  async open(shown, { path, name }) {
    this.close();
    const machine = this.store.selected;
    const answer = await this.commands.ask("offer", { machine, path });
    if (!answer || !shown.isConnected || this.store.selected !== machine) return;
    this.close();
    this.#form = formOf(name, answer.offer);
    this.#form.onsubmit = (event) => this.#submit(event, shown, { machine, path }, answer.offer);
    this.#form.onkeydown = (event) => this.#pressed(event, shown);
    this.#form.onfocusout = ({ relatedTarget }) => {
      if (relatedTarget && !this.#form?.contains(relatedTarget)) this.close();
    };
    shown.parentElement.dataset.editing = "";
    shown.after(this.#form);
    const [first] = this.#form.elements;
    first.focus();
    first.select?.();
  }

  close() {
    const form = this.#form;
    this.#form = null;
    form?.parentElement?.removeAttribute("data-editing");
    form?.remove();
  }

  /** Set a value at once; null if it is refused, which a toast says. */
  async set(path, value) {
    const answer = await this.commands.ask("set", { machine: this.store.selected, path, value });
    if (answer) this.#noteSet(path, answer);
    return answer;
  }

  async #submit(event, shown, { machine, path }, offer) {
    event.preventDefault();
    const form = this.#form;
    const value = valueOf(form, offer);
    try {
      const answer = await this.commands.connection.ask("set", { machine, path, value });
      this.#noteSet(path, answer);
      if (form === this.#form) this.#leave(shown);
    } catch (error) {
      setText(form.lastElementChild, error.message);
      form.elements[0].setAttribute("aria-invalid", "true");
    }
  }

  #pressed(event, shown) {
    event.stopPropagation();
    if (event.key === "Escape") this.#leave(shown);
    if (event.key !== "Enter" || !event.target.matches("select")) return;
    event.preventDefault(); // it would open the list
    this.#form.requestSubmit();
  }

  #leave(shown) {
    this.close();
    shown.focus();
  }

  #noteSet(path, { written, outcome }) {
    this.tuned(path, written);
    this.undo.hidden = false;
    this.undo.title = `Undo ${outcome}`;
  }

  async #undo() {
    const answer = await this.commands.ask("undo");
    this.undo.title = answer?.outcome ?? "";
    this.undo.hidden = !answer;
  }
}

function formOf(name, offer) {
  const fields =
    offer.kind === VECTOR
      ? offer.value.map((number, index) => input(`${name}, number ${index + 1}`, number))
      : [offer.kind === CHOICE ? choiceOf(name, offer) : input(name, offer.value)];
  const error = element("p", { class: "error", role: "alert" });
  const set = element("button", { class: "hidden", tabindex: "-1" }, "Set"); // for Enter
  return element("form", { class: "editing", autocomplete: "off" }, ...fields, set, error);
}

function input(label, value) {
  const mode = typeof value === "number" ? { inputmode: "decimal" } : { maxlength: LONGEST };
  const field = element("input", { "aria-label": label, spellcheck: "false", ...mode });
  field.value = String(value ?? ""); // nan is none in JSON
  return field;
}

function choiceOf(label, { value, choices }) {
  const options = choices.map((each) => element("option", { value: each }, each));
  const field = element("select", { "aria-label": label }, ...options);
  field.value = value;
  // the arrow keys choose as well, but do not set yet
  field.onpointerdown = () => (field.onchange = () => field.form.requestSubmit());
  return field;
}

/** What was typed, as the program expects it; what is no number stays a text, to be refused. */
function valueOf(form, { kind }) {
  const texts = [...form.querySelectorAll("input, select")].map((field) => field.value);
  if (kind === TEXT || kind === CHOICE) return texts[0];
  const numbers = texts.map((text) => {
    const number = text.trim() ? Number(text) : NaN;
    return Number.isFinite(number) ? number : text;
  });
  return NUMBERS.includes(kind) ? numbers[0] : numbers;
}
