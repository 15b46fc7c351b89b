/** The banner: the panels show a past moment, or the machine is held at a breakpoint. */

import { callerText, wayText } from "../parts/caller_words.js";
import { byId, element, setText } from "../parts/elements.js";
import { fillPlace, makePlace } from "../parts/place.js";
import { stopText } from "../parts/stop_words.js";
import { seconds } from "../parts/wording.js";

const UNWATCHED = "Nobody looked at this machine: only its state is known.";

export class Banner {
  constructor(store, commands) {
    this.store = store;
    this.banner = byId("banner");
    byId("banner-show").onclick = () => commands.select(store.status.stop.outermost);
    byId("banner-back").onclick = () => commands.backToNow();
    byId("banner-go-on").onclick = () => commands.goOn();
    byId("banner-go-on-group").onclick = () => commands.goOnTogether();
    byId("banner-step").onclick = () => commands.step();
    byId("banner-resume").onclick = () => commands.resume();
    this.caller = element("span");
    this.place = makePlace();
    byId("banner-by").append(this.caller, " ", this.place);
    const root = document.documentElement.style;
    new ResizeObserver(() => root.setProperty("--banner-height", `${this.banner.offsetHeight}px`)).observe(
      this.banner,
    );
    store.watch("moment status hello connection selected machines", () => this.#draw());
  }

  /** True if the machine that has stopped is not the selected one. */
  #isElsewhere(stop) {
    const { selected, machines } = this.store;
    return Boolean(stop) && stop.outermost !== selected && machines.has(stop.outermost);
  }

  /** Who has called for the change that the machine is held before. */
  #drawCaller(by) {
    byId("banner-by").hidden = !byText(by) && !by.place;
    setText(this.caller, byText(by));
    fillPlace(this.place, by.place);
  }

  /** The way back for all machines, beside that for one alone. */
  #drawGroup(group, isReadOnly) {
    const goOn = group?.goOn;
    const [alone, together] = [byId("banner-go-on"), byId("banner-go-on-group")];
    together.hidden = !goOn || isReadOnly;
    setText(alone, group ? "Only this machine" : "Resume from here");
    alone.title = `${group ? "Resume only this machine from here" : "Resume from here"} (g)`;
    alone.classList.toggle("primary", !goOn);
    setText(together, goOn ? `Resume the group from here (${seconds(goOn.time, 1)})` : "");
    together.title = goOn ? ["Back to that moment (G)", ...goOn.others].join("; ") : "";
    byId("banner-text").title = group?.leftText ? `Left since: ${group.leftText}` : "";
  }

  #draw() {
    const { moment, group, status, isReadOnly, isConnected } = this.store;
    const stopped = isConnected ? stopText(status) : "";
    const kind = moment ? "moment" : !stopped ? "" : status.held ? "held" : "stop";
    this.banner.hidden = !kind;
    this.banner.dataset.kind = kind;
    document.body.dataset.showing = kind;
    byId("banner-back").hidden = !moment;
    byId("banner-show").hidden = !stopped || Boolean(moment) || !this.#isElsewhere(status.stop);
    byId("banner-go-on").hidden = !moment?.can_go_on || isReadOnly;
    this.#drawGroup(moment && group, isReadOnly);
    byId("banner-step").hidden = byId("banner-resume").hidden = !["held", "stop"].includes(kind) || isReadOnly;
    if (kind) setText(byId("banner-text"), moment ? momentText(moment, group) : stopped);
    this.#drawCaller(kind === "held" ? (status.held.by ?? {}) : {});
  }
}

function byText(by) {
  return [wayText(by), callerText(by)].filter(Boolean).join(", ");
}

function momentText({ time, can_go_on: canGoOn, detail, why }, group) {
  if (group) return [group.text, why, detail?.is_unwatched && UNWATCHED].filter(Boolean).join(" ");
  if (!detail) return `${seconds(time, 1)}: ${why || "not known"}`;
  if (detail.is_unwatched) return `At ${seconds(time, 1)} nobody looked at it: only its state is known.`;
  const more = canGoOn ? "" : " It cannot be resumed from here.";
  return `As it was at ${seconds(time)}.${more}`;
}
