/** The code of the program beside the inspector: to read, to change, and to run again. */

import { byId, element } from "../parts/elements.js";

const MOST_LINES = 200;

export class Editor {
  /**
   * @param {string} file its name
   * @param {() => void} run called to run the code
   */
  constructor(file, run) {
    this.run = () => {
      this.output.replaceChildren();
      this.output.hidden = true;
      run();
    };
    this.area = element("textarea", {
      id: "code-text",
      "aria-label": `Code of ${file}`,
      spellcheck: "false",
      autocomplete: "off",
      on: { keydown: (event) => this.#pressed(event) },
    });
    this.output = element("div", {
      id: "code-output",
      "aria-label": "Output",
      role: "log",
      hidden: true,
    });
    this.drawer = element("aside", { id: "code", "aria-label": "Code", hidden: true });
    this.drawer.append(this.#bar(file), this.area, this.output);
    this.buttons = ["code-open", "code-tab"].map((id) => this.#opener(id));
    document.body.append(this.drawer);
    byId("step").after(this.buttons[0]);
    byId("tabs").append(this.buttons[1]); // on a phone, where there is no room in the header
  }

  get source() {
    return this.area.value;
  }

  set source(text) {
    this.area.value = text;
  }

  toggle() {
    this.drawer.hidden = !this.drawer.hidden;
    const isOpen = !this.drawer.hidden;
    for (const button of this.buttons) button.setAttribute("aria-expanded", String(isOpen));
    const [here] = this.buttons.filter((button) => button.checkVisibility());
    (isOpen ? this.area : here)?.focus();
  }

  /** Say that the code runs, or why it does not. */
  tell(error) {
    this.drawer.dataset.failed = Boolean(error);
    if (!error) return;
    this.print(error);
    if (this.drawer.hidden) this.toggle();
  }

  /** Add what the program prints. */
  print(text) {
    const lines = text.trimEnd().split("\n").slice(-MOST_LINES);
    this.output.hidden = false;
    this.output.append(...lines.map((line) => element("div", {}, line || " ")));
    while (this.output.childElementCount > MOST_LINES) this.output.firstChild.remove();
    this.output.scrollTop = this.output.scrollHeight;
  }

  #opener(id) {
    const button = element("button", { id, "aria-expanded": "false", "aria-controls": "code" });
    button.append("Code");
    button.onclick = () => this.toggle();
    return button;
  }

  #bar(file) {
    const title = "Run the code (Ctrl+Enter)";
    const run = element("button", { id: "code-run", class: "primary", title }, "Run");
    run.onclick = this.run;
    const close = element("button", { class: "icon", "aria-label": "Close the code" }, "×");
    close.onclick = () => this.toggle();
    const buttons = element("div", { class: "buttons" }, run, close);
    return element("div", { class: "bar" }, element("h2", {}, file), buttons);
  }

  #pressed(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.run();
    } else if (event.key === "Escape") this.toggle();
  }
}
