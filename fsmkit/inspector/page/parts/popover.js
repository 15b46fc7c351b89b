/** Popovers beside what they were opened from. */

const GAP = 6;

/** Place an open popover beside an area, inside the window. */
export function placeBeside(popover, { left, right, top, bottom }) {
  const { offsetWidth: width, offsetHeight: height } = popover;
  const beside = right + GAP + width < innerWidth ? right + GAP : left - GAP - width;
  const fitting = (at, size, room) => Math.max(GAP, Math.min(at, room - size - GAP));
  popover.style.left = `${fitting(beside, width, innerWidth)}px`;
  popover.style.top = `${fitting((top + bottom) / 2 - 40, height, innerHeight)}px`;
}
