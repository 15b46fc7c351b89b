"""A shop door opens when somebody comes near, and again if somebody comes while it closes.

    fsmkit run examples/door.py --seconds 10
    python examples/door.py

The second customer comes when the door is half closed. That needs no extra state: a MoveTowards
starts where the door is and moves at its speed, whatever the distance. A sensor, a SendEventWhen,
checks whether somebody is near, in the states where it matters.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from actions import MoveTowards, SendEventWhen, TimedWait, WaitUntil
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.space import Transform

SHUT, WIDE = (0.0, 0.0), (1.2, 0.0)
SPEED = 0.8
"""Metres per second."""

VISITS = [(1.0, 2.0), (4.75, 8.0)]
"""The times between which someone stands before it, in seconds."""

SOMEBODY = "SOMEBODY"
CLOSED = "CLOSED"


@dataclass
class Shop:
    now: Callable[[], float]
    door: Transform = field(default_factory=lambda: Transform(SHUT))

    @property
    def has_visitor(self) -> bool:
        return any(begin <= self.now() < end for begin, end in VISITS)


def somebody_is_near(state: FsmState[Shop]) -> bool:
    return state.context.has_visitor


def nobody_is_near(state: FsmState[Shop]) -> bool:
    return not state.context.has_visitor


def build() -> Fsm[Shop]:
    shop = Shop(now=lambda: fsm.time)
    fsm = Fsm("Door", context=shop)
    closed, opening = fsm.add_state("Closed"), fsm.add_state("Opening")
    opened, closing = fsm.add_state("Open"), fsm.add_state("Closing")

    closed.add_action(SendEventWhen(somebody_is_near, SOMEBODY))
    opening.add_action(MoveTowards(shop.door, WIDE, SPEED))
    opened.add_action(WaitUntil(nobody_is_near))
    opened.add_action(TimedWait(1.5))
    closing.add_action(SendEventWhen(somebody_is_near, SOMEBODY))
    closing.add_action(MoveTowards(shop.door, SHUT, SPEED, finish_event=CLOSED))

    closed.add_transition(SOMEBODY, opening)
    opening.add_transition(FINISHED, opened)
    opened.add_transition(FINISHED, closing)
    closing.add_transition(SOMEBODY, opening)
    closing.add_transition(CLOSED, closed)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    while fsm.time < 10.0:
        fsm.update(0.5)
        assert fsm.current_state is not None
        gap, _ = fsm.context.door.position
        panel = "=" * round(10 * (1.0 - gap / WIDE[0]))
        who = "o" if fsm.context.has_visitor else ""
        print(
            f"{fsm.time:4.1f} s  {fsm.current_state.name:8}|{panel:10}|  {who}".rstrip()
        )


if __name__ == "__main__":
    main()
