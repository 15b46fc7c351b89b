/** When a transition was taken, as far as the log holds it. */

const ARRIVALS = { enter: true, resume: true };

/**
 * The times at which a transition was taken, in order.
 *
 * @param {import("./store.js").Store} store
 * @param {import("../graph/drawing.js").TransitionFact} transition
 * @returns {number[]}
 */
export function timesTaken({ journal: { entries }, isPast }, transition) {
  const { machine, event } = transition;
  const isIts = (entry) =>
    entry.outcome === "changed" && entry.event === event && entry.machine === machine;
  const isIt = isPast ? fitsItsEnds : isItsOwn;
  return entries
    .filter((entry, index) => isIts(entry) && isIt(transition, entry, entries, index))
    .map(({ time }) => time);
}

/** Of several that differ in their guards alone, an entry is about each. */
function isItsOwn({ way }, { state, group, global: isGlobal, ranks = [0] }) {
  return (isGlobal ? "" : (group ?? state)) === way.source && ranks.includes(way.rank);
}

/** A recording holds where an event has led from and to, but not by which transition. */
function fitsItsEnds({ way: { source, target }, members }, { state, machine, side }, entries, index) {
  if (![state, ""].includes(source) && !members.includes(state)) return false;
  const isArrival = (each) => each.kind in ARRIVALS && each.machine === machine && each.side === side;
  const arrival = entries.slice(index, index + FEW).find(isArrival);
  return target === null ? arrival?.kind === "resume" : arrival?.state === target;
}

const FEW = 32; // entries up to the arrival: those of exits, and of nested machines
