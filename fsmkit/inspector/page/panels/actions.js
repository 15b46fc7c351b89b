/** The actions of the current state: their progress, parameters and values. */

import {
  byId,
  element,
  icon,
  matchChildren,
  setAttribute,
  setLongText,
  setText,
} from "../parts/elements.js";
import { fillPlace, makePlace } from "../parts/place.js";
import { percent } from "../parts/wording.js";
import { addPlace, listenToPlaces, updatePlace } from "./value_place.js";

export class Actions {
  /** Values that were tuned, and can be kept in the code.
   * @type {{has: (path: string[]) => boolean, keep: (path: string[]) => void}|null} */
  kept = null;

  /**
   * @param {import("./value_editor.js").ValueEditor} editor
   * @param {import("../timeline/plotted.js").Plotted} plotted
   * @param {import("./code_lines.js").CodeLines} codeLines
   */
  constructor(store, commands, editor, plotted, codeLines) {
    this.codeLines = codeLines;
    this.store = store;
    this.plotted = plotted;
    this.list = byId("actions");
    listenToPlaces(this.list, editor, plotted);
    this.list.addEventListener("click", (event) => {
      const { action } = event.target.closest(".switch")?.closest("li") ?? {};
      const keep = event.target.closest(".keep");
      if (keep) this.kept.keep(keep.parentElement.path);
      if (action) commands.enable(action.machine, action.state, action.place, !action.enabled);
    });
    store.watch("detail hello connection plotted lines tuned", () => this.#draw(store.shown));
  }

  #draw(detail) {
    const actions = detail?.actions ?? [];
    this.list.dataset.empty = emptyText(detail);
    const { plotted, codeLines, kept } = this;
    const state = { isLocked: this.store.isLocked, plotted, codeLines, kept };
    const draw = (row, action) => update(row, action, state);
    matchChildren(this.list, actions, keyOf, make, draw);
  }
}

function emptyText(detail) {
  if (!detail) return "";
  if (detail.unknown) return detail.unknown;
  if (detail.is_unwatched) return "Not known: nobody looked at it then.";
  return detail.running ? "This state has no actions." : "The machine is not running.";
}

function keyOf({ machine, place, depth, name, title }) {
  return `${depth} ${place} ${machine} ${title === undefined ? name : "title"}`;
}

function make(action) {
  const row = element("li", { data: { machine: action.machine, place: action.place } });
  row.style.setProperty("--depth", action.depth);
  if (action.title === undefined) addParts(row, action);
  else row.append(element("b", { class: "title" }));
  return row;
}

function addParts(row, { name }) {
  row.dataset.action = name;
  const mark = element("span", { class: "done", role: "img" }, icon("done"));
  const bar = element("div", { class: "progress" }, element("i"));
  row.append(
    element(
      "div",
      { class: "head" },
      element("p", {}, element("b", {}, name), element("span", { class: "parameters" })),
      mark,
      element("button", { class: "switch icon" }, icon("switch")),
    ),
    element("p", { class: "off", hidden: true }),
    element("div", { class: "answers" }),
    element("div", { class: "values" }),
    element("p", { class: "error" }),
    element("p", { class: "places" }),
    bar,
  );
}

function update(row, action, state) {
  if (action.title !== undefined) setText(row.firstChild, action.title);
  else updateAction(row, action, state);
}

function updateAction(row, action, state) {
  const [head, off, answers, values, error, places, bar] = row.children;
  row.action = action;
  const condition = conditionOf(action);
  row.dataset.condition = condition;
  const updateValue = (place, [name, text]) => fill(place, name, text, action, state);
  const [parameters, done] = [head.querySelector(".parameters"), head.children[1]];
  matchChildren(parameters, action.parameters, ([name]) => name, makeParameter, updateValue);
  setAttribute(done, "aria-label", condition);
  matchChildren(values, action.values, ([name]) => name, makeValue, updateValue);
  updateSwitch(head.lastChild, off, action, state);
  matchChildren(answers, action.answers ?? [], () => "", makeAnswer, (line, answer) =>
    updateAnswer(line, answer, action.name),
  );
  values.hidden = !action.values.length;
  const trouble = action.error ?? action.failed ?? "";
  setLongText(error, trouble);
  error.hidden = !trouble;
  updatePlaces(places, state.codeLines.ofAction(action));
  updateBar(bar, action);
}

function updatePlaces(places, lines) {
  places.hidden = !lines.length;
  matchChildren(places, lines, ({ what, path }) => `${what} ${path}`, makePlace, fillPlace);
}

function makeParameter([name]) {
  const place = element("span", { data: { value: name } }, element("i", {}, name), " ");
  addPlace(place, "span");
  place.keep = element("button", { class: "keep chip", title: "Write it into the code" }, "Keep");
  place.shown.after(place.keep);
  return place;
}

function makeValue([name]) {
  const place = addPlace(element("span", { data: { value: name } }, element("i", {}, name)), "code");
  place.isFixed = true; // the action remembers it by itself
  return place;
}

function fill(place, name, text, { machine, state, place: where, kinds }, view) {
  const path = ["action", machine, state, where, name];
  updatePlace(place, { name, text, kind: kinds?.[name] ?? "", path }, view);
  if (!place.keep) return;
  place.keep.hidden = !view.kept?.has(path);
  setAttribute(place.keep, "aria-label", `Keep ${name} ${text} in the code`);
}

function updateSwitch(button, off, { name, enabled, entered }, { isLocked }) {
  button.hidden = isLocked;
  setAttribute(button, "aria-pressed", String(enabled));
  setAttribute(button, "aria-label", `${name} takes part`);
  setAttribute(button, "title", `Switch it ${enabled ? "off" : "on"}, from the next visit on`);
  off.hidden = enabled;
  setText(off, entered ? "Switched off from the next visit on" : "Switched off");
}

/** What the action asked last, or what it answered as an option, with its score as a bar. */
function makeAnswer() {
  return element("p", {}, element("i", {}, element("i")), element("span"));
}

function updateAnswer(line, { answer, share }, name) {
  const [bar, text] = line.children;
  setLongText(text, answer);
  bar.hidden = share === null;
  if (bar.hidden) return;
  setAttribute(bar, "role", "meter");
  setAttribute(bar, "aria-label", `Score of ${name}`);
  setAttribute(bar, "aria-valuenow", String(Math.round(share * 100)));
  bar.firstChild.style.transform = `scaleX(${share})`;
}

function updateBar(bar, { name, progress }) {
  bar.hidden = progress === null;
  if (progress === null) return;
  setAttribute(bar, "role", "progressbar");
  setAttribute(bar, "aria-label", name);
  setAttribute(bar, "aria-valuenow", String(Math.round(progress * 100)));
  setAttribute(bar, "title", percent(progress));
  bar.firstChild.style.transform = `scaleX(${progress})`;
}

function conditionOf({ enabled, entered, finished, failed, suspended, error }) {
  if (error !== undefined || failed) return "failed";
  if (!enabled && !entered) return "disabled";
  if (finished) return "finished";
  if (suspended) return "suspended";
  return entered ? "running" : "not entered";
}
