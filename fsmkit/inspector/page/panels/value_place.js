/** A place that shows a value: its text, which can be edited if it is plain, and a plot button. */

import { element, icon, setAttribute, setLongText } from "../parts/elements.js";

const EDITABLE = "bifsev"; // see value_kinds.py
const FLAG = "b";

/** Fill `row`, which shows a value, with its text in an element of this tag. */
export function addPlace(row, tag) {
  row.shown = element(tag, { class: "value" });
  row.plot = element("button", { class: "plot icon" }, icon("plot"));
  row.append(row.shown, row.plot);
  return row;
}

/**
 * @param {{name: string, text: string, kind: string, path: string[]}} value
 * @param {{isLocked: boolean, plotted: {has: (path: string[]) => boolean}}} state
 */
export function updatePlace(row, { name, text, kind, path }, { isLocked, plotted }) {
  const isPlain = Boolean(kind) && EDITABLE.includes(kind);
  const isEditable = isPlain && !isLocked && path[0] !== "watch" && !row.isFixed;
  Object.assign(row, { path, kind, name });
  setLongText(row.shown, text);
  setAttribute(row.shown, "role", isEditable ? "button" : null);
  setAttribute(row.shown, "tabindex", isEditable ? "0" : null);
  setAttribute(row.shown, "aria-label", isEditable ? `${name} ${text}: edit` : null);
  const isPlotted = isPlain && plotted.has(path);
  row.plot.hidden = !isPlain;
  setAttribute(row.plot, "aria-pressed", String(isPlotted));
  setAttribute(row.plot, "aria-label", `Plot ${name}`);
  setAttribute(row.plot, "title", isPlotted ? "Remove the plot" : "Plot it under the timeline");
}

/** Listen to the places in a list: a click, Enter or Space edits or plots. */
export function listenToPlaces(list, editor, plotted) {
  list.addEventListener("click", (event) => act(event, editor, plotted));
  list.addEventListener("keydown", (event) => {
    const isKey = event.key === "Enter" || event.key === " ";
    if (!isKey || !event.target.matches(".value[role=button]")) return;
    event.preventDefault();
    act(event, editor, plotted);
  });
}

function act({ target }, editor, plotted) {
  const shown = target.closest(".value[role=button]");
  const plot = target.closest(".plot");
  if (shown) {
    const { path, kind, name } = shown.parentElement;
    if (kind === FLAG) editor.set(path, shown.textContent !== "True");
    else editor.open(shown, { path, name });
  } else if (plot) {
    plotted.toggle(plot.parentElement.path);
  }
}
