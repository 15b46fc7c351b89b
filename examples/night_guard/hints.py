"""A hint: a text for the player, which is shown for a while."""

from __future__ import annotations

from attrs import define
from events import TELL

from actions import SetValue, TimedWait
from fsmkit import FINISHED, Fsm

READING_TIME = 8.0


@define(eq=False)
class Hint:
    text: str = ""


def hint_machine(hint: Hint) -> Fsm[Hint]:
    """Return a machine that shows the hints it is sent; the last one counts."""
    fsm = Fsm("Hint", context=hint, on_unhandled="ignore")
    empty, shown = fsm.add_state("Empty"), fsm.add_state("Shown")

    shown.add_action(SetValue(hint, "text", lambda: fsm.event_data, restore_on_exit=True))
    shown.add_action(TimedWait(READING_TIME))

    empty.add_transition(TELL, shown)
    shown.add_transition(TELL, shown)
    shown.add_transition(FINISHED, empty)
    return fsm
