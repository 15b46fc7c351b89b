/** The crowd: a field that singles an agent out, by its index or by a comparison. */

import { byId, element, setText } from "../parts/elements.js";

const INDEX = /^\d+$/;
const COMPARISON = /^\s*(\w+)\s*(<=|>=|==|!=|<|>|=)\s*(.+?)\s*$/;

export class CrowdPart {
  constructor(store, commands) {
    this.store = store;
    this.commands = commands;
    this.form = byId("crowd-form");
    this.field = byId("crowd-agent");
    this.why = byId("crowd-why");
    this.form.addEventListener("submit", (event) => this.#submit(event));
    byId("crowd-let-go").onclick = () => this.#letGo();
    store.watch("hello selected", () => this.#draw());
    store.watch("detail", () => document.body.classList.toggle("whole-crowd", this.#isWhole));
  }

  #draw() {
    const { hello, selected, firstMachine } = this.store;
    const isCrowd = hello?.kind === "crowd";
    document.body.classList.toggle("crowd", isCrowd);
    this.form.hidden = !isCrowd;
    byId("crowd-let-go").hidden = !isCrowd || selected === firstMachine;
    const known = (hello?.fields ?? []).map((value) => element("option", { value: `${value} ` }));
    byId("crowd-known").replaceChildren(...known);
  }

  /** True while the crowd itself is shown, which is in no state and has no actions. */
  get #isWhole() {
    return Boolean(this.store.shown?.census);
  }

  async #submit(submitting) {
    submitting.preventDefault();
    const text = this.field.value.trim();
    const wanted = parse(text);
    if (!wanted) return this.#say("Write the index of an agent, or something like: snacks > 2");
    const answer = await this.commands.ask(...wanted);
    if (!answer) return this.#say("");
    const { machine, state, count } = answer;
    this.store.receive({ joined: [[machine, state]] }); // the next frame says so as well
    this.#say(count === undefined ? "" : `${count.toLocaleString("en")} agents have ${text}.`);
    this.commands.select(machine);
  }

  async #letGo() {
    const { selected, firstMachine } = this.store;
    if (await this.commands.ask("let_go", { machine: selected })) this.commands.select(firstMachine);
  }

  #say(text) {
    setText(this.why, text);
  }
}

/** The request for an index or a comparison; null if it is neither. */
function parse(text) {
  if (INDEX.test(text)) return ["agent", { index: Number(text) }];
  const [, field, operator, value] = COMPARISON.exec(text) ?? [];
  if (field === undefined) return null;
  const sign = operator === "=" ? "==" : operator;
  return ["find_agent", { field, operator: sign, value: valueOf(value) }];
}

/** A number, true or false, or the name of a state, with quotation marks or without. */
function valueOf(text) {
  if (text === "true" || text === "True") return true;
  if (text === "false" || text === "False") return false;
  const number = Number(text);
  return Number.isFinite(number) ? number : text.replace(/^(["'])(.*)\1$/, "$2");
}
