"""The chronicle: what happens in the night, told in plain words as it happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import events
from attrs import define, field
from game import Game
from jewels import Jewel
from watch import Guard

from fsmkit import FINISHED, Fsm, FsmState

OF_A_GUARD: Final[dict[tuple[str, str | None], str]] = {
    ("Listen", events.NOISE): "{} hears something",
    ("Investigate", events.LISTENED): "{} goes to look",
    ("Investigate", events.NOISE): "{} hears it again, and hurries",
    ("Investigate", events.ALARM): "{} comes running",
    ("Investigate", events.NOBODY): "{} is not so sure, and goes to look",
    ("Investigate", events.LOST): "{} has lost him",
    ("Suspect", events.SEEN): "{} sees a shadow",
    ("Chase", events.CERTAIN): "{} runs after him",
    ("LookAround", events.ARRIVED): "{} looks around",
    ("GiveUp", events.NOBODY): "{} gives up",
    ("Patrol", events.ARRIVED): "{} goes on with the round",
    ("Arrest", events.GOT_HIM): "{} has him by the collar",
}

OF_THE_HOUSE: Final[dict[tuple[str, str | None], str]] = {
    ("Ringing", events.RING): "The alarm goes off",
    ("Quiet", FINISHED): "The alarm falls silent",
    ("Getaway", events.TAKEN): "The gate goes up",
    ("Escaped", events.CLEAR): "He is out, with all the jewels",
    ("Caught", events.ARREST): "The night ends at the police station",
}


@define(eq=False)
class Chronicle:
    """An observer of all machines of a game; `read` is called with each line it writes."""

    game: Game
    read: Callable[[str], object] = lambda _line: None
    lines: list[str] = field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        self.game.observe(self)

    def tell(self, text: str) -> None:
        line = f"{self.game.time:5.1f} s  {text}"
        self.lines.append(line)
        self.read(line)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        text = sentence(fsm, state, event)
        if text and fsm.previous_state is not state:
            self.tell(text)


def sentence(fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> str | None:
    """Return the line about a machine that has entered a state by an event; None if nothing."""
    key = (state.name, event)
    if isinstance(fsm.context, Guard):
        return OF_A_GUARD[key].format(fsm.name) if key in OF_A_GUARD else None
    if isinstance(fsm.context, Jewel) and event == events.TAKEN:
        return f"He takes the {fsm.context.name}"
    return OF_THE_HOUSE.get(key)
