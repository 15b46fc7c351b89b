"""Pacing: how the updates of a loop are passed on to the machines."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from attrs import define

SLOWEST: Final = 0.1
FASTEST: Final = 10.0
ROUNDING: Final = 1e-9
"""By how much a speed may be off that came of others, by multiplication and division."""


@define
class Pacing:
    """Paused or not, step by step, slower or faster."""

    paused: bool = False
    speed: float = 1.0
    steps: int = 0
    """Updates that are still to be made though it is paused."""

    def pause(self) -> None:
        """Pass nothing on any more."""
        self.paused = True
        self.steps = 0

    def resume(self) -> None:
        """Pass everything on again."""
        self.paused = False
        self.steps = 0

    def step(self) -> None:
        """Pass the next update on, then be paused."""
        self.paused = True
        self.steps += 1

    def portions(self, dt: float) -> Sequence[float]:
        """The updates to make in the place of one by `dt` seconds.

        At more than the ordinary speed there are several, so that none of them is longer.
        """
        if self.paused and not self.steps:
            return ()
        if self.paused:
            self.steps -= 1
            return (dt,)
        count = ceil(self.speed - ROUNDING)
        return (dt * self.speed / count,) * count
