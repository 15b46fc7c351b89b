/** Why the machines have stopped, in words. */

import { stateName } from "./wording.js";

/**
 * The text of the banner; empty if they have not stopped by themselves.
 *
 * @param {{held: object|null, stop: object|null}} status
 */
export function stopText({ held, stop }) {
  if (held) return heldText(held, stop);
  if (!stop) return "";
  return stop.kind === "change"
    ? `${stop.machine} has changed: ${stop.text}`
    : `${stop.machine} stopped: ${stop.text}`;
}

function heldText(held, stop) {
  const why = stop?.text ? ` · ${stop.text}` : "";
  if (stop?.kind === "error") {
    const places = [held.state, stop.place].filter(Boolean).join(", ");
    return `${held.machine}: error in ${places || "no state"}${why}`;
  }
  if (stop?.kind === "unhandled") {
    return `${held.machine}: nobody handles ${held.event} in ${held.state ?? "no state"}${why}`;
  }
  const event = held.event ? `${held.event}: ` : "";
  return `${held.machine} waits before ${event}${changeOf(held)}${why}`;
}

/** Patrol → Chase */
export function changeOf({ state, target }) {
  return state === null || state === undefined
    ? `the start in ${target}`
    : `${state} → ${stateName(target)}`;
}

/** The same in short, for the header. */
export function shortStopText({ held, stop }) {
  if (stop?.kind === "error") return "At an error";
  if (stop?.kind === "unhandled") return "At an unhandled event";
  if (held) return `At a breakpoint before ${changeOf(held)}`;
  return stop?.kind === "change" ? "Paused after a change" : "Paused by a breakpoint";
}
