"""Collector: statistics of a crowd's columns over time, as columns, files and a picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from attrs import define, field

from fsmkit.crowd.census import check_countable, is_due
from fsmkit.crowd.charts.measured import measured_svg
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.results.measure import COUNT, QUANTILE, Measure, checked_share
from fsmkit.crowd.results.reading import Readable, Reading
from fsmkit.crowd.results.table import ResultTable
from fsmkit.timing import checked_seconds


class Measurable(Readable, Protocol):
    """A crowd, as far as a collector needs it."""

    @property
    def machine(self) -> Any:
        """The machine that the agents run."""
        ...

    @property
    def time(self) -> float:
        """The seconds that have passed."""
        ...


@define(eq=False, repr=False)
class Collector(ResultTable):
    """Collects statistics of the agents' fields from time to time.

    `interval` is the time between two, in seconds; with 0 every `take` collects. Say first what
    is to be collected, by methods named like the statistics; then call `take` after an update:

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> machine = CrowdFsm("Npc", Npc)
    >>> patrol = machine.add_state("Patrol")
    >>> crowd = Crowd(machine, 3, start="Patrol", engine="python")
    >>> crowd["x"] = [1.0, 2.0, 6.0]
    >>> collector = Collector(crowd, interval=1.0)
    >>> collector.mean("x", by_state=True)
    >>> collector.quantile("x", 0.5)
    >>> collector.take()
    True
    >>> {name: column.tolist() for name, column in collector.columns.items()}
    {'time': [0.0], 'mean(x, Patrol)': [3.0], 'quantile(x, 0.5)': [2.0]}

    With `by_state` there is a column for each state, also for those in which nobody has been yet;
    else a number is that of all agents, running or not. Everything is reckoned in 64-bit floats,
    so whole numbers above 2**53 are rounded; False is 0 and True is 1. NaN stands for no value and
    is left out. Without any values the sum is 0, and all else is NaN.

    Any crowd will do that has a `machine`, `time`, `count()`, and columns, or `read` and `states`.
    """

    crowd: Measurable
    interval: float = 0.0
    times: list[float] = field(factory=list, init=False)
    """The times at which it has collected, in seconds."""
    _measures: dict[str, Measure] = field(factory=dict, init=False)
    _rows: list[list[float]] = field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        check_countable(self.crowd, "Collector")
        self.interval = float(checked_seconds(self.interval, "Collector: interval"))

    def count(self, *, by_state: bool = False) -> None:
        """Collect the number of agents."""
        self._add([Measure(COUNT)], by_state)

    def sum(self, *fields: str, by_state: bool = False) -> None:
        """Collect the sums of fields."""
        self._collect("sum", fields, by_state)

    def mean(self, *fields: str, by_state: bool = False) -> None:
        """Collect the means of fields."""
        self._collect("mean", fields, by_state)

    def std(self, *fields: str, by_state: bool = False) -> None:
        """Collect the standard deviations of fields, those of a whole population."""
        self._collect("std", fields, by_state)

    def min(self, *fields: str, by_state: bool = False) -> None:
        """Collect the smallest values of fields."""
        self._collect("min", fields, by_state)

    def max(self, *fields: str, by_state: bool = False) -> None:
        """Collect the largest values of fields."""
        self._collect("max", fields, by_state)

    def quantile(self, field: str, *p: float, by_state: bool = False) -> None:
        """Collect quantiles of a field: the values below which the shares `p` of all lie.

        The median is 0.5. Between two values it is interpolated, as by `numpy.quantile`.
        Raises CrowdError without a share, and for an unknown field.
        """
        if not p:
            raise CrowdError(f"quantile({field!r}) must have at least one p, such as 0.5.")
        shares = [checked_share(each) for each in p]
        self._check(field)
        self._add([Measure(QUANTILE, field, p=share) for share in shares], by_state)

    def take(self) -> bool:
        """Collect if it is due; return True if it was. Call it after an update.

        Raises CrowdError if nothing was said to be collected.
        """
        now = self.crowd.time
        if not is_due(now, self.times, self.interval):
            return False
        if not self._measures:
            raise CrowdError("There is nothing to collect. Say what, such as collector.mean('x').")
        reading = Reading(self.crowd)
        self._rows.append([reading.value(measure) for measure in self._measures.values()])
        self.times.append(now)
        return True

    @property
    def columns(self) -> dict[str, Any]:
        """Name -> column, with a value for each time; the first is `time`, in seconds."""
        rows = zip(*self._rows, strict=True) if self._rows else [()] * len(self._measures)
        return {
            "time": np.array(self.times, np.float64),
            **{
                name: np.array(row, np.int64 if measure.statistic == COUNT else np.float64)
                for (name, measure), row in zip(self._measures.items(), rows, strict=True)
            },
        }

    def to_svg(
        self,
        field: str | None = None,
        *,
        states: Iterable[str] | None = None,
        dark: bool = False,
        width: int = 960,
        height: int = 360,
    ) -> str:
        """Draw a field over time, by default the first: a line in all, or one for each state.

        The line is the mean, if that was collected, else the median, else whatever was. Around it
        are bands from the smallest to the largest value, and from each quantile below a half to
        the one that is as far above. If anything was collected by state, what is of all agents is
        left out. `states` are those to be drawn; with `()` it is what is of all agents. `width` and
        `height` are in pixels. Raises CrowdError for a field or a state that was not collected.
        """
        fields = dict.fromkeys(each.field for each in self._measures.values() if each.field)
        shown = next(iter(fields), "") if field is None else field
        if field is not None and field not in fields:
            raise CrowdError(
                f"The field {field!r} was not collected. Fields: {', '.join(fields) or 'none'}."
            )
        measures = [each for each in self._measures.values() if each.field == shown]
        if states is not None:
            measures = _of_states(measures, list(states))
        return measured_svg(self.columns, measures, dark=dark, width=width, height=height)

    def _collect(self, statistic: str, fields: tuple[str, ...], by_state: bool) -> None:
        if not fields:
            raise CrowdError(f"{statistic}() must have at least one field.")
        for each in fields:
            self._check(each)
        self._add([Measure(statistic, each) for each in fields], by_state)

    def _check(self, field: str) -> None:
        """Raise CrowdError unless the agents have that field."""
        known = self.crowd.machine.agent_record.kinds
        if field not in known:
            raise CrowdError(
                f"Collector: there is no field {field!r}. Fields: {', '.join(known) or 'none'}."
            )

    def _add(self, measures: list[Measure], by_state: bool) -> None:
        if self.times:
            raise CrowdError("Say what is to be collected before the first take().")
        for each in measures:
            states = list(self.crowd.count()) if by_state else [None]
            for state in states:
                one = Measure(each.statistic, each.field, state, each.p)
                self._measures[one.name] = one


def _of_states(measures: list[Measure], states: list[str]) -> list[Measure]:
    """Return the measures of these states, or of all agents if there are none.

    Raises CrowdError for a state that was not collected, and if nothing is left.
    """
    known = dict.fromkeys(each.state for each in measures if each.state is not None)
    for state in states:
        if state not in known:
            names = ", ".join(known) or "none"
            raise CrowdError(f"Nothing was collected for the state {state!r}. States: {names}.")
    chosen = [each for each in measures if (each.state in states if states else not each.state)]
    if not chosen:
        raise CrowdError("Nothing was collected of all agents. Leave out by_state, or name states.")
    return chosen
