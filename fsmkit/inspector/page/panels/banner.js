/** The banner: the panels show a past moment, or the machine is held at a breakpoint. */

import { byId, setText } from "../parts/elements.js";
import { stopText } from "../parts/stop_words.js";
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
    const stopped = isConnected ? stopText(status) : "";
    const kind = moment ? "moment" : !stopped ? "" : status.held ? "held" : "stop";
    this.banner.hidden = !kind;
    this.banner.dataset.kind = kind;
    document.body.dataset.showing = kind;
    byId("banner-back").hidden = !moment;
    byId("banner-go-on").hidden = !moment?.can_go_on || isReadOnly;
    byId("banner-step").hidden = byId("banner-resume").hidden = !["held", "stop"].includes(kind) || isReadOnly;
    if (kind) setText(byId("banner-text"), moment ? momentText(moment) : stopped);
  }
}

function momentText({ time, can_go_on: canGoOn, detail }) {
  if (detail.is_unwatched) return `At ${seconds(time, 1)} nobody looked at it: only its state is known.`;
  const more = canGoOn ? "" : " It cannot be resumed from here.";
  return `As it was at ${seconds(time, 1)}.${more}`;
}
