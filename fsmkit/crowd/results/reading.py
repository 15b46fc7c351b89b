"""Reading: the values of measures at one moment of a crowd."""

from __future__ import annotations

from math import nan
from typing import Any, Protocol

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.results.measure import COUNT, QUANTILE, STATISTICS, Measure


class Readable(Protocol):
    """A crowd, as far as measures need it.

    Its columns are `crowd[field]` and `crowd.states`; or, where they are elsewhere, what
    `crowd.read(field)` and `crowd.states()` return.
    """

    @property
    def states(self) -> Any:
        """The state of each agent, by number; or a function that returns them."""
        ...

    def count(self) -> dict[str, int]:
        """Return the number of agents in each state."""
        ...

    def __getitem__(self, field: str, /) -> Any:
        """Return the column of a field. Raises CrowdError if it is elsewhere."""
        ...

    def read(self, field: str, /) -> Any:
        """Return a copy of the column of a field."""
        ...

    def __len__(self) -> int:
        """Return the number of agents."""
        ...


class Reading:
    """Works out measures; every column is read once, and sorted once at most.

    All are reckoned in 64-bit floats, so whole numbers above 2**53 are rounded. NaN stands for no
    value and is left out. Without any values, a sum is 0 and all else NaN.
    """

    def __init__(self, crowd: Readable) -> None:
        self._crowd = crowd
        self._counts: dict[str, int] = {}
        self._columns: dict[str, Any] = {}
        self._values: dict[tuple[str, str | None], Any] = {}
        self._sorted: dict[tuple[str, str | None], Any] = {}
        self._groups: dict[str, Any] = {}

    def value(self, measure: Measure) -> float:
        """Return the value of a measure; a count is an int."""
        if measure.statistic == COUNT:
            return self._count(measure.state)
        with np.errstate(invalid="ignore", over="ignore"):  # of infinite values: NaN or inf
            if measure.statistic == QUANTILE:
                return quantile(self._in_order(measure), measure.p)
            return STATISTICS[measure.statistic](self._of(measure))

    def _count(self, state: str | None) -> int:
        if state is None:
            return len(self._crowd)
        self._counts = self._counts or self._crowd.count()
        return self._counts[state]

    def _in_order(self, measure: Measure) -> Any:
        """Return the values in order, which serves any number of quantiles."""
        key = measure.field, measure.state
        if key not in self._sorted:
            self._sorted[key] = np.sort(self._of(measure))
        return self._sorted[key]

    def _of(self, measure: Measure) -> Any:
        """Return the values of a field, of all agents or of those in a state."""
        key = measure.field, measure.state
        if key not in self._values:
            values = self._column(measure.field)
            if measure.state is not None:
                values = values[self._in_state(measure.state)]
            missing = np.isnan(values)
            self._values[key] = values[~missing] if missing.any() else values
        return self._values[key]

    def _column(self, field: str) -> Any:
        if field not in self._columns:
            try:
                column = self._crowd[field]
            except CrowdError:  # the columns are elsewhere
                column = self._crowd.read(field)
            self._columns[field] = np.asarray(column, np.float64)
        return self._columns[field]

    def _in_state(self, state: str) -> Any:
        """Return the indices of the agents in a state; all states are looked up in one pass."""
        if not self._groups:
            states = self._crowd.states
            numbers = np.asarray(states() if callable(states) else states)
            if numbers.dtype.itemsize > 2:  # small ones are sorted much faster
                numbers = numbers.astype(np.int16)
            order = np.argsort(numbers, kind="stable")
            names = list(self._crowd.count())
            starts = np.searchsorted(numbers[order], np.arange(len(names) + 1))
            self._groups = {
                name: order[starts[number] : starts[number + 1]]
                for number, name in enumerate(names)
            }
        return self._groups[state]


def quantile(ordered: Any, p: float) -> float:
    """Return the value below which the share `p` of `ordered` lies, as `numpy.quantile` does.

    >>> quantile(np.array([1.0, 2.0, 4.0]), 0.75)
    3.0
    """
    if not ordered.size:
        return nan
    place: float = (ordered.size - 1) * p
    below = int(place)
    low = float(ordered[below])
    high = float(ordered[min(below + 1, ordered.size - 1)])
    share = place - below
    if low == high:  # both may be infinite
        return low
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1.0 - share)
