/** The marks of a machine with troubles: how many errors, how many unhandled events. */

import { element, setText } from "../parts/elements.js";
import { visible } from "../parts/wording.js";

const KINDS = { errors: ["error", "errors"], unhandled: ["unhandled event", "unhandled events"] };
const MOST = 999;

/** The elements of both marks, hidden until they are filled. */
export function makeMarks() {
  return Object.keys(KINDS).map((kind) => {
    const parts = [element("span"), element("span", { class: "hidden" })];
    return element("span", { class: "count", data: { kind }, hidden: true }, ...parts);
  });
}

/** @param {HTMLElement[]} marks made by `makeMarks` */
export function fillMarks(marks, roster, machine) {
  for (const mark of marks) {
    const count = roster[mark.dataset.kind](machine);
    const [one, several] = KINDS[mark.dataset.kind];
    const words = ` ${count === 1 ? one : several}`;
    mark.hidden = !count;
    setText(mark.firstChild, count > MOST ? `${MOST}+` : count ? String(count) : "");
    setText(mark.lastChild, count ? words : "");
    const last = mark.dataset.kind === "errors" ? visible(roster.lastError(machine)) : "";
    mark.title = `${count.toLocaleString("en")}${words}${last && `, the last: ${last}`}`;
  }
}
