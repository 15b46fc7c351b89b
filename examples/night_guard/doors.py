"""The doors, which open for everyone and close after them, and the gate, which opens once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from events import CLEAR, GATE_UP, NEAR
from world import Door

from actions import SendEventWhen, Sequence, TimedWait, Tween, WaitUntil
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.space import Position

OPEN_IN = 0.3
CLOSE_IN = 0.6
STAYS_OPEN = 0.7


def door_machine(door: Door, visitors: Callable[[], Iterable[Position]]) -> Fsm[Door]:
    fsm = Fsm(f"Door {door.tile}", context=door, on_unhandled="ignore")
    shut, opening = fsm.add_state("Shut"), fsm.add_state("Opening")
    opened, closing = fsm.add_state("Open"), fsm.add_state("Closing")

    def is_wanted(state: FsmState[Door]) -> bool:
        return any(map(state.context.is_near, visitors()))

    def is_clear(state: FsmState[Door]) -> bool:
        return not is_wanted(state)

    shut.add_action(SendEventWhen(is_wanted, NEAR))
    opening.add_action(Tween(door, "opening", None, 1.0, duration=OPEN_IN))
    opened.add_action(Sequence(WaitUntil(is_clear), TimedWait(STAYS_OPEN, finish_event=CLEAR)))
    closing.add_action(Tween(door, "opening", None, 0.0, duration=CLOSE_IN, finish_event=CLEAR))
    closing.add_action(SendEventWhen(is_wanted, NEAR))

    shut.add_transition(NEAR, opening)
    opening.add_transition(FINISHED, opened)
    opened.add_transition(CLEAR, closing)
    closing.add_transition(NEAR, opening)
    closing.add_transition(CLEAR, shut)
    return fsm


def gate_machine(gate: Door) -> Fsm[Door]:
    fsm = Fsm("Gate", context=gate, on_unhandled="ignore")
    barred, opened = fsm.add_state("Barred"), fsm.add_state("Open", final=True)
    opened.add_action(Tween(gate, "opening", None, 1.0, duration=1.2))
    barred.add_transition(GATE_UP, opened)
    return fsm
