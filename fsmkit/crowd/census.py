"""Census: the number of agents in each state over time, and its picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from attrs import define, field

from fsmkit.crowd.charts import StackedChart
from fsmkit.crowd.errors import CrowdError
from fsmkit.timing import checked_seconds


class Countable(Protocol):
    @property
    def time(self) -> float: ...

    def count(self) -> dict[str, int]: ...


CrowdT = TypeVar("CrowdT", bound=Countable)


@define(eq=False)
class Sampler(ABC, Generic[CrowdT]):
    """Takes samples of a crowd at intervals."""

    crowd: CrowdT
    interval: float = 0.0
    times: list[float] = field(factory=list, init=False)
    """The time of each sample, in seconds."""

    def __attrs_post_init__(self) -> None:
        owner = type(self).__name__
        if not (hasattr(self.crowd, "time") and hasattr(self.crowd, "count")):
            raise CrowdError(f"{owner}: its crowd must be a Crowd, got {self.crowd!r}.")
        self.interval = float(checked_seconds(self.interval, f"{owner}: interval"))

    def take(self) -> bool:
        """Take a sample if it is due; return True if it was. Call it after an update."""
        now = self.crowd.time
        if not is_due(now, self.times, self.interval):
            return False
        self._take()
        self.times.append(now)
        return True

    @abstractmethod
    def _take(self) -> None: ...


@define(eq=False)
class Census(Sampler[Countable]):
    """Counts the agents of a crowd at intervals.

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

    counts: dict[str, list[int]] = field(factory=dict, init=False)
    """State -> the number of agents in it, at each of the times."""

    def _take(self) -> None:
        for state, number in self.crowd.count().items():
            self.counts.setdefault(state, [0] * len(self.times)).append(number)

    def to_svg(self, *, dark: bool = False, width: int = 960, height: int = 360) -> str:
        """Draw the counts as stacked areas. `width` and `height` are in pixels."""
        return StackedChart(self.times, self.counts, width, height).to_svg(dark=dark)


def is_due(now: float, times: Sequence[float], interval: float) -> bool:
    """Return True if `interval` seconds have passed since the last of `times`.

    >>> is_due(0.0, [], 1.0), is_due(0.9, [0.0], 1.0), is_due(0.9999999999, [0.0], 1.0)
    (True, False, True)
    """
    return not times or now >= times[-1] + interval * (1.0 - 1e-9)
