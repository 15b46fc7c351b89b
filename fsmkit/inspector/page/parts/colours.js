/** Colours: one per state name, and those of the style sheet for painting on a canvas. */

const COUNT = 9; // --state-0 to --state-8 in colours.css

let numbers = new Map();

/** The number of a state's colour: the same for a name in all machines, on every page. */
export function colourNumber(state) {
  return numbers.get(state) ?? hashOf(state) % COUNT;
}

/** The program numbers the states, so that those of one machine differ. */
export class StateColours {
  #asked = "";

  /** @param {import("./connection.js").Connection} connection */
  constructor(store, connection) {
    this.store = store;
    this.connection = connection;
    store.watch("hello", () => (this.#asked = ""));
    store.watch("hello detail machines", () => this.#ask());
  }

  /** Ask again when the definition of the machine that is shown is another one. */
  async #ask() {
    const { hello, detail, machines } = this.store;
    const wanted = `${detail?.graph} ${machines.size}`;
    if (!hello || wanted === this.#asked) return;
    this.#asked = wanted;
    const answer = await this.connection.ask("colours").catch(() => null);
    if (!answer) return; // a program without them: names decide alone
    const isNew = Object.entries(answer.colours).some(([name, number]) => colourNumber(name) !== number);
    numbers = new Map(Object.entries(answer.colours));
    if (isNew) this.store.changed("machines", "detail", "drawing", "all");
  }
}

function hashOf(text) {
  let hash = 0;
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.codePointAt(0)) >>> 0;
  return hash;
}

/** Show a state's colour on an element that has `background: var(--swatch)`. */
export function setSwatch(target, state) {
  const colour = state === null ? "transparent" : `var(--state-${colourNumber(state)})`;
  if (target.swatch !== colour) target.style.setProperty("--swatch", colour);
  target.swatch = colour;
}

const PAINTED = [
  "page",
  "card",
  "lane",
  "hair",
  "edge",
  "ink",
  "soft",
  "current",
  "warning",
  "danger",
];

/** The current colours of the style sheet, for a canvas. */
export function paints() {
  const probe = document.createElement("i");
  document.body.append(probe);
  const colourOf = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const found = Object.fromEntries(PAINTED.map((name) => [name, colourOf(name)]));
  found.states = Array.from({ length: COUNT }, (_, number) => colourOf(`state-${number}`));
  probe.remove();
  return found;
}
