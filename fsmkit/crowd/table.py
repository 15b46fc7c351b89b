"""Table: numbers in the world of a crowd, in which its agents look things up."""

from __future__ import annotations

from operator import index
from typing import Any, Final, Generic, TypeVar, get_args, get_origin

from fsmkit.crowd.engine.column import Column
from fsmkit.crowd.packages import np

NumberT = TypeVar("NumberT", float, int, bool)

DTYPES: Final = {float: "f", int: "iu", bool: "b"}
"""Kind of number -> the kinds of arrays that hold it."""

READ_BYTES: Final = (4, 8)
"""The bytes of a fraction that compiled loops can read."""

WIDEST: Final = {float: "float64", int: "int64", bool: "bool"}
"""Kind of number -> the type of the array that is made of a tuple."""

OUTSIDE: Final = "the row or the column is outside the table"

DIMENSIONS: Final = {1: "one dimension", 2: "two dimensions", None: "one or two dimensions"}
"""Number of dimensions -> the words for it; None if it is not known."""


class Table(Generic[NumberT]):
    """An array that agents read: `world.table[row, column]`, or `world.table[number]`.

    A field of the world is declared by a line such as `table: Table[float] = field(factory=Table)`,
    with float, int or bool; it is empty then, and is given any array of numpy of that kind, with
    two dimensions or one, as functions read it. The array is not copied, so changes within it are
    seen in the next update. A tuple or a list of numbers works, too. Rows and columns are counted
    from 0; outside the table IndexError is raised for the agent, for negative numbers too.

    >>> heights = Table(np.array([[1.5, 2.5]]))
    >>> heights[0, 1]
    2.5
    >>> shares = Table(np.array([0.2, 0.8]))
    >>> shares[1]
    0.8
    """

    __slots__ = ("array",)

    def __init__(self, array: Any = None) -> None:
        self.array = np.zeros((0, 0)) if array is None else array
        """The numbers: shape (rows, columns), or (numbers,)."""
        known = _array_of(self.array)
        if known.dtype.kind not in "fiub":
            raise TypeError(f"A table holds numbers, got {array!r}.")
        if known.ndim not in (1, 2):
            raise TypeError(f"A table has {DIMENSIONS[None]}, got {array!r}.")

    def __getitem__(self, place: int | tuple[int, int]) -> NumberT:
        axes = tuple(map(index, place)) if isinstance(place, tuple) else (index(place),)
        array = _array_of(self.array)
        shape = array.shape
        if len(axes) != len(shape) and array.size:
            raise TypeError(f"{self!r} has {DIMENSIONS[len(shape)]}, got the place {place!r}.")
        if not array.size or not all(0 <= i < n for i, n in zip(axes, shape, strict=True)):
            raise IndexError(OUTSIDE)
        number: NumberT = array[axes].item()
        return number

    def __repr__(self) -> str:
        shape = _array_of(self.array).shape
        if len(shape) == 1:
            return f"<Table of {shape[0]} numbers>"
        return f"<Table of {shape[0]} rows and {shape[1]} columns>"


def is_same(one: Any, other: Any) -> bool:
    """Return True if two arrays have the same numbers, bit for bit."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    first, second = (np.ravel(each).view(np.uint8) for each in (one, other))
    return np.array_equal(first, second)


def kind_of_table(hint: Any) -> type | None:
    """Return the kind of the numbers in a table that is declared like this; None for no table."""
    if hint is Table:
        return float
    [kind] = get_args(hint) if get_origin(hint) is Table else [None]
    return kind if kind in DTYPES else None


def fitted_table(kind: type, value: Any, what: str, dimensions: int | None = None) -> Table[Any]:
    """Return `value` as a table of numbers of that kind. Raises TypeError for anything else.

    `dimensions` is the number of those that functions read; None if that is not known.
    """
    array = _as_array(kind, value.array if isinstance(value, Table) else value)
    wanted = (1, 2) if dimensions is None else (dimensions,)
    if not isinstance(array, np.ndarray) or (array.ndim not in wanted and array.size):
        raise TypeError(f"{what} must be an array with {DIMENSIONS[dimensions]}, got {value!r}.")
    if array.size and (array.dtype.kind not in DTYPES[kind] or array.dtype == np.uint64):
        raise TypeError(f"{what} must be an array of {kind.__name__}, got one of {array.dtype}.")
    _check_readable(array, kind, what)
    if array.size:
        return Table(array)
    return Table(np.zeros(array.shape if array.ndim in wanted else (0,) * wanted[0], kind))


def _check_readable(array: Any, kind: type, what: str) -> None:
    """Raise TypeError for an array that the loops would read wrongly, or not at all."""
    is_readable = array.dtype.kind != "f" or array.dtype.itemsize in READ_BYTES
    if not array.dtype.isnative or not is_readable:
        plain = WIDEST[kind]
        raise TypeError(
            f"{what} must be an array that compiled code can read, got one of {array.dtype}. "
            f'Write .astype("{plain}").'
        )
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what} must be an array without a mask. Write .filled(...).")
    if isinstance(array, Column) and array.is_live:
        raise TypeError(
            f"{what} must not be a column of agents, which write to it while others read. Give "
            "it a copy: .copy()."
        )


def _as_array(kind: type, value: Any) -> Any:
    """Return a tuple or a list of numbers as an array, if it is one; anything else as it is."""
    if not isinstance(value, (tuple, list)):
        return value
    try:
        array = _array_of(value)
    except TypeError:  # rows of different lengths
        return value
    fitting = "fiub" if kind is float else DTYPES[kind]
    if not array.size or array.dtype.kind not in fitting or array.dtype == np.uint64:
        return array
    return array.astype(WIDEST[kind])


def _array_of(numbers: Any) -> Any:
    """Return an array, or that of the numbers in a tuple or a list.

    Raises TypeError for anything else.
    """
    if isinstance(numbers, np.ndarray):
        return numbers
    if not isinstance(numbers, (tuple, list)):
        raise TypeError(f"A table is made of an array, a tuple or a list, got {numbers!r}.")
    try:
        return np.asarray(numbers)
    except ValueError:
        raise TypeError(f"The rows of a table have one length, got {numbers!r}.") from None
