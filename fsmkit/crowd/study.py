"""Study: the table of a sweep, with a row for each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self

from attrs import evolve, frozen

from fsmkit.crowd.charts import Axes, Line, LineChart
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.results import STATISTICS, ResultTable

SEED: Final = "seed"
TIME: Final = "time"
ERROR: Final = "error"


@frozen(eq=False, repr=False)
class Study(ResultTable):
    """The result of `Crowd.sweep`: columns of parameters, seeds, times and measures.

    The rows are in the order of the parameters' values as they were given, the first parameter
    varying slowest; then of the seeds, then of the times.
    """

    columns: Mapping[str, Any]  # type: ignore[assignment]
    """Name -> column, an array of numpy with a value for each row."""
    parameters: tuple[str, ...]
    """The columns that were varied."""
    measures: tuple[str, ...]
    """The columns that were measured."""

    def over_seeds(self, statistic: str = "mean") -> Self:
        """Return a study with one row for all seeds: a "mean", "std", "min", "max" or "sum".

        NaN is left out. Raises CrowdError for another statistic.
        """
        if statistic not in STATISTICS:
            raise CrowdError(
                f"statistic must be one of {', '.join(STATISTICS)}, got {statistic!r}."
            )
        keys = [name for name in (*self.parameters, TIME) if name in self.columns]
        groups = list(self._groups(keys))
        firsts = [rows[0] for rows in groups]
        columns = {name: self.columns[name][firsts] for name in keys}
        for name in self.measures:
            column = self.columns[name].astype(np.float64)
            columns[name] = np.array(
                [_statistic(statistic, column[rows]) for rows in groups], np.float64
            )
        return evolve(self, columns=columns)

    def to_svg(
        self,
        measure: str,
        over: str | None = None,
        *,
        dark: bool = False,
        width: int = 960,
        height: int = 360,
    ) -> str:
        """Draw a measure over a parameter, or over "time"; by default over time if there are times.

        The line is the mean over the seeds, the band reaches from the smallest to the largest
        value. There is a line for each combination of the other parameters. Without times, the
        final values are drawn; with them, over a parameter, those at the last time. `width`
        and `height` are in pixels. Raises CrowdError for an unknown name.
        """
        over = over or (TIME if TIME in self.columns else next(iter(self.parameters), TIME))
        if measure not in self.measures:
            raise CrowdError(f"There is no measure {measure!r}. Known: {_list(self.measures)}.")
        axes = [name for name in (*self.parameters, TIME) if name in self.columns]
        if over not in axes:
            raise CrowdError(f"over must be one of {_list(axes)}, got {over!r}.")
        # Failed runs have no times.
        study = self._where(~np.isnan(self.columns[TIME])) if over == TIME else self._at_last_time()
        x, lines = study._lines(measure, over)
        what = f"{measure}: mean; band: min to max of the seeds"
        shown = Axes(x, over, what, is_time=over == TIME, is_marked=over != TIME)
        return LineChart(shown, lines, width, height).to_svg(dark=dark)

    def _lines(self, measure: str, over: str) -> tuple[list[float], list[Line]]:
        x = np.unique(self.columns[over].astype(np.float64))
        others = [name for name in self.parameters if name != over]
        values = self.columns[measure].astype(np.float64)
        lines = []
        for rows in self._groups(others):
            places = np.searchsorted(x, self.columns[over][rows].astype(np.float64))
            at = [values[np.array(rows)[places == i]] for i in range(len(x))]
            mean, low, high = (
                [_statistic(name, each) for each in at] for name in ("mean", "min", "max")
            )
            name = ", ".join(f"{each} = {self.columns[each][rows[0]]:g}" for each in others)
            lines.append(Line(name, mean, [(low, high)]))
        return x.tolist(), lines

    def _at_last_time(self) -> Self:
        if TIME not in self.columns:
            return self
        times = self.columns[TIME]
        return self._where(times == np.fmax.reduce(times, initial=-np.inf))

    def _where(self, mask: Any) -> Self:
        return evolve(self, columns={name: column[mask] for name, column in self.columns.items()})

    def _groups(self, keys: Sequence[str]) -> Iterator[list[int]]:
        rows: dict[tuple[Any, ...], list[int]] = {}
        columns = [self.columns[key].tolist() for key in keys]
        for row in range(len(self)):
            rows.setdefault(tuple(column[row] for column in columns), []).append(row)
        yield from rows.values()


class StudyError(CrowdError):
    """Some runs of a study failed; the others are in `study`."""

    def __init__(self, message: str, study: Study, errors: Mapping[int, Exception]) -> None:
        super().__init__(message)
        self.study = study
        """All runs; failed ones have NaN as measures, and text in the column "error"."""
        self.errors = dict(errors)
        """The number of each failed run, from 0 -> its error."""


def _statistic(name: str, values: Any) -> float:
    return STATISTICS[name](values[~np.isnan(values)])


def _list(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
