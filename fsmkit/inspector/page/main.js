/** The inspector: creates its parts and connects them. */

import { AllTimeline } from "./all/all_timeline.js";
import { Following } from "./all/following.js";
import { TroubleStatus } from "./all/trouble_status.js";
import { UnhandledStatus } from "./all/unhandled_status.js";
import { isDashboard, listenToAddress, startDashboard } from "./dashboard/start.js";
import { Editing } from "./editing/editing.js";
import { Dragging } from "./graph/dragging.js";
import { Graph } from "./graph/graph.js";
import { WorldMap } from "./map/map.js";
import { Actions } from "./panels/actions.js";
import { Banner } from "./panels/banner.js";
import { BreakpointEditor } from "./panels/breakpoint_editor.js";
import { BreakpointList } from "./panels/breakpoint_list.js";
import { CodeLines } from "./panels/code_lines.js";
import { Comparison } from "./panels/comparison.js";
import { Controls } from "./panels/controls.js";
import { Costs } from "./panels/costs.js";
import { CrowdPart } from "./panels/crowd.js";
import { Events } from "./panels/events.js";
import { Files } from "./panels/files.js";
import { Findings } from "./panels/findings.js";
import { Help } from "./panels/help.js";
import { Holders } from "./panels/holders.js";
import { Log } from "./panels/log.js";
import { Machines } from "./panels/machines.js";
import { NextChange } from "./panels/next_change.js";
import { Playing } from "./panels/playing.js";
import { StateCard } from "./panels/state_card.js";
import { StateMenu } from "./panels/state_menu.js";
import { StatusLine, Toasts } from "./panels/status.js";
import { Suspension } from "./panels/suspension.js";
import { TransitionMenu } from "./panels/transition_menu.js";
import { ValueEditor } from "./panels/value_editor.js";
import { Values } from "./panels/values.js";
import { Waiting } from "./panels/waiting.js";
import { Why } from "./panels/why.js";
import { decoded, encoded } from "./parts/address.js";
import { Commands } from "./parts/commands.js";
import { Connection } from "./parts/connection.js";
import { Departure } from "./parts/departure.js";
import { StateColours } from "./parts/colours.js";
import { byId } from "./parts/elements.js";
import { setUpSplitters, setUpTabs } from "./parts/layout.js";
import { Theme } from "./parts/preferences.js";
import { Restart } from "./parts/restart.js";
import { listenToKeys, shortcutsOf } from "./parts/shortcuts.js";
import { SendsView } from "./sends/sends_view.js";
import { Store } from "./parts/store.js";
import { Plots } from "./timeline/plots.js";
import { Plotted } from "./timeline/plotted.js";
import { Timeline } from "./timeline/timeline.js";

/**
 * Bring the page to life.
 *
 * @param {import("./parts/socket.js").Transport} transport carries messages to the program and back
 * @param {{ownsAddress?: boolean, code?: import("./editing/edits.js").CodePane}} [options]
 *   `ownsAddress`: false if what is behind the # of the page's address means something else than the
 *   selected machine; `code`: the code beside the inspector, which edits change
 * @returns {{reopen: () => void, forget: () => void}|undefined} how to go on with a program that was
 *   run again, and before that how to forget the last one if it is another
 */
export function startInspector(transport, { ownsAddress = true, code = null } = {}) {
  listenToAddress();
  if (isDashboard()) {
    startDashboard(transport);
    return;
  }
  const store = new Store();
  const toasts = new Toasts(byId("toasts"));
  const connection = new Connection(transport, {
    change: (isOpen) => store.setConnected(isOpen),
    message: (message) => {
      if (message.type === "hello") {
        restart.prepare(message);
        greet(message, store, commands, ownsAddress ? machineInAddress() : null);
      } else {
        store.receive(message);
        restart.goOn(message);
      }
    },
  });
  const commands = new Commands(connection, store, toasts);
  const restart = new Restart(store, commands, toasts);

  const following = new Following(store, commands);
  setUpSplitters();
  setUpTabs();
  new StateColours(store, connection);
  new StatusLine(store, toasts);
  new TroubleStatus(store, commands, toasts);
  new Controls(store, commands);
  new NextChange(store, commands);
  new Files(store, toasts, connection);
  new Playing(store, commands);
  new Comparison(store, commands);
  new Banner(store, commands);
  new Machines(store, commands);
  new CrowdPart(store, commands);
  new Departure(store, commands, toasts);
  const editor = new BreakpointEditor(store, commands);
  const codeLines = new CodeLines(store, connection);
  const events = new Events(store, commands, editor, codeLines);
  const stateMenu = new StateMenu(store, commands, editor, codeLines);
  const transitionMenu = new TransitionMenu(store, commands, editor, codeLines, events);
  const graph = new Graph(store, stateMenu, transitionMenu, connection);
  new Findings(store, connection, graph);
  new StateCard(store);
  new Waiting(store);
  new Why(store);
  const plotted = new Plotted(store);
  const values = new ValueEditor(store, commands);
  const actions = new Actions(store, commands, values, plotted, codeLines);
  const editing = new Editing({ store, commands, graph, stateMenu, transitionMenu, values }, code);
  actions.kept = editing.kept;
  new Dragging(store, commands); // after it, which draws transitions from states
  new Values(store, values, plotted, new Holders(store, connection));
  new Suspension(store, commands);
  new BreakpointList(store, commands, editor);
  new Costs(store, commands);
  const timeline = new Timeline(store, commands);
  const allTimeline = new AllTimeline(store, commands, following);
  const sends = new SendsView(store, commands, following, allTimeline);
  const log = new Log(store, commands, following);
  new UnhandledStatus(store, commands, log);
  byId("status-error").onclick = () => log.showError();
  const plots = new Plots(store, connection, [timeline, allTimeline], plotted);
  const map = new WorldMap(store, commands, connection);
  const theme = new Theme(() =>
    [timeline, allTimeline, sends, plots, map].forEach((each) => each.recolour()),
  );
  byId("theme").onclick = () => theme.toggle();
  const help = new Help();
  const shortcuts = shortcutsOf({ commands, graph, log, theme, help, timeline, allTimeline, sends, map, store });
  store.watch("hello", () => help.list([...shortcuts, ...editing.shortcuts]));
  listenToKeys(shortcuts, () => editing.shortcuts);

  if (ownsAddress) store.watch("selected", () => rememberSelected(store));
  return { reopen: () => connection.reopen(), forget: () => store.forget() };
}

/** Start over with the program's greeting; the machine selected before stays selected. */
function greet(hello, store, commands, first) {
  store.selected ??= first;
  store.greet(hello);
  if (store.selected !== null) commands.select(store.selected, hello.selected);
}

function machineInAddress() {
  try {
    return decoded(location.hash.slice(1)) || null;
  } catch {
    return null; // the address was edited by hand
  }
}

/** Keep it in the address, so that a reloaded page shows the same machine. */
function rememberSelected({ selected, machines }) {
  if (machines.size > 1) history.replaceState(null, "", `#${encoded(selected)}`);
}
