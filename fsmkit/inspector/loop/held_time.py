"""HeldTime: how long the loop was held, taken off the next step of a game with a real clock."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import Final

from attrs import define, field

REMEMBERED: Final = 16
"""Steps that say what is ordinary: a game may have long and short ones by turns."""

PATIENCE: Final = 2
"""Steps after a hold in which it may show: a game may have asked the clock before the hold."""


@define
class HeldTime:
    """Tells a step that contains the time of a hold from others, and shortens that one only.

    A game with a real clock measures the hold as if it had been one very long step. It is longer
    than any before: the time of the hold is taken off, down to the last ordinary step. A game with
    fixed steps makes one like those before, which stays as it is.

    >>> held = HeldTime()
    >>> held.without(0.02)
    0.02
    >>> held.add(3.0)
    >>> round(held.without(3.03), 6), held.without(0.02)
    (0.03, 0.02)
    """

    _held: float = 0.0
    """Seconds that have not shown yet."""
    _steps_left: int = 0
    _ordinary: deque[float] = field(factory=lambda: deque(maxlen=REMEMBERED))

    def add(self, seconds: float) -> None:
        """Note that the loop was held that long."""
        self._held += seconds
        self._steps_left = PATIENCE

    def without(self, dt: float) -> float:
        """Return a step without the time that the loop was held."""
        if self._steps_left:
            self._steps_left -= 1
            dt = self._shortened(dt)
            if not self._steps_left:
                self._held = 0.0
        if 0.0 <= dt < inf:  # else the machine raises an error
            self._ordinary.append(dt)
        return dt

    def _shortened(self, dt: float) -> float:
        if not self._ordinary or not max(self._ordinary) < dt < inf:
            return dt
        shorter = min(dt, max(self._ordinary[-1], dt - self._held))
        self._held -= dt - shorter
        return shorter
