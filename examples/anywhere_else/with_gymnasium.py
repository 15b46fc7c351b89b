"""Gymnasium: a machine as a policy written by hand, which solves MountainCar.

    python examples/anywhere_else/with_gymnasium.py

The car is too weak for the hill. So it swings: it pushes in the direction in which it is rolling. A
step of the environment is an update of the machine; time has no say.
"""

from __future__ import annotations

from typing import Any

import gymnasium
from attrs import define

from actions import SendEventWhen, SetValue
from fsmkit import Fsm

LEFT, RIGHT = 0, 2
"""The actions of MountainCar-v0 (Moore 1990)."""


@define
class Car:
    velocity: float = 0.0
    push: int = LEFT


def build(car: Car | None = None) -> Fsm[Car]:
    fsm = Fsm("Driver", context=car or Car())
    for name, push, turns in (
        ("Back", LEFT, lambda: fsm.context.velocity > 0.0),
        ("Forth", RIGHT, lambda: fsm.context.velocity < 0.0),
    ):
        state = fsm.add_state(name)
        state.add_action(SetValue(fsm.context, "push", push))
        state.add_action(SendEventWhen(turns, "TURNS"))
    back, forth = fsm.states.values()
    back.add_transition("TURNS", forth)
    forth.add_transition("TURNS", back)
    return fsm


def drive(environment: gymnasium.Env[Any, Any], seed: int) -> int:
    """Return the steps it takes to the flag; 200 if it does not get there."""
    car = Car()
    fsm = build(car)
    environment.reset(seed=seed)
    with fsm.running():
        for step in range(1, 201):
            observation, _, is_there, _, _ = environment.step(car.push)
            if is_there:
                return step
            car.velocity = float(observation[1])
            fsm.update(0.0)
    return 200


if __name__ == "__main__":
    print(drive(gymnasium.make("MountainCar-v0"), seed=1), "steps")
