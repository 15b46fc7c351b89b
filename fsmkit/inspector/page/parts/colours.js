/** Colours: one per state name, and those of the style sheet for painting on a canvas. */

const COUNT = 9; // --state-0 to --state-8 in colours.css

const numbers = new Map();

/** The number of a state's colour. States of the same name share it across machines. */
export function colourNumber(state) {
  if (!numbers.has(state)) numbers.set(state, numbers.size % COUNT);
  return numbers.get(state);
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
