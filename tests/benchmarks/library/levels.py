"""A wait, and composites around it: one, and two of the same inside one another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from twins import LONG, Bag, Case

import actions as a
from fsmkit import FINISHED, Fsm, FsmAction

Action = FsmAction[Any]


def run_fsm(inner: Action) -> Action:
    fsm: Fsm[None] = Fsm("Inner")
    one, two = fsm.add_state("One"), fsm.add_state("Two", final=True)
    one.add_action(inner)
    one.add_transition(FINISHED, two)
    return a.RunFsm(fsm)


def coroutine(inner: Action) -> Action:
    def routine(state: object) -> Iterator[Action]:
        yield inner

    return a.Coroutine(routine)


AROUND: Final[dict[str, Callable[[Action], Action]]] = {
    "Sequence": a.Sequence,
    "Parallel": a.Parallel,
    "Race": a.Race,
    "Repeat": lambda inner: a.Repeat(inner, times=1),
    "Selector": lambda inner: a.Selector(a.Option(inner)),
    "Retry": lambda inner: a.Retry(inner, 3),
    "Timeout": lambda inner: a.Timeout(inner, LONG),
    "When": lambda inner: a.When(lambda: True, inner),
    "Coroutine": coroutine,
    "RunFsm": run_fsm,
    "Regions": lambda inner: a.Regions(run_fsm(inner)),
}


def nested(name: str, depth: int) -> Case:
    """Return the case of a wait with so many composites of a kind around it."""

    def make(thing: object, seconds: float) -> Action:
        action: Action = a.TimedWait(seconds)
        for _ in range(depth):
            action = AROUND[name](action)
        return action

    return Case(f"{name} {depth}", make, Bag, {"update": "pass"})
