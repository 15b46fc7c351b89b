"""The jewels: they glint until someone takes them."""

from __future__ import annotations

from attrs import define
from events import RING, TAKEN
from thief import Thief

from actions import AddValue, Broadcast, InRange, Repeat, SendEventWhen, Sequence, TimedWait, Tween
from actions.easing import ease_in_out_sine
from fsmkit import Fsm, FsmGroup
from fsmkit.pathfinding import Tile

GRASP = 0.8


@define(eq=False)
class Jewel:
    name: str
    tile: Tile
    thief: Thief
    pause: float
    """Seconds between one sparkle and the next."""
    glint: float = 0.0
    """The brightness of its sparkle, from 0 to 1."""
    presence: float = 1.0
    """The share of it that is still there."""


def jewel_machine(jewel: Jewel, sirens: FsmGroup) -> Fsm[Jewel]:
    fsm = Fsm(f"The {jewel.name}", context=jewel, on_unhandled="ignore")
    shining, taken = fsm.add_state("Shining"), fsm.add_state("Taken", final=True)

    glint = Sequence(
        TimedWait(jewel.pause),
        Tween(jewel, "glint", 0.0, 1.0, duration=0.5, easing=ease_in_out_sine),
        Tween(jewel, "glint", 1.0, 0.0, duration=0.9, easing=ease_in_out_sine),
    )
    shining.add_action(Repeat(glint))
    shining.add_action(SendEventWhen(InRange(jewel.thief.body, jewel.tile, GRASP), TAKEN))
    taken.add_action(Broadcast(sirens, RING, jewel.tile))
    taken.add_action(AddValue(jewel.thief, "jewels", 1))
    taken.add_action(Tween(jewel, "presence", None, 0.0, duration=0.5))

    shining.add_transition(TAKEN, taken)
    return fsm
