/** The ticks of a time axis, at round times. */

import { seconds } from "../parts/wording.js";

const STEPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600];

/**
 * The ticks between `from` and `to`.
 *
 * @param {number} most the number that fits
 * @returns {{time: number, text: string}[]}
 */
export function ticks(from, to, most) {
  const step = STEPS.find((each) => (to - from) / each <= most) ?? STEPS.at(-1);
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.max(0, Math.floor(to / step + 1e-9) - first + 1);
  return Array.from({ length: count }, (_, index) => {
    const time = (first + index) * step;
    return { time, text: seconds(time, step < 0.1 ? 2 : step < 1 ? 1 : 0) };
  });
}
