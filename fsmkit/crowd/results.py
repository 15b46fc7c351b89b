"""Results: measures of all agents, such as `mean(speed, Ill)`, and tables of them for files."""

from __future__ import annotations

import csv
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from io import BytesIO, StringIO
from itertools import pairwise
from math import nan
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from zipfile import ZipFile, ZipInfo

from attrs import frozen

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.terminal.atomic_file import write_atomically
from fsmkit.terminal.console import width

MOST_ROWS: Final = 24
"""The most rows that are shown whole; of more, the first and the last ones."""


class ResultTable(ABC):
    """Columns of numbers, each with a name, all of the same length.

    A file is written completely or not at all; what cannot be written raises OSError.
    """

    @property
    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """Name -> column, an array of numpy with a value for each row."""

    def __getitem__(self, name: str) -> Any:
        """Return a column. Raises CrowdError for an unknown name."""
        columns = self.columns
        if name not in columns:
            raise CrowdError(
                f"There is no column {name!r}. The columns: {', '.join(map(repr, columns))}."
            )
        return columns[name]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        names = ", ".join(self.columns)
        return f"<{type(self).__name__} of {len(self):,} rows: {names}>"

    def __str__(self) -> str:
        """Return the rows as text: all of them, or the first and the last ones."""
        return table_text({name: column.tolist() for name, column in self.columns.items()})

    def to_npz(self, path: str | Path) -> None:
        """Write a file for `numpy.load`, with an array for each column."""
        content = BytesIO()
        with ZipFile(content, "w") as archive:  # np.savez cannot have a column called "file"
            for name, column in self.columns.items():
                with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, column, allow_pickle=False)
        write_atomically(path, content.getvalue())

    def to_csv(self, path: str | Path) -> None:
        """Write a file of comma-separated values, with the names in its first line."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*(each.tolist() for each in self.columns.values()), strict=True))
        write_atomically(path, text.getvalue())

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`. Raises ImportError unless pyarrow is installed."""
        return _package("pyarrow").table(dict(self.columns))

    def to_feather(self, path: str | Path) -> None:
        """Write a Feather file, which is Arrow's own. Raises ImportError without pyarrow."""
        feather, table = _package("pyarrow.feather"), self.to_arrow()
        write_atomically(path, lambda file: feather.write_feather(table, file))

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file. Raises ImportError without pyarrow."""
        parquet, table = _package("pyarrow.parquet"), self.to_arrow()
        write_atomically(path, lambda file: parquet.write_table(table, file))


def _package(name: str) -> ModuleType:
    """Return a module of pyarrow, an optional package that is imported here and nowhere else."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError("Arrow files need pyarrow: pip install 'fsmkit[arrow]'.") from error


def table_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as lines of text, numbers with six digits.

    >>> print(table_text({"speed": [0.5, 2.0], "count(Ill)": [12, 3456]}))
    speed  count(Ill)
      0.5          12
        2        3456
    """
    shown = [_cells(name, cells) for name, cells in columns.items()]
    return "\n".join("  ".join(row) for row in zip(*shown, strict=True))


def _cells(name: str, cells: Sequence[Any]) -> list[str]:
    texts = [name, *map(_text, cells)]
    if len(cells) > MOST_ROWS:
        half = MOST_ROWS // 2
        texts = [*texts[: half + 1], "...", *texts[-half:]]
    most = max(map(width, texts))
    return [" " * (most - width(text)) + text for text in texts]


def _text(cell: Any) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


COUNT: Final = "count"
QUANTILE: Final = "quantile"

STATISTICS: Final[Mapping[str, Callable[[Any], float]]] = {
    "sum": lambda values: float(values.sum()),
    "mean": lambda values: float(values.mean()) if values.size else nan,
    "std": lambda values: float(values.std()) if values.size else nan,
    "min": lambda values: float(values.min()) if values.size else nan,
    "max": lambda values: float(values.max()) if values.size else nan,
}
"""Name -> the statistic of an array of floats. Without values, only the sum is a number, 0."""

CALL: Final = re.compile(r"(\w+)\((.*)\)", re.DOTALL)

FORMS: Final = (
    '"count()", "count(STATE)", "mean(field)", "mean(field, STATE)", "quantile(field, p)"'
)


@frozen
class Measure:
    """A statistic of a field, or the number of agents; of all of them, or of those in a state."""

    statistic: str
    """A name of `STATISTICS`, or `quantile` or `count`."""
    field: str = ""
    """The field; empty for `count`."""
    state: str | None = None
    p: float = nan
    """The share of the values below a quantile, 0 to 1."""

    @property
    def name(self) -> str:
        """The name of its column.

        >>> Measure("quantile", "x", "Ill", 0.9).name, Measure("count").name
        ('quantile(x, 0.9, Ill)', 'count()')
        """
        share = repr(self.p) if self.statistic == QUANTILE else ""
        return f"{self.statistic}({', '.join(filter(None, [self.field, share, self.state]))})"


def checked_share(p: Any) -> float:
    try:
        share = float(p)
    except (TypeError, ValueError):
        share = nan
    if not 0.0 <= share <= 1.0:
        raise CrowdError(f"The p of a quantile must be a number from 0 to 1, got {p!r}.")
    return share


def measure_of(text: str, fields: Collection[str], states: Collection[str]) -> Measure:
    """Return the measure with that name. Raises CrowdError for an unknown one.

    >>> measure_of("quantile(x, 0.9, Ill)", ["x"], ["Ill"])
    Measure(statistic='quantile', field='x', state='Ill', p=0.9)
    >>> measure_of("count(Ill)", ["x"], ["Ill"]).state
    'Ill'
    """
    call = CALL.fullmatch(text.strip()) if isinstance(text, str) else None
    if call is None or call[1] not in (*STATISTICS, QUANTILE, COUNT):
        known = ", ".join([COUNT, *STATISTICS, QUANTILE])
        raise CrowdError(f"A measure must be written like {FORMS}, got {text!r}. Known: {known}.")
    statistic, inside = call[1], call[2].strip()
    if statistic == COUNT:
        return Measure(COUNT, state=_state(text, inside, states))
    field, inside = _first(inside)
    if field not in fields:
        raise CrowdError(f"{text!r}: there is no field {field!r}. Fields: {', '.join(fields)}.")
    p = nan
    if statistic == QUANTILE:
        share, inside = _first(inside)
        p = checked_share(share)
    return Measure(statistic, field, _state(text, inside, states), p)


def _first(arguments: str) -> tuple[str, str]:
    """Return the first argument and the others; the last, a state, may have commas in its name."""
    first, _, others = arguments.partition(",")
    return first.strip(), others.strip()


def _state(text: str, name: str, states: Collection[str]) -> str | None:
    if name and name not in states:
        raise CrowdError(
            f"{text!r}: there is no state {name!r}. States: {', '.join(map(repr, states))}."
        )
    return name or None


class Reading:
    """Computes measures; every column is read once, and sorted at most once.

    All are computed in 64-bit floats, so integers above 2**53 are rounded. NaN means a missing
    value and is left out. Without any values, a sum is 0 and every other measure NaN.

    A crowd has `count()`, a length, and the columns `crowd[field]` and `crowd.states`; or, where
    they are elsewhere, `crowd.read(field)` and `crowd.states()`.
    """

    def __init__(self, crowd: Any) -> None:
        self._crowd = crowd
        self._columns: dict[str, Any] = {}
        self._values: dict[tuple[str, str | None], Any] = {}
        self._sorted: dict[tuple[str, str | None], Any] = {}

    def value(self, measure: Measure) -> float:
        """Return the value of a measure; a count is an int."""
        if measure.statistic == COUNT:
            return len(self._crowd) if measure.state is None else self._counts[measure.state]
        with np.errstate(invalid="ignore", over="ignore"):  # of infinite values: NaN or inf
            if measure.statistic == QUANTILE:
                return quantile(self._in_order(measure), measure.p)
            return STATISTICS[measure.statistic](self._of(measure))

    @cached_property
    def _counts(self) -> dict[str, int]:
        return dict(self._crowd.count())

    def _in_order(self, measure: Measure) -> Any:
        """Return the values in order, which serves any number of quantiles."""
        key = measure.field, measure.state
        if key not in self._sorted:
            self._sorted[key] = np.sort(self._of(measure))
        return self._sorted[key]

    def _of(self, measure: Measure) -> Any:
        key = measure.field, measure.state
        if key not in self._values:
            values = self._column(measure.field)
            if measure.state is not None:
                values = values[self._groups[measure.state]]
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

    @cached_property
    def _groups(self) -> dict[str, Any]:
        """State -> the indices of the agents in it; all are looked up in one pass."""
        states = self._crowd.states
        numbers = np.asarray(states() if callable(states) else states)
        if numbers.dtype.itemsize > 2:  # small ones are sorted much faster
            numbers = numbers.astype(np.int16)
        order = np.argsort(numbers, kind="stable")
        names = list(self._counts)
        bounds = np.searchsorted(numbers[order], np.arange(len(names) + 1)).tolist()
        parts = [order[first:end] for first, end in pairwise(bounds)]
        return dict(zip(names, parts, strict=True))


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
