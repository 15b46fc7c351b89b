"""Serve the calls of an elevator.

The machine has few states; the floor and the calls are in its context. Do the
same wherever you would otherwise need a state for each floor, each item or each
health point. Both states handle `CALL` with an `OnEvent` and stay. `FINISHED`
has two transitions. The first has a [guard](../concepts/guards.md): the doors
open if somebody is waiting here. Otherwise the elevator rides on, in the same
direction as long as there is a call ahead. `Open` finishes when all its actions
have finished: three seconds are over, and there is a call.
"""

from actions import DelegateAction, OnEvent, TimedWait, WaitUntil
from fsmkit import FINISHED, Fsm
from fsmkit.testing import drive


class Lift:
    def __init__(self) -> None:
        self.floor, self.step, self.calls = 0, 1, set[int]()

    def is_called(self) -> bool:
        return self.floor in self.calls

    def go(self) -> None:
        if all((call - self.floor) * self.step < 0 for call in self.calls):
            self.step = -self.step
        self.floor += self.step

    def serve(self) -> None:
        self.calls.discard(self.floor)


def build() -> Fsm[Lift]:
    fsm = Fsm("Lift", context=Lift())
    doors, ride = fsm.add_state("Open"), fsm.add_state("Ride")
    doors.add_action(DelegateAction(fsm.context.serve))
    doors.add_action(WaitUntil(lambda state: bool(state.context.calls)))
    for state, seconds in ((doors, 3.0), (ride, 2.0)):
        state.add_action(TimedWait(seconds))
        state.add_action(OnEvent("CALL", lambda s, to: s.context.calls.add(to)))
        state.add_transition(FINISHED, doors, when=fsm.context.is_called)
        state.add_transition(FINISHED, ride, do=fsm.context.go)
    return fsm


if __name__ == "__main__":
    fsm = build()
    for floor in (3, 5, 1, 4):
        drive(fsm, [("CALL", floor), *[1.0] * 5])
        print(fsm.time, *fsm.path, fsm.context.floor, fsm.context.calls)
