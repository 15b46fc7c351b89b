/** A log entry, as a row and as a text. */

import { callerText, wayText } from "./caller_words.js";
import { element, setText } from "./elements.js";
import { fillPlace, makePlace } from "./place.js";
import { seconds, shortError, visibleLines } from "./wording.js";

/** The signs of event outcomes and of other entries. */
export const SIGNS = {
  changed: "▼",
  queued: "◆",
  consumed: "●",
  ignored: "○",
  refused: "▽",
  unhandled: "✕",
  enter: "→",
  leave: "←",
  suspend: "‖",
  resume: "↩",
  error: "!",
  note: "·",
  "log point": "◇",
};

/** The key of an entry's sign and colour. */
export const markOf = ({ kind, outcome }) => (kind === "event" ? (outcome ?? "note") : kind);

/** Show an entry in a row that may have shown another one before. */
export function fillEntry(row, entry, { isInside }) {
  if (row.entry === entry) return;
  row.entry = entry;
  if (!row.firstChild)
    row.append(
      ...["time", "mark", "what", "rest"].map((part) => element("span", { class: part })),
      makePlace(),
    );
  const [time, mark, what, rest, place] = row.children;
  Object.assign(row.dataset, { kind: entry.kind, outcome: entry.outcome ?? "", seq: entry.seq });
  setText(time, seconds(entry.time));
  mark.dataset.outcome = markOf(entry);
  setText(mark, SIGNS[markOf(entry)] ?? "·");
  setText(what, whatOf(briefly(entry)));
  setText(rest, [isInside ? entry.machine : "", ...restOf(briefly(entry))].filter(Boolean).join("  ·  "));
  fillPlace(place, entry.place);
  row.title = textOf(entry);
}

/** The lines of code of an entry, each with what it is of. */
export function linesOf({ place, lines = [] }) {
  return [...(place ? [place] : []), ...lines];
}

/** The entry with the text of an error or a note as short as a row needs it. */
const briefly = (entry) =>
  entry.kind === "error" || entry.kind === "note"
    ? { ...entry, text: shortError(entry.text ?? "").replace(/\s*\n\s*/g, "  ·  ") }
    : entry;

/** The complete text of an entry. */
export function textOf(entry) {
  const parts = [
    seconds(entry.time),
    entry.machine,
    `${entry.kind} ${whatOf(entry)}`,
    ...restOf(entry),
    entry.place?.text,
  ];
  return visibleLines(parts.filter(Boolean).join(" · "));
}

function whatOf({ kind, event, state, text }) {
  return (kind === "event" ? event : state) ?? event ?? text ?? "";
}

function restOf(entry) {
  const { kind, outcome, data, why, text, times = 1, last } = entry;
  const repeated = times > 1 ? `×${times.toLocaleString("en")}, last at ${seconds(last)}` : "";
  const more = text === whatOf(entry) ? "" : text;
  const [result, hint, reason] = reasonFirst(outcome, why ?? "");
  const led = [result, wayText(entry)].filter(Boolean).join(", ");
  const cause = kind === "error" ? [more, led, repeated] : [led, hint, repeated];
  const rest = kind === "error" ? [] : [reason, more];
  return [...cause, callerText(entry), data && `data ${data}`, ...rest];
}

/** Outcome, suggestion and the rest of a reason: guards and suggestions would be cut off at its end. */
function reasonFirst(outcome, why) {
  const [, guards] = why.match(/^Refused by (.*)\.$/s) ?? [];
  if (guards) return [`refused by ${guards}`, "", ""];
  const [, reason, hint] = why.match(/^(.*?)\s*(Did you mean .*\?)$/s) ?? [null, why, ""];
  return [outcome, hint, reason];
}
