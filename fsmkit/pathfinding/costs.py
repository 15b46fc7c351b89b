"""The numbers that users give: costs, weights and estimates, and whole maps as texts or rows."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from math import inf, nan
from numbers import Number
from sys import float_info
from typing import Any, Final

from fsmkit.core.checks.arguments import shown, to_float


def checked_cost(cost: object, what: str) -> float:
    """Return the cost of a tile as a float, 0 for a wall; ValueError unless it is a number >= 0."""
    number = float_of(cost)
    if not number >= 0.0:
        raise ValueError(f"{what} must be a number >= 0, got {shown(cost)}. 0 makes a wall.")
    return number if number < inf else 0.0


def checked_weight(weight: object, start: object, end: object) -> float:
    """Return the weight of a path as a float; ValueError unless it is a finite number >= 0.

    Numbers of all kinds are converted. True and False are refused: as weights they are mistakes.

    >>> checked_weight(3, "A", "B")
    3.0
    """
    is_float = type(weight) is float
    is_number = is_float or (isinstance(weight, Number) and not isinstance(weight, bool))
    number = float_of(weight) if is_number else nan
    if not 0.0 <= number <= float_info.max:
        raise ValueError(
            f"A weight must be a finite number >= 0, got {shown(weight)} for the path from "
            f"{start!r} to {end!r}."
        )
    return number or 0.0  # no negative zero


def checked_estimate(estimate: object, node: object) -> float:
    """Return an estimate as a float; ValueError unless it is a number >= 0, or infinity.

    >>> checked_estimate(3, (0, 0))
    3.0
    """
    number = float_of(estimate)
    if not number >= 0.0:
        raise ValueError(
            f"The heuristic must return a number >= 0, got {shown(estimate)} for {node!r}."
        )
    return number


def float_of(value: object) -> float:
    """Return a number as a float; NaN for anything else, and for a number that is too large."""
    if type(value) is float:
        return value
    number = to_float(value)
    return nan if number is None or (number == inf and value != inf) else number


BLOCKED: Final = "#@"
"""The letters of a text that are walls, unless others are given."""

BYTE_ORDER_MARK: Final = "\ufeff"
"""What some programs write at the beginning of a text."""


def rows_of(
    tiles: str | Iterable[str | Sequence[Any]],
    blocked: str = BLOCKED,
    costs: Mapping[str, float] | None = None,
) -> list[array[float]]:
    """Return the cost of each tile, row by row; 0 for a wall.

    Raises TypeError if `tiles` is not a map, ValueError for rows of different lengths, no tiles at
    all, and costs that are negative or not numbers.
    """
    letters = _costs_of_letters(blocked, costs)
    try:
        given = _lines_of(tiles) if isinstance(tiles, str) else _rows_in(tiles)
        rows = [_row(row, y, letters) for y, row in enumerate(given)]
    except TypeError:
        raise TypeError(
            "Grid: tiles must be a text, a list of lines, or rows of numbers (a list of lists, an "
            f"array), got {tiles!r}."
        ) from None
    _check_lengths(rows)
    return rows


def checked_mask(allowed: Iterable[Sequence[Any]], width: int, height: int) -> bytearray:
    """Return 1 for each tile that is allowed, in rows with 0 around them.

    Raises TypeError unless `allowed` is made of rows, ValueError unless it is of that size.
    """
    try:
        rows = [[bool(each) for each in _numbers_in(row)] for row in _rows_in(allowed)]
    except (TypeError, ValueError):
        raise TypeError(
            f"Grid: allowed must be rows of truth values, one for each tile, got {allowed!r}."
        ) from None
    if len(rows) != height or any(len(row) != width for row in rows):
        sizes = sorted({len(row) for row in rows})
        raise ValueError(
            f"Grid: allowed must have {height} rows of {width} truth values, got {len(rows)} of "
            f"{' or '.join(map(str, sizes)) or 0}."
        )
    wall = bytes(width + 2)
    return bytearray(wall + b"".join(bytes([0, *row, 0]) for row in rows) + wall)


def _lines_of(text: str) -> list[str]:
    """Return the lines of a map, without line breaks around it and without its indentation."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    lines = text.splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    is_block = text[:1] in {"\r", "\n"}
    if not is_block and any(letter.isspace() for line in lines for letter in line[margin:]):
        margin = 0  # space is a letter of this map
    while lines and not lines[0][margin:].strip("\r\n"):
        del lines[0]
    while lines and len(lines[-1]) <= margin:
        del lines[-1]
    return [line[margin:] for line in lines]


def _rows_in(table: Any) -> Iterable[Any]:
    if hasattr(table, "to_numpy"):  # a table of pandas or polars iterates over its columns
        table = table.to_numpy()
    if isinstance(table, Mapping | Set):
        raise TypeError("its rows have no order")
    rows: Iterable[Any] = iter(table)
    return rows


def _numbers_in(row: Any) -> list[Any]:
    if isinstance(row, str | bytes | Mapping | Set):
        raise TypeError("a row of letters, or of no order")
    return list(row)


def _costs_of_letters(blocked: object, costs: object) -> Mapping[str, float]:
    if not isinstance(blocked, str):
        raise TypeError(f"Grid: blocked must be a text of the letters for walls, got {blocked!r}.")
    if costs is not None and not isinstance(costs, Mapping):
        raise TypeError(f"Grid: costs must be a mapping of letters to numbers, got {costs!r}.")
    for letter in costs or {}:
        if not isinstance(letter, str) or len(letter) != 1:
            raise ValueError(f"Grid: costs must be for single letters, got {letter!r}.")
    return {**(costs or {}), **dict.fromkeys(blocked, 0.0)}


def _row(row: str | Sequence[Any], y: int, letters: Mapping[str, float]) -> array[float]:
    costs = (
        [letters.get(letter, 1.0) for letter in row.rstrip("\r\n").removeprefix(BYTE_ORDER_MARK)]
        if isinstance(row, str)
        else _numbers_in(row)
    )
    try:
        numbers = array("d", costs)
    except (TypeError, ValueError, OverflowError):
        numbers = array("d")
    if len(numbers) == len(costs) and all(0.0 <= number < inf for number in numbers):
        return numbers
    return array(
        "d",
        [checked_cost(cost, f"Grid: the cost of the tile {x, y}") for x, cost in enumerate(costs)],
    )


def _check_lengths(rows: Sequence[array[float]]) -> None:
    if not rows or not rows[0]:
        raise ValueError("Grid: tiles must not be empty. Give at least one row of one tile.")
    for y, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"Grid: all rows must be equally long, got {len(row)} tiles in row {y} and "
                f"{len(rows[0])} in the first."
            )
