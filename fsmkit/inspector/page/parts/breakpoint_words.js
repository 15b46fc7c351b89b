/** Breakpoints in words, and conditions as a reader types them. */

import { counted } from "./wording.js";

/**
 * @typedef {{name: string, operator: string, value?: number|string|boolean|null}} Condition
 * @typedef {{number: number, kind: "state"|"event"|"transition"|"error"|"unhandled"|"value",
 *   machine: string|null, name: string, condition: Condition|null, count: number, every: boolean,
 *   text: string, on: boolean, hits: number, note: string, holds?: string,
 *   way?: import("../graph/drawing.js").Way}} Breakpoint `machine` null: any; `holds`: a machine
 *   whose value is so already; `way`: the transition for the event
 */

const COMPARISON = /^\s*(\S.*?)\s*(<=|>=|==|!=|<|>|=|≤|≥|≠)\s*(\S.*?)\s*$/u;
const CHANGES = /^\s*(\S.*?)\s+changes\s*$/u;
const SIGNS = { "=": "==", "≤": "<=", "≥": ">=", "≠": "!=" };
const WORDS = { true: true, false: false, null: null, True: true, False: false, None: null };
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Read a condition such as "health < 20". Text may be put in quotes.
 *
 * @returns {Condition|null} null if there is no text
 * @throws {Error} with a message to show
 */
export function parseCondition(text) {
  if (!text.trim()) return null;
  const changing = CHANGES.exec(text);
  if (changing) return { name: changing[1], operator: "changes" };
  const found = COMPARISON.exec(text);
  if (!found) throw new Error("Write a condition such as: health < 20");
  const [, name, operator, value] = found;
  return { name, operator: SIGNS[operator] ?? operator, value: valueOf(value) };
}

function valueOf(text) {
  if (Object.hasOwn(WORDS, text)) return WORDS[text];
  if (NUMBER.test(text)) return Number(text);
  const quoted = /^(["'])(.*)\1$/su.exec(text);
  return quoted ? quoted[2] : text;
}

/** health < 20 */
export function conditionText(condition) {
  if (!condition) return "";
  const { name, operator, value } = condition;
  if (operator === "changes") return `${name} changes`;
  return `${name} ${operator} ${typeof value === "string" ? `"${value}"` : value}`;
}

/** What a breakpoint is on: a word before, and the name. */
export function titleOf({ kind, name, condition, way }) {
  if (kind === "state") return ["before ", name];
  if (kind === "transition") return ["on ", `${name}: ${endsText(way)}`];
  if (kind === "event") return ["on ", name];
  if (kind === "value") return ["when ", conditionText(condition)];
  return ["on any ", kind === "error" ? "error" : "unhandled event"];
}

/** Patrol → Chase */
export function endsText({ source, target, rank }) {
  const place = rank ? ` (${rank + 1}.)` : "";
  return `${source || "any state"} → ${target ?? "back"}${place}`;
}

/** True for two breakpoints at the same place, whatever their machines. */
export const isAtSame = (one, other) =>
  one.kind === other.kind && one.name === other.name && keyOf(one.way) === keyOf(other.way);

const keyOf = (way) => (way ? JSON.stringify([way.source, way.target, way.rank]) : "");

/** Everything else about it, such as: if health < 20, at hit 5, hit 3 times. */
export function detailsOf({ kind, machine, condition, count, every, text, hits, on, note, holds }) {
  return [
    holds && `true already${machine === null ? ` in ${holds}` : ""}: ${text ? "logs" : "stops"} when it becomes so again`,
    condition && kind !== "value" && `if ${conditionText(condition)}`,
    count > 1 || !every ? `${every ? "at every hit no." : "at hit no."} ${count}` : "",
    hits && `hit ${counted(hits, "time")}`,
    text && `logs “${text}”`,
    on ? "" : note || "switched off",
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * The sign for the breakpoints at one place.
 *
 * @param {Breakpoint[]} points
 * @returns {""|"plain"|"special"|"log"|"off"}
 */
export function signOf(points) {
  const isOn = points.filter((point) => point.on);
  const stopping = isOn.filter((point) => !point.text);
  if (stopping.some(isPlain)) return "plain";
  if (stopping.length) return "special";
  if (isOn.length) return "log";
  return points.length ? "off" : "";
}

export const SIGN_WORDS = {
  "": "",
  plain: "breakpoint",
  special: "breakpoint with a condition or a count",
  log: "log point",
  off: "breakpoint, switched off",
};

const isPlain = ({ kind, condition, count, every }) =>
  (kind === "value" || !condition) && count === 1 && every;
