"""Tell a click from a double-click and a hold.

The hardware knows only `PRESS` and `RELEASE`; what they mean is a matter of
time. So each phase of the gesture is a state, and a
[wait](../concepts/finishing.md) in it is its limit. A button that stays down
for half a second is held. One that was released and is not pressed again within
a quarter of a second was clicked.

A click is reported only once no second one can follow: that delay is the price
of double-clicks. Here the context is a list of gestures. In a game it is the
machine of the player, and the effects send events to it, as
`state.context.send_event("CLICK")` does. The machine is small, so each button
has its own.
"""

from actions import TimedWait
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.testing import drive


def click(state: FsmState[list[str]]) -> None:
    state.context.append("click")


def double_click(state: FsmState[list[str]]) -> None:
    state.context.append("double-click")


def hold(state: FsmState[list[str]]) -> None:
    state.context.append("hold")


def build() -> Fsm[list[str]]:
    fsm = Fsm("Button", context=list[str]())
    up, down, between = map(fsm.add_state, ("Up", "Down", "Between"))
    again, held = map(fsm.add_state, ("Down again", "Held"))
    down.add_action(TimedWait(0.5))
    between.add_action(TimedWait(0.25))
    up.add_transition("PRESS", down)
    down.add_transition("RELEASE", between)
    down.add_transition(FINISHED, held, do=hold)
    between.add_transition(FINISHED, up, do=click)
    between.add_transition("PRESS", again, do=double_click)
    again.add_transition("RELEASE", up)
    held.add_transition("RELEASE", up)
    return fsm


if __name__ == "__main__":
    fsm = build()
    drive(fsm, ["PRESS", 0.1, "RELEASE", 0.25])
    drive(fsm, ["PRESS", 0.1, "RELEASE", 0.1, "PRESS", 0.1, "RELEASE"])
    drive(fsm, ["PRESS", 0.5, "RELEASE"])
    print(fsm.context)
