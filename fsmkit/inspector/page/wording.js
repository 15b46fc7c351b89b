/** How times and names are written. */

/** @param {number} time seconds */
export function seconds(time, digits = 2) {
  if (time < 60) return `${time.toFixed(digits)} s`;
  const rest = (time % 60).toFixed(Math.max(0, digits - 1));
  const minutes = Math.floor(time / 60);
  const padded = rest.padStart(digits > 1 ? digits + 2 : 2, "0");
  if (minutes < 60) return `${minutes}:${padded}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${padded}`;
}

/** @param {string|null|undefined} state */
export const stateName = (state) => state ?? "not running";

/** @param {number} share 0 to 1 */
export const percent = (share) => `${Math.round(share * 100)} %`;

/** @param {number} factor */
export const times = (factor) => `${factor < 1 ? factor.toFixed(2) : factor.toFixed(1)}×`;

/** "1 machine", "5 machines" */
export const counted = (count, noun) =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
