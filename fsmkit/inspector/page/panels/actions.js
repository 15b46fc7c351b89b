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
import { percent } from "../parts/wording.js";

export class Actions {
  constructor(store) {
    this.list = byId("actions");
    store.watch("detail", () => this.#draw(store.shown));
  }

  #draw(detail) {
    const actions = detail?.actions ?? [];
    this.list.dataset.empty = emptyText(detail);
    matchChildren(this.list, actions, keyOf, make, update);
  }
}

function emptyText(detail) {
  if (!detail) return "";
  if (detail.unknown) return detail.unknown;
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
    ),
    element("div", { class: "values" }),
    element("p", { class: "error" }),
    bar,
  );
}

function update(row, action) {
  if (action.title !== undefined) setText(row.firstChild, action.title);
  else updateAction(row, action);
}

function updateAction(row, action) {
  const [head, values, error, bar] = row.children;
  const condition = conditionOf(action);
  row.dataset.condition = condition;
  setText(head.querySelector(".parameters"), action.parameters.map(named).join(", "));
  setAttribute(head.lastChild, "aria-label", condition);
  matchChildren(values, action.values, ([name]) => name, makeValue, updateValue);
  values.hidden = !action.values.length;
  setLongText(error, action.error ?? "");
  error.hidden = !action.error;
  updateBar(bar, action);
}

const makeValue = ([name]) =>
  element("span", { data: { value: name } }, element("i", {}, name), element("code"));

const updateValue = (place, [, text]) => setLongText(place.lastChild, text);

function updateBar(bar, { name, progress }) {
  bar.hidden = progress === null;
  if (progress === null) return;
  setAttribute(bar, "role", "progressbar");
  setAttribute(bar, "aria-label", name);
  setAttribute(bar, "aria-valuenow", String(Math.round(progress * 100)));
  setAttribute(bar, "title", percent(progress));
  bar.firstChild.style.transform = `scaleX(${progress})`;
}

function conditionOf({ enabled, entered, finished, error }) {
  if (error !== undefined) return "failed";
  if (!enabled) return "disabled";
  if (finished) return "finished";
  return entered ? "running" : "not entered";
}

const named = ([name, value]) => `${name} ${value}`;
