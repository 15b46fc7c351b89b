/** The condition of the machine and its program, as a word and as a sentence. */

import { shortStopText } from "./stop_words.js";

const IDLE = 1.5; // seconds without an update of the loop
const CALM = new Set(["running", "paused", "stopped", "idle", "error"]);

/**
 * @param {import("./store.js").Store} store
 * @returns {{word: string, text: string, more?: string, isAfterError?: boolean}} the word is one of:
 *   connecting, disconnected, held, idle, paused, error, stopped, running; after an error of the
 *   selected machine, unless there are others that nobody has looked at
 */
export function conditionOf(store) {
  const condition = conditionOfSelected(store);
  const { unseen } = store.everyone.roster;
  if (!unseen.length || !CALM.has(condition.word)) return condition;
  return { word: "error", text: condition.text, more: `${condition.text}, after errors` };
}

function conditionOfSelected(store) {
  const { status, detail } = store;
  if (!store.isConnected) return lost(store);
  if (store.isPast) return past(store);
  if (status.held) return { word: "held", text: shortStopText(status) };
  if (status.idle > IDLE) return idle(store);
  if (status.paused && status.stop) return { word: "paused", text: shortStopText(status) };
  if (status.paused) return { word: "paused", text: "Paused" };
  if (store.isSuspended(store.selected)) return { word: "paused", text: "Suspended by the page" };
  if (lastIsError(store)) return afterError("Running");
  if (store.selected === null) return { word: "stopped", text: "No machine" };
  if (detail && !detail.running) return { word: "stopped", text: "The machine is stopped" };
  if ((status.awaits ?? null) !== null) return awaiting(status.awaits);
  return { word: "running", text: "Running" };
}

function awaiting(machine) {
  const text = `Running to the next change of ${machine || "any machine"}`;
  return { word: "running", text: "Running to the next change", more: text };
}

function past({ status, hello }) {
  if (!status.paused) return { word: "running", text: "Playing" };
  return { word: "paused", text: hello.kind === "recording" ? "Recording" : "Two recordings" };
}

function lost({ wasConnected }) {
  return wasConnected
    ? { word: "disconnected", text: "Disconnected: reconnecting" }
    : { word: "connecting", text: "Connecting…" };
}

function idle(store) {
  const time = Math.floor(store.status.idle);
  if (lastIsError(store)) return afterError(`No update for ${time} s`);
  return {
    word: "idle",
    text: `Waiting for the game: ${time} s`,
    more: `The game has not updated its machines for ${time} s. It may be paused, or in a menu.`,
  };
}

const afterError = (text) => ({ word: "error", text, more: `${text}, after an error`, isAfterError: true });

const WITHOUT_EFFECT = new Set(["ignored", "unhandled", "refused"]);

/** True if the machine has done nothing since an error. */
function lastIsError({ journal }) {
  const last = journal.arrivals.findLast(({ outcome }) => !WITHOUT_EFFECT.has(outcome));
  return last?.kind === "error";
}
