"""Collector: statistics of a crowd's columns over time, as columns, files and a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from attrs import define, field

from fsmkit.crowd.census import Countable, Sampler
from fsmkit.crowd.charts import Axes, Line, LineChart
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.results import (
    COUNT,
    QUANTILE,
    Measure,
    Reading,
    ResultTable,
    checked_share,
)

CENTRES = ("mean", QUANTILE, "sum", "count", "std", "max", "min")
"""The statistics that a line may show, the best first."""


class Measurable(Countable, Protocol):
    @property
    def machine(self) -> Any: ...

    def __len__(self) -> int: ...


@define(eq=False, repr=False)
class Collector(ResultTable, Sampler[Measurable]):
    """Collects statistics of the agents' fields at intervals.

    `interval` is the time between two, in seconds; with 0 every `take` collects. Declare the
    statistics first, by methods of their names, else `take` raises CrowdError; then call `take`
    after each update:

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

    With `by_state` there is a column for each state, even if no agent has been in it yet; otherwise
    a number covers all agents, running or not. Everything is computed in 64-bit floats, so integers
    above 2**53 are rounded; False is 0 and True is 1. NaN means a missing value and is left
    out. Without any values the sum is 0, and every other statistic NaN.

    Any crowd works that has `machine`, `time`, `count()`, and columns or `read` and `states`.
    """

    _measures: dict[str, Measure] = field(factory=dict, init=False)
    _rows: list[list[float]] = field(factory=list, init=False)

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
        """Collect quantiles of a field: the values below which the shares `p` of all values lie.

        The median is 0.5. Between two values it is interpolated, as by `numpy.quantile`.
        Raises CrowdError without a share, and for an unknown field.
        """
        if not p:
            raise CrowdError(f"quantile({field!r}) must have at least one p, such as 0.5.")
        shares = [checked_share(each) for each in p]
        self._check(field)
        self._add([Measure(QUANTILE, field, p=share) for share in shares], by_state)

    def _take(self) -> None:
        if not self._measures:
            raise CrowdError(
                "There is nothing to collect. Declare statistics, such as collector.mean('x')."
            )
        reading = Reading(self.crowd)
        self._rows.append([reading.value(measure) for measure in self._measures.values()])

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

        The line is the mean if that was collected, else the median, else another statistic. Around
        it are bands from the smallest to the largest value, and from each quantile below 0.5 to the
        one as far above. If anything was collected by state, the numbers of all agents are left
        out. `states` are those to draw; `()` draws the numbers of all agents. `width` and `height`
        are in pixels. Raises CrowdError for a field or a state that was not collected.
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
        columns = self.columns
        drawn = list(dict.fromkeys(each.state for each in measures))
        if len(drawn) > 1:
            drawn = [state for state in drawn if state is not None]
        groups = [[each for each in measures if each.state == state] for state in drawn]
        what = _description(groups[0]) if groups else ""
        axes = Axes(columns["time"].tolist(), "time", what, is_time=True)
        lines = [_line(columns, group) for group in groups]
        return LineChart(axes, lines, width, height).to_svg(dark=dark)

    def _collect(self, statistic: str, fields: tuple[str, ...], by_state: bool) -> None:
        if not fields:
            raise CrowdError(f"{statistic}() must have at least one field.")
        for each in fields:
            self._check(each)
        self._add([Measure(statistic, each) for each in fields], by_state)

    def _check(self, field: str) -> None:
        known = self.crowd.machine.agent_record.kinds
        if field not in known:
            raise CrowdError(
                f"Collector: there is no field {field!r}. Fields: {', '.join(known) or 'none'}."
            )

    def _add(self, measures: list[Measure], by_state: bool) -> None:
        if self.times:
            raise CrowdError("Declare statistics before the first take().")
        for each in measures:
            states = list(self.crowd.count()) if by_state else [None]
            for state in states:
                one = Measure(each.statistic, each.field, state, each.p)
                self._measures[one.name] = one


def _of_states(measures: list[Measure], states: list[str]) -> list[Measure]:
    """Return the measures of these states, or of all agents if `states` is empty.

    Raises CrowdError for a state that was not collected, and if no measure is left.
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


def _line(columns: Mapping[str, Any], measures: Sequence[Measure]) -> Line:
    bands = [[columns[edge.name].tolist() for edge in band] for band in _bands(measures)]
    return Line(
        measures[0].state or "",
        columns[_centre(measures).name].tolist(),
        [(low, high) for low, high in bands],
    )


def _centre(measures: Sequence[Measure]) -> Measure:
    """Return the measure that the line shows; of quantiles the one nearest to the median."""
    nearest = sorted(measures, key=lambda each: abs(each.p - 0.5) if each.p == each.p else 0.0)
    return min(nearest, key=lambda each: CENTRES.index(each.statistic))


def _bands(measures: Sequence[Measure]) -> list[tuple[Measure, Measure]]:
    found = {each.statistic: each for each in measures}
    bands = [(found["min"], found["max"])] if {"min", "max"} <= found.keys() else []
    quantiles = sorted((m for m in measures if m.statistic == QUANTILE), key=lambda each: each.p)
    return bands + [
        (low, high)
        for low in quantiles
        for high in quantiles
        if low.p < 0.5 and abs(low.p + high.p - 1.0) < 1e-9
    ]


def _description(measures: Sequence[Measure]) -> str:
    """Return the label of the picture, such as `x: mean; bands: min to max, 10 % to 90 %`."""
    bands = [f"{_called(low)} to {_called(high)}" for low, high in _bands(measures)]
    centre = _centre(measures)
    line = f"{centre.field}: {_called(centre)}" if centre.field else "agents"
    if not bands:
        return line
    return f"{line}; {'band' if len(bands) == 1 else 'bands'}: {', '.join(bands)}"


def _called(measure: Measure) -> str:
    if measure.statistic != QUANTILE:
        return measure.statistic
    return "median" if measure.p == 0.5 else f"{measure.p * 100:g} %"
