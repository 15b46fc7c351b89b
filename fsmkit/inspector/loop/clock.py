"""Clock: passes the updates of a loop on to the machines, paused, stepped or at another speed."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from attrs import define

SLOWEST: Final = 0.1
FASTEST: Final = 10.0
ROUNDING: Final = 1e-9
"""Tolerance for a speed that was computed from others."""


@define
class Clock:
    """The time of the machines: paused or not, step by step, slower or faster."""

    time: float = 0.0
    """Seconds that have passed for the machines."""
    paused: bool = False
    speed: float = 1.0
    steps: int = 0
    """Updates still to be passed on while paused."""
    waits_for_page: bool = False
    """True if a page has paused, and not the program: with the last page its pause ends."""

    def pause(self, *, by_page: bool = False) -> None:
        """Stop passing updates on."""
        self.waits_for_page = by_page and (self.waits_for_page or not self.paused)
        self.paused = True
        self.steps = 0

    def resume(self) -> None:
        """Pass all updates on again."""
        self.paused = self.waits_for_page = False
        self.steps = 0

    def step(self) -> None:
        """Pass the next update on, then pause; only pages do that."""
        self.waits_for_page = self.waits_for_page or not self.paused
        self.paused = True
        self.steps += 1

    def portions(self, dt: float) -> Sequence[float]:
        """Return the updates that replace one of `dt` seconds.

        Above normal speed there are several, so that none of them is longer.
        """
        if self.paused and not self.steps:
            return ()
        if self.paused:
            self.steps -= 1
            return (dt,)
        count = ceil(self.speed - ROUNDING)
        return (dt * self.speed / count,) * count
