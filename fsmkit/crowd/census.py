"""Census: the number of agents in each state over time, and its picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from attrs import define, field

from fsmkit.crowd.charts.stacked import stacked_svg
from fsmkit.crowd.errors import CrowdError
from fsmkit.timing import checked_seconds


class Countable(Protocol):
    """A crowd, as far as a census needs it."""

    @property
    def time(self) -> float:
        """The seconds that have passed."""
        ...

    def count(self) -> dict[str, int]:
        """Return the number of agents in each state."""
        ...


@define(eq=False)
class Census:
    """Counts the agents of a crowd from time to time.

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
    """The time of each count, in seconds."""
    counts: dict[str, list[int]] = field(factory=dict, init=False)
    """State -> the number of agents in it, at each of the times."""

    def __attrs_post_init__(self) -> None:
        check_countable(self.crowd, "Census")
        self.interval = float(checked_seconds(self.interval, "Census: interval"))

    def take(self) -> bool:
        """Count if it is due; return True if it was. Call it after an update."""
        now = self.crowd.time
        if not is_due(now, self.times, self.interval):
            return False
        for state, number in self.crowd.count().items():
            self.counts.setdefault(state, [0] * len(self.times)).append(number)
        self.times.append(now)
        return True

    def to_svg(self, *, dark: bool = False, width: int = 960, height: int = 360) -> str:
        """Draw the counts as stacked areas. `width` and `height` are in pixels."""
        return stacked_svg(self.times, self.counts, dark=dark, width=width, height=height)


def check_countable(crowd: object, owner: str) -> None:
    """Raise CrowdError unless a crowd was given to `owner`; a machine is none."""
    if not (hasattr(crowd, "time") and hasattr(crowd, "count")):
        raise CrowdError(f"{owner}: its crowd must be a Crowd, got {crowd!r}.")


def is_due(now: float, times: Sequence[float], interval: float) -> bool:
    """Return True if `interval` seconds have passed since the last of `times`.

    >>> is_due(0.0, [], 1.0), is_due(0.9, [0.0], 1.0), is_due(0.9999999999, [0.0], 1.0)
    (True, False, True)
    """
    return not times or now >= times[-1] + interval * (1.0 - 1e-9)
