"""The legs of a guard, which stand still before a door until it is open."""

from __future__ import annotations

from events import CLEAR, NEAR
from watch import Guard

from actions import SendEventWhen, SetValue
from fsmkit import Fsm, FsmState


def legs_machine(guard: Guard) -> Fsm[Guard]:
    fsm = Fsm(f"{guard.name}'s legs", context=guard)
    walk, wait = fsm.add_state("Walk"), fsm.add_state("Wait")

    walk.add_action(SendEventWhen(is_before_a_door, NEAR))
    wait.add_action(SetValue(guard.legs, "paused", True, restore_on_exit=True))
    wait.add_action(SendEventWhen(has_a_free_way, CLEAR))

    walk.add_transition(NEAR, wait)
    wait.add_transition(CLEAR, walk)
    return fsm


def is_before_a_door(state: FsmState[Guard]) -> bool:
    guard = state.context
    return guard.world.is_waiting_at_door(guard.body.position)


def has_a_free_way(state: FsmState[Guard]) -> bool:
    return not is_before_a_door(state)
