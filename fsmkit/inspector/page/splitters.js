/** Borders between parts that can be moved, with the pointer or the arrow keys. */

import { byId, setAttribute } from "./elements.js";
import { recall, remember } from "./remembered.js";

const STEP = 16;

/** The right column and the log are as large as the reader wants them. */
export function setUpSplitters() {
  setUp("now-width", "now", {
    least: 260,
    most: 640,
    sizeAt: (event) => innerWidth - event.clientX,
  });
  setUp("log-height", "log", {
    least: 90,
    most: 600,
    sizeAt: (event) => innerHeight - event.clientY,
  });
}

function setUp(name, part, { least, most, sizeAt }) {
  const splitter = byId(name);
  const isAcross = splitter.getAttribute("aria-orientation") === "vertical";
  const size = () => (isAcross ? byId(part).offsetWidth : byId(part).offsetHeight);
  const set = (wanted) => {
    const chosen = Math.round(Math.min(most, Math.max(least, wanted)));
    document.documentElement.style.setProperty(`--${name}`, wanted ? `${chosen}px` : null);
    remember(name, wanted ? String(chosen) : "");
    setAttribute(splitter, "aria-valuenow", String(size()));
  };
  setAttribute(splitter, "aria-valuemin", String(least));
  setAttribute(splitter, "aria-valuemax", String(most));
  set(Number(recall(name)));
  splitter.addEventListener("pointerdown", (event) => splitter.setPointerCapture(event.pointerId));
  splitter.addEventListener(
    "pointermove",
    (event) => splitter.hasPointerCapture(event.pointerId) && set(sizeAt(event)),
  );
  splitter.addEventListener("dblclick", () => set(0));
  splitter.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: STEP, ArrowUp: STEP, ArrowRight: -STEP, ArrowDown: -STEP }[event.key];
    if (by) set(size() + by);
    if (by) event.preventDefault();
  });
}
