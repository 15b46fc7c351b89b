"""Table: rows of numbers in the world of a crowd, in which its agents look things up."""

from __future__ import annotations

from operator import index
from typing import Any, Final, Generic, TypeVar, get_args, get_origin

from fsmkit.crowd.packages import np

NumberT = TypeVar("NumberT", float, int, bool)

DTYPES: Final = {float: "f", int: "iu", bool: "b"}
"""Kind of number -> the kinds of arrays that hold it."""

OUTSIDE: Final = "the row or the column is outside the table"


class Table(Generic[NumberT]):
    """An array with two dimensions that agents read: `world.table[row, column]`.

    A field of the world is declared by a line such as `table: Table[float] = field(factory=Table)`,
    with float, int or bool; it has no rows then, and is given any array of numpy of that kind. The
    array is not copied, so changes within it are seen in the next update. Rows and columns are
    counted from 0; outside the table IndexError is raised for the agent, for negative numbers too.

    >>> heights = Table(np.array([[1.5, 2.5]]))
    >>> heights[0, 1]
    2.5
    """

    __slots__ = ("array",)

    def __init__(self, array: Any = None) -> None:
        self.array = np.zeros((0, 0)) if array is None else array
        """The numbers: shape (rows, columns)."""

    def __getitem__(self, place: tuple[int, int]) -> NumberT:
        row, column = map(index, place)
        rows, columns = self.array.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise IndexError(OUTSIDE)
        number: NumberT = self.array[row, column].item()
        return number

    def __repr__(self) -> str:
        rows, columns = self.array.shape
        return f"<Table of {rows} rows and {columns} columns>"


def kind_of_table(hint: Any) -> type | None:
    """Return the kind of the numbers in a table that is declared like this; None for no table."""
    if hint is Table:
        return float
    [kind] = get_args(hint) if get_origin(hint) is Table else [None]
    return kind if kind in DTYPES else None


def fitted_table(kind: type, value: Any, what: str) -> Table[Any]:
    """Return `value` as a table of numbers of that kind. Raises TypeError for anything else."""
    array = value.array if isinstance(value, Table) else value
    if not isinstance(array, np.ndarray) or array.ndim != 2:
        raise TypeError(f"{what} must be an array with two dimensions, got {value!r}.")
    if array.size and (array.dtype.kind not in DTYPES[kind] or array.dtype == np.uint64):
        raise TypeError(f"{what} must be an array of {kind.__name__}, got one of {array.dtype}.")
    return Table(array if array.size else np.zeros(array.shape, kind))
