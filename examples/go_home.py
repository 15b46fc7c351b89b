"""A farmer works in one field after another and goes home in between, always at the same speed.

    fsmkit run examples/go_home.py --seconds 20
    python examples/go_home.py

A Move has a duration. Here it is a function: called whenever the state is entered, it computes the
duration from the distance, which is different each time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle

from actions import DelegateAction, Move, TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.space import Position, Transform, distance

HOME = (0.0, 0.0)
FIELDS = [(6.0, 0.0), (0.0, 10.0), (-3.0, 4.0)]
SPEED = 4.0
"""Metres per second."""


@dataclass
class Farmer:
    transform: Transform = field(default_factory=lambda: Transform(HOME))
    fields: Iterator[Position] = field(default_factory=lambda: cycle(FIELDS))
    goal: Position = HOME

    def choose_field(self) -> None:
        self.goal = next(self.fields)

    def seconds_to(self, place: Position) -> float:
        return distance(self.transform.position, place) / SPEED


def build() -> Fsm[Farmer]:
    farmer = Farmer()
    body = farmer.transform
    fsm = Fsm("Farmer", context=farmer)
    go_out = fsm.add_state("GoOut")
    work = fsm.add_state("Work")
    go_home = fsm.add_state("GoHome")
    rest = fsm.add_state("Rest")

    go_out.add_action(
        DelegateAction(lambda state: state.context.choose_field())
    )
    go_out.add_action(
        Move(
            body,
            None,
            lambda: farmer.goal,
            duration=lambda: farmer.seconds_to(farmer.goal),
        )
    )
    work.add_action(TimedWait(2.0))
    go_home.add_action(
        Move(body, None, HOME, duration=lambda: farmer.seconds_to(HOME))
    )
    rest.add_action(TimedWait(1.0))

    go_out.add_transition(FINISHED, work)
    work.add_transition(FINISHED, go_home)
    go_home.add_transition(FINISHED, rest)
    rest.add_transition(FINISHED, go_out)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    for second in range(1, 21):
        for _ in range(60):
            fsm.update(1 / 60)
        assert fsm.current_state is not None
        x, y = fsm.context.transform.position
        print(
            f"{second:2} s  {fsm.current_state.name:6}  at ({x:4.1f}, {y:4.1f})"
        )


if __name__ == "__main__":
    main()
