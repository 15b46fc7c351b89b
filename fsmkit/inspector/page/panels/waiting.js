/** What the current state waits for before FINISHED is sent, or what keeps it from being sent. */

import { byId, element, matchChildren, setLongText } from "../parts/elements.js";

export class Waiting {
  constructor(store) {
    store.watch("detail", () => {
      const waiting = store.shown?.waiting ?? [];
      const draw = (row, each) => update(row, each, store.selected);
      matchChildren(byId("state-waiting"), waiting, ({ machine }) => machine, make, draw);
    });
  }
}

const make = () => element("p");

function update(row, waiting, selected) {
  row.classList.toggle("endless", waiting.actions.some(({ endless }) => endless));
  row.classList.toggle("failed", Boolean(waiting.failed?.length));
  setLongText(row, textOf(waiting, selected));
}

function textOf({ machine, actions, missed, failed = [], leads }, selected) {
  const where = machine === selected ? "" : `${machine}: `;
  const way = `FINISHED → ${leads.join(", else ")}`;
  if (missed) return `${where}An error kept ${missed} of its actions from being entered: no ${way}`;
  if (failed.length) return `${where}${failed.join(", ")}: no ${way}`;
  if (!actions.length) return `${where}All its actions have finished. ${way}`;
  return `${where}Waiting for: ${actions.map(({ text }) => text).join(", ")} → ${way}`;
}
