"""Waiting: how long the next update lasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from fsmkit import Fsm, FsmAction, TimeReference
from fsmkit.timing import TIME_TOLERANCE, CountdownTimer
from fsmkit.tooling.run_state import is_entered, places, read_run_state

DIGITS: Final = 9
"""Decimal places of a step: what is due within `TIME_TOLERANCE` is due."""


def next_step(machines: Sequence[Fsm[Any]], step: float) -> float:
    """Return the seconds to the next time that is known, `step` at most."""
    ahead = [seconds for seconds in _times_ahead(machines) if seconds > TIME_TOLERANCE]
    return round(min([step, *ahead]), DIGITS)


def _times_ahead(machines: Sequence[Fsm[Any]]) -> Iterator[float]:
    """Yield the seconds to what is due, as far as it is known."""
    for machine in machines:
        if not machine.is_running:
            continue
        for due, *_ in read_run_state(machine).delayed:
            yield due - machine.time
        if machine.current_state is not None:
            for _, action in places(machine.current_state):
                if not action.finished and is_entered(action):
                    yield from _times_of(action)


def _times_of(action: FsmAction[Any]) -> Iterator[float]:
    elapsed, length = getattr(action, "elapsed", None), getattr(action, "length", None)
    if isinstance(elapsed, float) and isinstance(length, float):
        yield _by_machine(length - elapsed, getattr(action, "time", None))
    for value in vars(action).values():
        if isinstance(value, CountdownTimer):
            yield _by_machine(value.remaining, value.time)


def _by_machine(seconds: float, time: object) -> float:
    """Return how long `seconds` by a time reference are for the machine."""
    if not isinstance(time, TimeReference):
        return seconds
    scale = time.scaled(1.0)
    return seconds / scale if scale > 0.0 else 0.0
