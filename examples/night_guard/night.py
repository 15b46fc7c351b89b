"""The night as a whole: a heist, then the way out; it ends in jail or at the seaside."""

from __future__ import annotations

from events import ARREST, CLEAR, ESCAPE, GATE_UP, TAKEN
from thief import Thief

from actions import Broadcast, SendEventWhen
from fsmkit import Fsm, FsmGroup, FsmState


def night_machine(thief: Thief, jewels: int, gates: FsmGroup, thieves: FsmGroup) -> Fsm[Thief]:
    """Return the night of a thief who has so many jewels to take."""
    fsm = Fsm("Night", context=thief, on_unhandled="ignore")
    heist, getaway = fsm.add_state("Heist"), fsm.add_state("Getaway")
    escaped, caught = fsm.add_state("Escaped", final=True), fsm.add_state("Caught", final=True)

    def has_everything() -> bool:
        return thief.jewels == jewels

    heist.add_action(SendEventWhen(has_everything, TAKEN))
    getaway.add_action(Broadcast(gates, GATE_UP))
    getaway.add_action(SendEventWhen(is_out, CLEAR))
    escaped.add_action(Broadcast(thieves, ESCAPE))

    heist.add_transition(TAKEN, getaway)
    getaway.add_transition(CLEAR, escaped)
    for state in (heist, getaway):
        state.add_transition(ARREST, caught)
    return fsm


def is_out(state: FsmState[Thief]) -> bool:
    thief = state.context
    return thief.world.gate.is_passed(thief.body.position)
