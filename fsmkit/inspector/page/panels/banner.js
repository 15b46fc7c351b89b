/** The banner: the panels show a past moment, or the machine is held at a breakpoint. */

import { changeOf } from "../parts/condition.js";
import { byId, setText } from "../parts/elements.js";
import { seconds } from "../parts/wording.js";

export class Banner {
  constructor(store, commands) {
    this.store = store;
    this.banner = byId("banner");
    byId("banner-back").onclick = () => commands.backToNow();
    byId("banner-go-on").onclick = () => commands.goOn();
    byId("banner-step").onclick = () => commands.step();
    byId("banner-resume").onclick = () => commands.resume();
    store.watch("moment status hello connection", () => this.#draw());
  }

  #draw() {
    const { moment, status, isReadOnly, isConnected } = this.store;
    const held = isConnected ? status.held : null;
    const kind = moment ? "moment" : held ? "held" : "";
    this.banner.hidden = !kind;
    this.banner.dataset.kind = kind;
    document.body.dataset.showing = kind;
    byId("banner-back").hidden = !moment;
    byId("banner-go-on").hidden = !moment?.can_go_on || isReadOnly;
    byId("banner-step").hidden = byId("banner-resume").hidden = kind !== "held" || isReadOnly;
    if (kind) setText(byId("banner-text"), moment ? momentText(moment) : heldText(held));
  }
}

function momentText({ time, can_go_on: canGoOn }) {
  const more = canGoOn ? "" : " It cannot be resumed from here.";
  return `As it was at ${seconds(time, 1)}.${more}`;
}

function heldText(held) {
  const event = held.event ? `${held.event}: ` : "";
  return `${held.machine} waits before ${event}${changeOf(held)}`;
}
