/** The fields of an action's parameters, by their kinds; easing is chosen by pictures. */

import { element, setAttribute, shape } from "../parts/elements.js";

/**
 * @typedef {{name: string, kind: "number"|"text"|"flag"|"choice"|"code", required: boolean,
 *   default: string, unit: string|null, choices?: string[], curves?: number[][], help: string}} Parameter
 */

/**
 * A field with its label. Left empty it stands for the default.
 *
 * @param {Parameter} parameter
 * @param {string} [value] as it is written in the code
 */
export function fieldOf(parameter, value = "") {
  if (parameter.curves) return easingField(parameter, value);
  const { name, unit, help, required } = parameter;
  const input = controlOf(parameter, value);
  if (help) input.title = help.replaceAll("`", ""); // read out as its description
  const label = element("label", { class: "parameter" }, element("span", {}, name), input);
  if (required) setAttribute(input, "required", true);
  if (unit) label.append(element("span", { class: "unit soft" }, unit));
  return label;
}

function controlOf({ name, kind, default: standard, choices = [] }, value) {
  if (kind === "flag") return choiceOf(name, ["True", "False"], standard, value);
  if (kind === "choice") return choiceOf(name, choices, standard, value);
  const mode = kind === "number" ? { inputmode: "decimal" } : {};
  const input = element("input", {
    name, placeholder: standard ?? "", autocomplete: "off", spellcheck: "false", maxlength: 1000,
    "data-kind": kind, ...mode,
  });
  input.value = value;
  return input;
}

function choiceOf(name, choices, standard, value) {
  const others = value && !choices.includes(value) ? [value] : [];
  const options = [...choices, ...others].map((each) => element("option", { value: each }, each));
  const none = element("option", { value: "" }, standard ? `${standard} (default)` : "choose");
  const select = element("select", { name }, none, ...options);
  select.value = value;
  return select;
}

/** Small pictures of curves, one of which is chosen; the arrow keys go from one to the next. */
function easingField({ name, choices, curves, default: standard }, value) {
  const pictures = choices.map((choice, index) => {
    const radio = element("input", { type: "radio", name, value: choice, checked: choice === value });
    const words = choice.replace(/^.*\./, "").replace("ease_", "").replaceAll("_", " ");
    return element("label", { title: words }, radio, curveOf(curves[index]), element("span", {}, words));
  });
  const none = element("input", { type: "radio", name, value: "", checked: !choices.includes(value) });
  const plain = element("label", {}, none, element("span", {}, standard || "none"));
  return element(
    "fieldset",
    { class: "easings" },
    element("legend", {}, name),
    element("div", {}, plain, ...pictures),
  );
}

const [WIDTH, HEIGHT, MARGIN] = [44, 34, 9];

/** A curve from the lower left to the upper right; some swing out of that. */
function curveOf(samples) {
  const room = HEIGHT - 2 * MARGIN;
  const points = samples.map((share, index) => {
    const x = 3 + (index / (samples.length - 1)) * (WIDTH - 6);
    return `${x.toFixed(1)},${(HEIGHT - MARGIN - share * room).toFixed(1)}`;
  });
  const picture = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", class: "curve" };
  return shape("svg", picture, shape("path", { d: `M${points.join("L")}` }));
}

/** What was filled in, by name, as it is to be written. @param {HTMLFormElement} form */
export function filledIn(form) {
  const entries = [...new FormData(form)].map(([name, text]) => [name, text.trim()]);
  return Object.fromEntries(entries.filter(([, text]) => text));
}
