/** Texts for times, names and numbers. */

/** Control characters and spaces, except the ordinary space and the joiners, parts of letters. */
const UNSEEN = /[^\P{C}\u200c\u200d]|[^\P{Z} ]/gu;
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A text on one line, with invisible characters escaped as in the graph: `\u202e`. */
export const visible = (text) =>
  text.replace(UNSEEN, (letter) => SHORT[letter] ?? codeOf(letter.codePointAt(0)));

/** The same of a text that may have several lines, where they are shown as lines. */
export const visibleLines = (text) => text.split("\n").map(visible).join("\n");

function codeOf(number) {
  const digits = (count) => number.toString(16).padStart(count, "0");
  if (number < 0x100) return `\\x${digits(2)}`;
  return number < 0x10000 ? `\\u${digits(4)}` : `\\U${digits(8)}`;
}

/**
 * A time, everywhere on the page: `4.25 s`, from the first minute on `6:06.58`, then `1:00:02.50`.
 *
 * @param {number} time seconds
 * @param {number} digits decimals
 */
export function seconds(time, digits = 2) {
  const shown = Number(time.toFixed(digits)); // 59.999 is a minute
  if (shown < 60) return `${shown.toFixed(digits)} s`;
  const rest = (shown % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  const minutes = Math.floor(shown / 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/**
 * What a guard said last: `no at 4.25 s, 5.2 of 4`.
 *
 * @param {{answer: string, time: number, measured?: string}} answered
 */
export const answerText = ({ answer, time, measured }) =>
  [`${answer} at ${seconds(time)}`, measured].filter(Boolean).join(", ");

/** A duration of code: `0.42 µs`, `12.3 µs`, `310 µs`, `1.25 ms`. */
export function microseconds(time) {
  const [shown, unit] = time < 999.5 ? [time, "µs"] : [time / 1_000, "ms"];
  const digits = shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0;
  return `${shown.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** @param {string|null|undefined} state */
export const stateName = (state) => state ?? "not running";

/** @param {number} share 0 to 1; a small one is not told as none, nor a large one as all */
export function percent(share) {
  if (share > 0 && share < 0.005) return "< 1 %";
  if (share < 1 && share > 0.995) return "> 99 %";
  return `${Math.round(share * 100)} %`;
}

/** @param {number} factor */
export const times = (factor) => `${factor < 1 ? factor.toFixed(2) : factor.toFixed(1)}×`;

/** "1 machine", "5 machines" */
export const counted = (count, noun, plural = `${noun}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;

/** "fsmkit.core.errors.FsmError: ..." without the path of its class: the class says enough. */
export const shortError = (text) => text.replace(/^(?:\w+\.)+(?=[A-Z]\w*(?::|$))/u, "");
