/** Why an edit is not possible, with the way to the line that stands in the way. */

import { element } from "../parts/elements.js";
import { placeOf } from "../parts/place.js";
import { counted } from "../parts/wording.js";

/** @typedef {import("./edits.js").Refusal} Refusal */

/**
 * The reason, and a link such as "open guards.py:71".
 *
 * @param {Refusal} refusal
 * @param {import("./edits.js").Edits} edits
 */
export function reasonOf({ reason, place, line }, edits) {
  const parts = [element("span", {}, sentence(reason))];
  if (line && edits.code) {
    const goTo = ({ target }) => {
      target.closest("[popover]")?.hidePopover();
      edits.code.goTo(line);
    };
    const open = { type: "button", class: "code-line", on: { click: goTo } };
    parts.push(" ", element("button", open, `open ${edits.file}:${line}`));
  } else if (place) parts.push(" ", placeOf({ ...place, what: "open" }));
  return parts;
}

/**
 * Show a refusal in a form; where the edit is possible for several parts at once, ask.
 *
 * @param {HTMLElement} problem the place, hidden while there is no refusal
 * @param {Refusal|null} refusal
 * @param {() => void} everywhere called to change all of them
 */
export function showRefusal(problem, refusal, edits, everywhere) {
  problem.hidden = !refusal;
  if (!refusal) return problem.replaceChildren();
  const { shared } = refusal;
  if (!shared?.length) return problem.replaceChildren(...reasonOf(refusal, edits));
  const change = { type: "button", class: "chip", on: { click: everywhere } };
  problem.replaceChildren(
    element("span", {}, `One line makes ${counted(shared.length, "part")}: ${shared.join(", ")}.`),
    element("button", change, `Change all ${shared.length}`),
  );
}

/** Grey a control out, or not; the reason is shown beside it. @param {Refusal|null|undefined} why */
export function grey(control, why) {
  const isImpossible = Boolean(why) && !why.shared?.length;
  control.disabled = isImpossible;
  control.title = isImpossible ? sentence(why.reason) : "";
}

/** The different reasons among some. @param {(Refusal|null|undefined)[]} whys */
export function differentReasons(whys) {
  const found = new Map(whys.filter((why) => why && !why.shared?.length).map((why) => [`${why.reason} ${why.line}`, why]));
  return [...found.values()];
}

/** A reason as a sentence. @param {string} reason */
export const sentence = (reason) => {
  const text = reason[0].toUpperCase() + reason.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
};
