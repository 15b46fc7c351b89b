"""Census: how many agents were in each state, over time, and the picture of it."""

from __future__ import annotations

from typing import Protocol

from attrs import define, field

from fsmkit.crowd.charts.stacked import stacked_svg


class Countable(Protocol):
    """What can be counted: a Crowd."""

    @property
    def time(self) -> float:
        """Seconds that have passed."""
        ...

    def count(self) -> dict[str, int]:
        """How many agents are in each state."""
        ...


@define(eq=False)
class Census:
    """Counts the agents of a crowd now and then.

    `interval` is the time between two counts, in seconds; with 0 every `take` counts.

    >>> class Town:
    ...     time = 0.0
    ...     def count(self):
    ...         return {"Home": 3, "Work": 5}
    >>> census = Census(Town(), interval=1.0)
    >>> census.take()
    True
    >>> census.take()
    False
    >>> census.counts
    {'Home': [3], 'Work': [5]}
    """

    crowd: Countable
    interval: float = 0.0
    times: list[float] = field(factory=list, init=False)
    """The second of each count."""
    counts: dict[str, list[int]] = field(factory=dict, init=False)
    """State -> how many were in it, at each of the times."""

    def take(self) -> bool:
        """Count, if it is time to; whether it was. To be called after an update."""
        now = self.crowd.time
        if self.times and now < self.times[-1] + self.interval * (1.0 - 1e-9):
            return False
        for state, number in self.crowd.count().items():
            self.counts.setdefault(state, [0] * len(self.times)).append(number)
        self.times.append(now)
        return True

    def to_svg(self, *, dark: bool = False, width: int = 960, height: int = 360) -> str:
        """The counts as areas, one upon the other. `width` and `height` are in pixels."""
        return stacked_svg(self.times, self.counts, dark=dark, width=width, height=height)
