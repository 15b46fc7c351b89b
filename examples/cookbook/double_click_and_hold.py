"""Tell a click from a double-click and a hold.

The hardware knows only `PRESS` and `RELEASE`; what they mean is a matter of
time. So each moment of the gesture is a state, and a
[wait](../concepts/finishing.md) in it is its limit: a button that stays down
for half a second is held, and one that was released and is not pressed again
within a quarter of a second was clicked.

A click is reported only when no second one has come: whoever wants
double-clicks pays with this delay. Here the context is the function that is
told; in a game it is more often the player's machine, and `click` sends it an
event. The machine is small, so each button has its own.
"""

from collections.abc import Callable

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.testing import drive

Report = Callable[[str], object]


def click(state: FsmState[Report]) -> None:
    state.context("click")


def double_click(state: FsmState[Report]) -> None:
    state.context("double-click")


def build(report: Report = print) -> Fsm[Report]:
    fsm = Fsm("Button", context=report)
    up, down, between = map(fsm.add_state, ("Up", "Down", "Between"))
    again, held = map(fsm.add_state, ("Down again", "Held"))
    down.add_action(TimedWait(0.5))
    between.add_action(TimedWait(0.25))
    held.add_action(DelegateAction(lambda state: state.context("hold")))
    up.add_transition("PRESS", down)
    down.add_transition("RELEASE", between)
    down.add_transition(FINISHED, held)
    between.add_transition(FINISHED, up, do=click)
    between.add_transition("PRESS", again, do=double_click)
    again.add_transition("RELEASE", up)
    held.add_transition("RELEASE", up)
    return fsm


if __name__ == "__main__":
    fsm: Fsm[Report] = build(lambda what: print(f"{fsm.time:.2f} s  {what}"))
    drive(fsm, ["PRESS", 0.1, "RELEASE", 0.25])
    drive(fsm, ["PRESS", 0.1, "RELEASE", 0.1, "PRESS", 0.1, "RELEASE"])
    drive(fsm, ["PRESS", 0.5, "RELEASE"])
