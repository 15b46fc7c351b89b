"""The statistics of one field over time, as lines with bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fsmkit.crowd.charts.lines import Axes, Line, lines_svg
from fsmkit.crowd.results.measure import QUANTILE, Measure

CENTRES = ("mean", QUANTILE, "sum", "count", "std", "max", "min")
"""The statistics that a line may show, the best first."""


def measured_svg(
    columns: Mapping[str, Any],
    measures: Sequence[Measure],
    *,
    dark: bool,
    width: float,
    height: float,
) -> str:
    """Draw the columns of `measures`, which are of the same field, over the column `time`."""
    states = list(dict.fromkeys(each.state for each in measures))
    if len(states) > 1:
        states = [state for state in states if state is not None]
    groups = [[each for each in measures if each.state == state] for state in states]
    lines = [_line(columns, group) for group in groups]
    what = _description(groups[0]) if groups else ""
    axes = Axes(columns["time"].tolist(), "time", what, is_time=True)
    return lines_svg(axes, lines, dark=dark, width=width, height=height)


def _line(columns: Mapping[str, Any], measures: Sequence[Measure]) -> Line:
    bands = [[columns[edge.name].tolist() for edge in band] for band in _bands(measures)]
    return Line(
        measures[0].state or "",
        columns[_centre(measures).name].tolist(),
        [(low, high) for low, high in bands],
    )


def _centre(measures: Sequence[Measure]) -> Measure:
    """Return what the line shows: of several quantiles the one nearest to the median."""
    nearest = sorted(measures, key=lambda each: abs(each.p - 0.5) if each.p == each.p else 0.0)
    return min(nearest, key=lambda each: CENTRES.index(each.statistic))


def _bands(measures: Sequence[Measure]) -> list[tuple[Measure, Measure]]:
    """Return pairs of the smallest and largest value, and of quantiles that belong together."""
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
    """Return what is drawn, such as `x: mean; bands: min to max, 10 % to 90 %`."""
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
