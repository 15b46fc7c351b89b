"""A clock says tick and tock forever.

    fsmkit run examples/clock.py --seconds 4
    python examples/clock.py

This machine is small: two states lead to each other, and each has two actions. One waits. The
other is our own class, with an `on_enter` that calls `finish()`. A DelegateAction would do as well,
but a class can be reused in every state and every program.
"""

from dataclasses import dataclass

from actions import TimedWait
from fsmkit import FINISHED, Fsm, FsmAction


@dataclass
class Clock:
    beats: int = 0


class Write(FsmAction[Clock]):
    """Write a line on the console."""

    def __init__(self, line: str) -> None:
        self.line = line

    def on_enter(self) -> None:
        self.context.beats += 1
        print(f"{self.context.beats:4}  {self.line}")
        self.finish()


def build() -> Fsm[Clock]:
    fsm = Fsm("Clock", context=Clock())
    for name, line in (("Tick", "tick"), ("Tock", "... tock")):
        state = fsm.add_state(name)
        state.add_action(Write(line))
        state.add_action(TimedWait(1.0))
    tick, tock = fsm.states.values()
    tick.add_transition(FINISHED, tock)
    tock.add_transition(FINISHED, tick)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    while fsm.context.beats < 8:  # leave this out, and it does run forever
        fsm.update(0.5)


if __name__ == "__main__":
    main()
