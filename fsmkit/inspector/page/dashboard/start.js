/** The dashboard: many machines on a big screen, to be read from afar. It has no controls. */

import { conditionOf } from "../parts/condition.js";
import { Following } from "../all/following.js";
import { troubleText } from "../all/trouble_status.js";
import { StateColours, paints } from "../parts/colours.js";
import { Connection } from "../parts/connection.js";
import { byId, setText } from "../parts/elements.js";
import { Theme } from "../parts/preferences.js";
import { Store } from "../parts/store.js";
import { counted, seconds } from "../parts/wording.js";
import { Lanes } from "./lanes.js";
import { Mosaic } from "./mosaic.js";
import { StateCounts, countsOf } from "./state_counts.js";
import { Tiles } from "./tiles.js";

const ADDRESS = "#dashboard";
const PACE = 250; // milliseconds between two looks at the machines

/** True if the address asks for the dashboard. */
export const isDashboard = () => location.hash === ADDRESS;

/** Change between the page and the dashboard if the address does. */
export function listenToAddress() {
  const was = isDashboard();
  addEventListener("hashchange", () => isDashboard() !== was && location.reload());
}

/**
 * Bring the dashboard to life.
 *
 * @param {import("../parts/socket.js").Transport} transport carries messages to the program and back
 */
export function startDashboard(transport) {
  const store = new Store();
  const connection = new Connection(transport, {
    change: (isOpen) => store.setConnected(isOpen),
    message: (message) => (message.type === "hello" ? store.greet(message) : store.receive(message)),
  });
  new StateColours(store, connection);
  document.body.classList.add("dashboard");
  byId("dashboard").hidden = false;
  const ask = (request, more) => connection.ask(request, more).catch(() => null); // it asks again
  new Following(store, { ask }).want("dashboard", true);
  new Dashboard(store);
}

class Dashboard {
  constructor(store) {
    this.store = store;
    this.tiles = new Tiles(store);
    this.mosaic = new Mosaic(store);
    this.lanes = new Lanes(store);
    this.counts = new StateCounts();
    new Theme(() => this.#recolour());
    store.watch("status connection hello marks", () => this.#drawHead());
    store.watch("all status", () => this.lanes.draw());
    setInterval(() => this.#draw(), PACE);
  }

  #recolour() {
    this.paints = paints();
    this.lanes.paints = this.mosaic.paints = this.paints;
    this.lanes.draw();
  }

  #draw() {
    this.counts.draw(countsOf(this.store));
    const shown = this.tiles.draw();
    this.mosaic.draw(!this.tiles.showsAll);
    this.lanes.show(shown);
  }

  get #size() {
    const { hello, machines } = this.store;
    return hello?.kind === "crowd" ? hello.title : counted(machines.size, "machine");
  }

  #drawHead() {
    const { hello, status, machines, everyone } = this.store;
    const failed = [...machines.keys()].filter((machine) => everyone.roster.errors(machine)).length;
    const condition = conditionOf(this.store);
    const word = failed && condition.word !== "disconnected" ? "error" : condition.word;
    const calm = condition.text.replace(/, $/, "");
    byId("dashboard-status").dataset.status = word;
    setText(byId("dashboard-status"), failed ? `${calm}, ${troubleText(failed)}` : calm);
    setText(byId("dashboard-title"), hello?.title ?? "fsmkit");
    setText(byId("dashboard-clock"), seconds(status.clock, 1));
    document.title = `${this.#size} · dashboard`;
  }
}
