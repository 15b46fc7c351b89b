/** Keyboard shortcuts, for the page and its help. */

import { byId } from "./elements.js";

/** @typedef {{keys: string[], shown: string, text: string, run: (key: string) => void}} Shortcut */

/** @returns {Shortcut[]} */
export function shortcutsOf({ commands, graph, log, theme, help, timeline, allTimeline, sends, map, store }) {
  return [
    { keys: [" "], shown: "Space", text: "Pause or resume", run: () => commands.pauseOrResume() },
    { keys: [".", "n"], shown: ". n", text: "One update", run: () => commands.step() },
    { keys: [","], shown: ",", text: "Recording: back by an update", run: () => commands.stepBack() },
    {
      keys: ["k", "K"],
      shown: "k",
      text: "Show the change before; with Shift, of any machine",
      run: (key) => commands.lastChange(key === "K"),
    },
    {
      keys: ["d", "D"],
      shown: "d",
      text: "Two recordings: the next difference; with Shift, the last one",
      run: (key) => commands.goToDifference(key === "d"),
    },
    {
      keys: ["j", "J"],
      shown: "j",
      text: "Run to the next change, or show it at a past moment; with Shift, of any machine",
      run: (key) => commands.runToChange(key === "J"),
    },
    { keys: ["["], shown: "[", text: "Slower", run: () => commands.slower() },
    { keys: ["]"], shown: "]", text: "Faster", run: () => commands.faster() },
    {
      keys: ["Escape"],
      shown: "Esc",
      text: "Back to now",
      run: () => backToNow(commands, timeline, allTimeline),
    },
    { keys: ["g"], shown: "g", text: "Resume from the moment shown", run: () => commands.goOn() },
    { keys: ["G"], shown: "G", text: "Resume the group from the moment shown", run: () => commands.goOnTogether() },
    { keys: ["f", "0"], shown: "f", text: "Fit the graph to the view", run: () => graph.view.fit() },
    { keys: ["c"], shown: "c", text: "Go to the current state", run: () => graph.seek() },
    {
      keys: ["v"],
      shown: "v",
      text: "Keep the current state in sight, or not",
      run: () => graph.following.toggle(),
    },
    {
      keys: ["a"],
      shown: "a",
      text: "All states, or those around the current one",
      run: () => graph.extent.turn(),
    },
    { keys: ["+", "="], shown: "+", text: "Zoom in", run: () => graph.view.zoom(1.3) },
    { keys: ["-"], shown: "−", text: "Zoom out", run: () => graph.view.zoom(1 / 1.3) },
    { keys: ["/"], shown: "/", text: "Search machines, or the log", run: () => focusSearch(store) },
    { keys: ["e"], shown: "e", text: "Send an event", run: () => show("now", byId("send-event")) },
    { keys: ["l"], shown: "l", text: "Follow the log, or not", run: () => log.follow() },
    { keys: ["o"], shown: "o", text: "All machines in the timeline", run: () => allTimeline.toggle() },
    { keys: ["s"], shown: "s", text: "Who sends to whom, in the timeline", run: () => sends.toggle() },
    { keys: ["m"], shown: "m", text: "The map, or not", run: () => map.toggle() },
    { keys: ["O"], shown: "O", text: "All machines in the log", run: () => log.toggleAll() },
    { keys: ["t"], shown: "t", text: "Light or dark", run: () => theme.toggle() },
    { keys: ["?"], shown: "?", text: "This help", run: () => help.open() },
  ];
}

/**
 * Listen for shortcuts, except while the reader types text or has a menu open.
 *
 * @param {Shortcut[]} shortcuts
 * @param {() => Shortcut[]} others those that may come and go
 */
export function listenToKeys(shortcuts, others) {
  addEventListener("click", giveUpFocus, { capture: true });
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isMeantForAnother(event)) return;
    const shortcut = [...shortcuts, ...others()].find(({ keys }) => keys.includes(event.key));
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run(event.key);
  });
}

/** After a pointer click, which `detail` counts, Space must not press the button again. */
function giveUpFocus({ detail }) {
  const { activeElement } = document;
  if (detail && activeElement?.matches("button, [role=button]")) activeElement.blur();
}

function isMeantForAnother({ key, target }) {
  if (document.querySelector("dialog[open], [popover]:popover-open")) return true;
  if (target.matches("input:not([type=range]), select, textarea")) {
    if (key === "Escape") target.blur();
    return true;
  }
  const isShown = target.checkVisibility(); // a closed menu's button keeps the focus briefly
  return key === " " && isShown && target.matches("button, [role=button]");
}

function backToNow(commands, timeline, allTimeline) {
  commands.backToNow();
  timeline.follow();
  allTimeline.follow();
}

function focusSearch(store) {
  if (store.machines.size > 1) show("machines", byId("machines-search"));
  else show("log", byId("log-search"));
}

function show(tab, target) {
  document.body.dataset.tab = tab;
  target.focus();
  target.select();
}
