/** The current state of the selected machine, and how it got there. */

import { byId, setLongText, setText } from "./elements.js";
import { setSwatch } from "./colours.js";
import { seconds, stateName } from "./wording.js";

export class StateCard {
  constructor(store) {
    this.card = byId("state-card");
    this.swatch = this.card.querySelector(".swatch");
    store.watch("detail", () => this.#draw(store.shown));
  }

  #draw(detail) {
    const state = detail?.state ?? null;
    this.card.dataset.state = state ?? "";
    setLongText(byId("state-name"), detail ? stateName(state) : "–");
    setText(byId("state-time"), state === null ? "" : seconds(detail.time_in_state));
    setLongText(byId("state-how"), detail ? howItCame(detail) : "");
    setSwatch(this.swatch, state);
  }
}

function howItCame({ previous, last_event: event, state }) {
  if (state === null) return previous ? `Last in ${previous}.` : "It has not been started.";
  if (!previous) return "It began here.";
  return event ? `${event}, from ${previous}` : `From ${previous}`;
}
