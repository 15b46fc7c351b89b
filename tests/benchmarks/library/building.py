"""A character made of the library: it patrols to and fro, waits, and chases a hero."""

from __future__ import annotations

from measuring import Trial

from actions import Move, MoveTowards, SendEventWhen, TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.space import Transform


def character(hero: Transform) -> Fsm[Transform]:
    """Build one: four states, seven actions, eight transitions."""
    body = Transform()
    fsm = Fsm("Character", context=body)
    out, home, wait, chase = map(fsm.add_state, ("Out", "Home", "Wait", "Chase"))
    out.add_action(Move(body, (0.0, 0.0), (8.0, 0.0), 2.0))
    home.add_action(Move(body, (8.0, 0.0), (0.0, 0.0), 2.0))
    wait.add_action(TimedWait(1.0))
    chase.add_action(MoveTowards(body, hero, 3.0))
    for state in (out, home, wait):
        state.add_action(SendEventWhen(lambda: abs(body.position[0] - 5.0) < 1.0, "SEEN"))
        state.add_transition("SEEN", chase)
    out.add_transition(FINISHED, wait)
    wait.add_transition(FINISHED, home)
    home.add_transition(FINISHED, out)
    chase.add_transition(FINISHED, wait)
    return fsm


def prepare_characters(count: int) -> Trial:
    """Build so many."""
    hero = Transform((5.0, 5.0))
    built: list[Fsm[Transform]] = []
    return Trial(count, lambda: built.extend([character(hero) for _ in range(count)]), built.copy)
