/** How many machines are in each state, in large type. */

import { setSwatch } from "../parts/colours.js";
import { byId, element, matchChildren, setText } from "../parts/elements.js";
import { stateName } from "../parts/wording.js";

const MOST = 14; // states that have room; the others are summed up

export class StateCounts {
  constructor() {
    this.place = byId("dashboard-states");
  }

  /** @param {Map<string|null, number>} counts state -> the number of those in it */
  draw(counts) {
    const sorted = [...counts].sort(([, a], [, b]) => b - a);
    const shown = sorted
      .slice(0, MOST)
      .sort(([a], [b]) => stateName(a).localeCompare(stateName(b)));
    matchChildren(this.place, shown, ([state]) => JSON.stringify(state), makeCount, updateCount);
  }
}

/** Count the machines in each state; of a crowd, its agents. */
export function countsOf({ machines, detail }) {
  if (detail?.census) return new Map(Object.entries(detail.census.counts).filter(([, count]) => count));
  const counts = new Map();
  for (const state of machines.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

function makeCount() {
  return element("li", {}, element("i", { class: "swatch" }), element("b"), element("span", { class: "name" }));
}

function updateCount(child, [state, count]) {
  setSwatch(child.children[0], state);
  setText(child.children[1], count.toLocaleString("en"));
  setText(child.children[2], stateName(state));
}
