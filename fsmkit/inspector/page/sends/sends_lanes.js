/** The lanes of the machines that send each other events. */

import { OUTSIDE, UNKNOWN } from "./sends_journal.js";

/** @typedef {import("./sends_journal.js").Lane} Lane */

/**
 * The lanes: outside and what is not known, then the machines that exchange something, then the others.
 *
 * @param {import("./sends_journal.js").Arrow[]} arrows
 * @param {string[]} others
 * @returns {Lane[]}
 */
export function lanesOf(arrows, others) {
  const busy = new Set(arrows.flatMap(({ from, to }) => [from, to]));
  const machines = [...busy].filter((lane) => typeof lane === "string").sort(byName);
  return [...[OUTSIDE, UNKNOWN].filter((lane) => busy.has(lane)), ...new Set([...machines, ...others])];
}

/**
 * A lane to be painted: its name, and the states of its machine.
 *
 * @returns {import("../all/all_painting.js").Shown}
 */
export function shownLane(store, lane, isPointed) {
  const { machines, everyone, selected } = store;
  const isMachine = machines.has(lane);
  const track = isMachine ? everyone.tracks.lane(lane) : undefined;
  return {
    machine: nameOf(lane),
    lane: track && { blocks: track.blocks, marks: [] },
    state: isMachine ? machines.get(lane) : null,
    since: isMachine ? everyone.roster.since(lane) : 0,
    trouble: "",
    isSelected: lane === selected,
    isPointed,
  };
}

/** @param {Lane} lane */
export const nameOf = (lane) => (typeof lane === "string" ? lane : lane.description);

const byName = (one, other) => one.localeCompare(other, "en", { numeric: true });
