"""Serve the calls of an elevator.

The machine has few states; what it has to remember, the floor and the calls, is
in its context. That is the way wherever you would otherwise need a state for
each floor, each item or each health point. Every state takes `CALL` by an
`OnEvent` and stays. `FINISHED` has two transitions: with a
[guard](../concepts/guards.md) to `Stop` if somebody waits here, otherwise to
the next floor. It goes on in its direction as long as there is a call ahead.
"""

from actions import DelegateAction, OnEvent, TimedWait, WaitUntil
from fsmkit import FINISHED, Fsm


class Lift:
    def __init__(self) -> None:
        self.at, self.step, self.calls = 0, 1, set[int]()

    def go(self) -> None:
        if all((call - self.at) * self.step < 0 for call in self.calls):
            self.step = -self.step
        self.at += self.step


def build() -> Fsm[Lift]:
    lift = Lift()
    fsm = Fsm("Lift", context=lift)
    idle, ride, stop = map(fsm.add_state, ("Idle", "Ride", "Stop"))
    idle.add_action(WaitUntil(lambda _: bool(lift.calls)))
    ride.add_action(TimedWait(2.0))
    stop.add_action(DelegateAction(lambda _: lift.calls.remove(lift.at)))
    stop.add_action(TimedWait(3.0))
    stop.add_transition(FINISHED, idle)
    for one in (idle, ride):
        one.add_transition(FINISHED, stop, when=lambda _: lift.at in lift.calls)
        one.add_transition(FINISHED, ride, do=lift.go)
    for one in (idle, ride, stop):
        one.add_action(OnEvent("CALL", lambda _, to: lift.calls.add(to)))
    return fsm


if __name__ == "__main__":
    with build().running() as fsm:
        for floor in (3, 5, 1, 4):
            fsm.send_event("CALL", floor)
            for _ in range(5):
                fsm.update(1.0)
            calls = sorted(fsm.context.calls)
            print(f"{fsm.time} s {fsm.path[0]} {fsm.context.at}, calls {calls}")
