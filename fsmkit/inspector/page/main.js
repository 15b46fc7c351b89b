/** The live inspector: makes its parts and ties them together. */

import { Actions } from "./actions.js";
import { Banner } from "./banner.js";
import { BreakpointList } from "./breakpoint_list.js";
import { Commands } from "./commands.js";
import { Controls } from "./controls.js";
import { Departure } from "./departure.js";
import { byId } from "./elements.js";
import { Events } from "./events.js";
import { Files } from "./files.js";
import { Graph } from "./graph.js";
import { Help } from "./help.js";
import { Log } from "./log.js";
import { Machines } from "./machines.js";
import { listenToKeys, shortcutsOf } from "./shortcuts.js";
import { Line } from "./socket.js";
import { setUpSplitters } from "./splitters.js";
import { StateCard } from "./state_card.js";
import { StateMenu } from "./state_menu.js";
import { StatusLine } from "./status_line.js";
import { Store } from "./store.js";
import { setUpTabs } from "./tabs.js";
import { Theme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { Toasts } from "./toasts.js";
import { Values } from "./values.js";

const store = new Store();
const toasts = new Toasts(byId("toasts"));
const line = new Line("socket", {
  change: (isOpen) => store.setConnected(isOpen),
  message: (message) => (message.type === "hello" ? greet(message) : store.receive(message)),
});
const commands = new Commands(line, store, toasts);

setUpSplitters();
setUpTabs();
new StatusLine(store, toasts);
new Controls(store, commands);
new Files(store, toasts);
new Banner(store, commands);
new Machines(store, commands);
new Departure(store, commands, toasts);
const graph = new Graph(store, new StateMenu(store, commands));
new StateCard(store);
new Actions(store);
new Values(store);
new Events(store, commands);
new BreakpointList(store, commands);
const timeline = new Timeline(store, commands);
const log = new Log(store, commands);
const theme = new Theme(() => timeline.recolour());
byId("theme").onclick = () => theme.toggle();
const help = new Help();
const shortcuts = shortcutsOf({ commands, graph, log, theme, help, timeline, store });
help.list(shortcuts);
listenToKeys(shortcuts);

store.watch("selected", () => rememberSelected(store));

/** Begin anew with what the server says; the machine that was looked at before stays chosen. */
function greet(hello) {
  store.selected ??= machineInAddress();
  store.greet(hello);
  if (store.selected !== null) commands.select(store.selected, hello.selected);
}

function machineInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1)) || null;
  } catch {
    return null; // somebody has typed something else
  }
}

/** In the address, so that a page that is loaded again shows the same machine. */
function rememberSelected({ selected, machines }) {
  if (machines.size > 1) history.replaceState(null, "", `#${encodeURIComponent(selected)}`);
}
