/** The layout: splitters between parts, and tabs on a narrow screen. */

import { byId, setAttribute } from "./elements.js";
import { recall, remember } from "./preferences.js";

const STEP = 16;

/** Let the reader resize the right column and the log, with the pointer or the arrow keys. */
export function setUpSplitters() {
  setUp("now-width", "now", {
    least: 260,
    most: 640,
    sizeAt: (event) => innerWidth - event.clientX,
  });
  setUp("map-width", "map", {
    least: 200,
    most: 1_200,
    sizeAt: (event) => byId("now").getBoundingClientRect().left - event.clientX,
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

/** On a narrow screen show one part at a time: `data-tab` of the body names it. */
export function setUpTabs() {
  const tabs = [...document.querySelectorAll("#tabs button[data-tab]")];
  const mark = () => {
    const shown = document.body.dataset.tab;
    for (const tab of tabs)
      setAttribute(tab, "aria-current", tab.dataset.tab === shown ? "true" : null);
  };
  for (const tab of tabs) tab.onclick = () => (document.body.dataset.tab = tab.dataset.tab);
  new MutationObserver(mark).observe(document.body, { attributeFilter: ["data-tab"] });
  mark();
}
