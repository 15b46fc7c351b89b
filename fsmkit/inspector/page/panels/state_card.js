/** The current state of the selected machine, and the way it got there. */

import { callerText, wayText } from "../parts/caller_words.js";
import { setSwatch } from "../parts/colours.js";
import { byId, element, matchChildren, setLongText, setText } from "../parts/elements.js";
import { fillPlace, makePlace } from "../parts/place.js";
import { counted, seconds, stateName } from "../parts/wording.js";

export class StateCard {
  constructor(store) {
    this.card = byId("state-card");
    this.swatch = this.card.querySelector(".swatch");
    this.by = byId("state-by");
    this.caller = element("span");
    this.place = makePlace();
    this.by.append(this.caller, " ", this.place);
    store.watch("detail", () => this.#draw(store.shown));
  }

  /** Who has sent the event that led here, or started the machine, and from where. */
  #drawCaller(origin, state) {
    const text = [wayText(origin), callerText(origin)].filter(Boolean).join(", ");
    this.by.hidden = state === null || !(text || origin.place);
    setText(this.caller, text);
    fillPlace(this.place, origin.place);
  }

  #draw(detail) {
    const state = detail?.state ?? null;
    this.card.dataset.state = state ?? "";
    setLongText(byId("state-name"), detail ? stateName(state) : "–");
    this.#drawCaller(detail?.origin ?? {}, state);
    if (detail?.census) return this.#drawCrowd(detail.census);
    setText(byId("state-time"), state === null ? "" : seconds(detail.time_in_state));
    setLongText(byId("state-how"), detail ? originOf(detail) : "");
    setLongText(byId("state-suspended"), suspendedText(detail?.suspended ?? []));
    setSwatch(this.swatch, state);
    const makeError = () => element("p");
    matchChildren(byId("state-errors"), detail?.failures ?? [], String, makeError, setLongText);
  }

  /** The number of agents, and the states that most of them are in. */
  #drawCrowd({ size, counts }) {
    const most = Object.entries(counts).filter(([, count]) => count);
    most.sort(([, a], [, b]) => b - a);
    const texts = most.map(([state, count]) => `${state} ${count.toLocaleString("en")}`);
    setText(byId("state-name"), counted(size, "agent"));
    setText(byId("state-time"), "");
    setLongText(byId("state-how"), texts.join(", ") || "Not running.");
    setText(byId("state-suspended"), "");
    setSwatch(this.swatch, most[0]?.[0] ?? null);
  }
}

/** The suspended states, in the order in which it goes back to them. */
function suspendedText(states) {
  return states.length ? `Suspended: ${states.toReversed().join(", then ")}` : "";
}

function originOf({ previous, last_event: event, state, resumed_by: resumedBy, ...more }) {
  if (more.is_unwatched) return event ? `By ${event}` : "";
  if (state === null) return previous ? `Last in ${previous}.` : "It has not been started.";
  if (resumedBy) return `${resumedBy}, back from ${previous}`;
  if (!previous) return "It started here.";
  return event ? `${event}, from ${previous}` : `From ${previous}`;
}
