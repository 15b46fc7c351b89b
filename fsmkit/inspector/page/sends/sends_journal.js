/** SendsJournal: who has sent which event to whom lately. */

import { SIGNS } from "../parts/log_entry.js";
import { seconds, visible } from "../parts/wording.js";

const LIMIT = 2_000;

/** The lane of what no machine has sent. */
export const OUTSIDE = Symbol("outside");

/** The lane of what was sent by nobody knows whom: posted or delayed before that was noted. */
export const UNKNOWN = Symbol("not known");

/**
 * @typedef {{seq: number, time: number, to: string, machine: string, from?: string, by?: string,
 *   event: string, outcome: string, state?: string, sender?: string, how?: string, data?: string,
 *   place?: import("../parts/place.js").Line, handed?: boolean}} Send `to` and `from` are outermost
 *   machines, `machine` and `by` may be nested in them
 * @typedef {string|symbol} Lane
 * @typedef {{send: Send, from: Lane, to: Lane}} Arrow
 */

export class SendsJournal {
  /** @type {Send[]} */
  entries = [];

  add({ reset, entries }) {
    if (reset) this.entries = [];
    this.entries.push(...entries);
    if (this.entries.length > LIMIT * 1.2) this.entries = this.entries.slice(-LIMIT);
  }

  clear() {
    this.entries = [];
  }

  /**
   * The arrows between lanes. The machines nested in the selected one have lanes of their own.
   *
   * @param {string|null} selected
   * @param {string} wanted only those from or to a machine whose name contains it
   * @returns {Arrow[]}
   */
  arrows(selected, wanted) {
    const arrows = [];
    for (const send of this.entries) {
      const to = send.to === selected ? send.machine : send.to;
      const from = send.from === selected && send.by ? send.by : (send.from ?? laneOf(send));
      const isShown = from !== to && !(send.handed && to === send.to);
      if (isShown && (fits(to, wanted) || fits(from, wanted))) arrows.push({ send, from, to });
    }
    return arrows;
  }
}

/** The lane of an event that no machine has sent: from a line of code or the page, or not known. */
const laneOf = ({ sender, place }) => (sender || place ? OUTSIDE : UNKNOWN);

/** An arrow in words: "12.31 s Wolf 3 → Guard: HOWL, changed". */
export function arrowText({ send }) {
  return visible(
    `${seconds(send.time)} ${send.by ?? laneOf(send).description} → ${send.machine}: ${send.event}, ${send.outcome}`,
  );
}

/** All there is to say of it. */
export function fullText(arrow) {
  const { state, how, sender, place, data } = arrow.send;
  const from = sender ? `from ${sender}` : place ? "" : "sender not known: posted or delayed";
  const parts = [arrowText(arrow), state && `in ${state}`, how, from, place?.text, data && `data ${data}`];
  return visible(parts.filter(Boolean).join(" · "));
}

export const signOf = ({ send }) => SIGNS[send.outcome] ?? "·";

function fits(lane, wanted) {
  return !wanted || (typeof lane === "string" && lane.toLowerCase().includes(wanted));
}
