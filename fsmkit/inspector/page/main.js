/** The inspector: creates its parts and connects them. */

import { Graph } from "./graph/graph.js";
import { Actions } from "./panels/actions.js";
import { Banner } from "./panels/banner.js";
import { BreakpointList } from "./panels/breakpoint_list.js";
import { Controls } from "./panels/controls.js";
import { Events } from "./panels/events.js";
import { Files } from "./panels/files.js";
import { Help } from "./panels/help.js";
import { Log } from "./panels/log.js";
import { Machines } from "./panels/machines.js";
import { StateCard } from "./panels/state_card.js";
import { StateMenu } from "./panels/state_menu.js";
import { StatusLine, Toasts } from "./panels/status.js";
import { Values } from "./panels/values.js";
import { Commands } from "./parts/commands.js";
import { Connection } from "./parts/connection.js";
import { Departure } from "./parts/departure.js";
import { byId } from "./parts/elements.js";
import { setUpSplitters, setUpTabs } from "./parts/layout.js";
import { Theme } from "./parts/preferences.js";
import { listenToKeys, shortcutsOf } from "./parts/shortcuts.js";
import { Store } from "./parts/store.js";
import { Timeline } from "./timeline/timeline.js";

/**
 * Bring the page to life.
 *
 * @param {import("./parts/socket.js").Transport} transport carries messages to the program and back
 */
export function startInspector(transport) {
  const store = new Store();
  const toasts = new Toasts(byId("toasts"));
  const connection = new Connection(transport, {
    change: (isOpen) => store.setConnected(isOpen),
    message: (message) =>
      message.type === "hello" ? greet(message, store, commands) : store.receive(message),
  });
  const commands = new Commands(connection, store, toasts);

  setUpSplitters();
  setUpTabs();
  new StatusLine(store, toasts);
  new Controls(store, commands);
  new Files(store, toasts, connection);
  new Banner(store, commands);
  new Machines(store, commands);
  new Departure(store, commands, toasts);
  const graph = new Graph(store, new StateMenu(store, commands), connection);
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
}

/** Start over with the program's greeting; the machine selected before stays selected. */
function greet(hello, store, commands) {
  store.selected ??= machineInAddress();
  store.greet(hello);
  if (store.selected !== null) commands.select(store.selected, hello.selected);
}

function machineInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1)) || null;
  } catch {
    return null; // the address was edited by hand
  }
}

/** Keep it in the address, so that a reloaded page shows the same machine. */
function rememberSelected({ selected, machines }) {
  if (machines.size > 1) history.replaceState(null, "", `#${encodeURIComponent(selected)}`);
}
