"""The siren: whoever rings it has all guards come running, and the lights flash for a while."""

from __future__ import annotations

from attrs import define
from events import ALARM, RING

from actions import Broadcast, Repeat, Sequence, Tween
from actions.easing import ease_in_out_sine
from fsmkit import FINISHED, Fsm, FsmGroup, FsmState
from fsmkit.space import Position

FLASHES = 5


@define(eq=False)
class Siren:
    light: float = 0.0
    """The redness of the rooms, from 0 to 1."""
    place: Position = (0.0, 0.0)
    """Where the thief is, as whoever rings says."""


def siren_machine(siren: Siren, guards: FsmGroup) -> Fsm[Siren]:
    fsm = Fsm("Siren", context=siren, on_unhandled="ignore")
    quiet, ringing = fsm.add_state("Quiet"), fsm.add_state("Ringing")

    flash = Sequence(
        Tween(siren, "light", None, 1.0, duration=0.35, easing=ease_in_out_sine),
        Tween(siren, "light", None, 0.1, duration=0.55, easing=ease_in_out_sine),
    )
    ringing.add_action(Broadcast(guards, ALARM, lambda: siren.place))
    ringing.add_action(Sequence(Repeat(flash, FLASHES), Tween(siren, "light", None, 0.0, 0.5)))

    quiet.add_transition(RING, ringing, do=note_the_place)
    ringing.add_transition(RING, ringing, do=note_the_place)
    ringing.add_transition(FINISHED, quiet)
    return fsm


def note_the_place(state: FsmState[Siren], place: Position) -> None:
    state.context.place = place
