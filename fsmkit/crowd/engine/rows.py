"""Rows: columns with spare room at the end, in which rows may be free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from fsmkit.crowd.packages import np

FREE: Final = -2
"""The state in a row that belongs to no agent. No state has that number: the loops pass it by."""

SPARE: Final = 8
"""One row in so many may be free, and one in so many is added as spare room."""

CHUNK: Final = 1 << 14
"""The number of rows that are moved at once: the cells of a column then fit into a cache."""

Columns: TypeAlias = dict[str, Any]


class Rows:
    """Columns of equal length, one of which is `state`.

    Adding rows uses the spare room at the end; rows that are released stay, and are free, until
    there are many of them, or until `close_up`. So either costs, on average, as much as it concerns
    rows, and never a copy of all columns.

    >>> rows = Rows({"state": np.dtype("int8"), "x": np.dtype("float64")})
    >>> rows.append(20)
    range(0, 20)
    >>> rows.columns["state"][:], rows.columns["x"][:] = 0, range(20)
    >>> rows.release(np.array([1, 4]))
    >>> len(rows), rows.free.tolist(), rows.numbers([0, 1, 2, 3, 17]).tolist(), rows.rank(5)
    (20, [1, 4], [0, 2, 3, 5, 19], 3)
    >>> rows.close_up()
    >>> rows.columns["x"].tolist()[:5], len(rows)
    ([0.0, 2.0, 3.0, 5.0, 6.0], 18)
    """

    def __init__(self, dtypes: Mapping[str, Any]) -> None:
        self.columns: Columns = {}
        """The columns; they are others once rows were added, or closed up."""
        self._whole: Columns = {name: np.empty(0, dtype) for name, dtype in dtypes.items()}
        """The columns with their spare room."""
        self.parts: list[Any] = []
        """What was made of the columns; emptied when they are others, to keep none alive."""
        self.free_count = 0
        self._free: Any = np.empty(0, np.int64)
        self._freed: list[Any] = []
        """Rows that are still to be put into order among the free ones."""
        self._use(0)

    def __len__(self) -> int:
        """Return the number of rows, with the free ones."""
        return len(self.columns["state"])

    @property
    def free(self) -> Any:
        """The numbers of the free rows, in ascending order."""
        if self._freed:
            self._free = np.sort(np.concatenate([self._free, *self._freed]), kind="stable")
            self._freed = []
        return self._free

    def append(self, count: int) -> range:
        """Add rows, whose cells are to be written; return their numbers.

        Raises MemoryError or ValueError if there is not enough memory; nothing is changed then.
        """
        room = len(self._whole["state"])
        if len(self) + count > room and self.free_count * SPARE * 2 > len(self):
            self.close_up()
        size = len(self) + count
        if size > room:
            self._widen(size + size // SPARE + SPARE)
        self._use(size)
        return range(size - count, size)

    def release(self, numbers: Any) -> None:
        """Make rows free, none of which is yet."""
        if len(numbers) == 0:
            return
        self.columns["state"][numbers] = FREE
        self._freed.append(numbers)
        self.free_count += len(numbers)
        if self.free_count * SPARE > len(self):
            self.close_up()

    def close_up(self) -> None:
        """Move the other rows to where the free ones are."""
        if not self.free_count:
            return
        size = len(self) - self.free_count
        moves = self._moves(int(self.free[0]))
        for column in self.columns.values():
            for target, part, kept in moves:
                column[target] = column[part] if kept is None else column[part][kept]
        self._free, self.free_count = np.empty(0, np.int64), 0
        self._use(size)

    def replace(self, columns: Mapping[str, Any]) -> None:
        """Use these columns from now on, without free rows."""
        self._whole = dict(columns)
        self._free, self._freed, self.free_count = np.empty(0, np.int64), [], 0
        self._use(len(columns["state"]))

    def rank(self, number: int) -> int:
        """Return how many rows that are not free come before one."""
        return number - int(np.searchsorted(self.free, number))

    def numbers(self, ranks: Any) -> Any:
        """Return the numbers of the rows with these ranks among those that are not free."""
        ranks = np.asarray(ranks, np.int64)
        if not self.free_count:
            return ranks
        before = self.free - np.arange(self.free_count)
        return ranks + np.searchsorted(before, ranks, side="right")

    def taken(self, column: Any) -> Any:
        """Return the cells of a column, or of a mask, in the rows that are not free."""
        return column[self.columns["state"] != FREE] if self.free_count else column

    def _moves(self, first: int) -> list[tuple[slice, slice, Any]]:
        """Return where the rows from `first` on go, by chunks; and which of them, None for all."""
        moves: list[tuple[slice, slice, Any]] = []
        target = first
        for begin in range(first, len(self), CHUNK):
            part = slice(begin, min(begin + CHUNK, len(self)))
            kept = self.columns["state"][part] != FREE
            count = int(np.count_nonzero(kept))
            is_whole = count == len(kept)
            moves.append((slice(target, target + count), part, None if is_whole else kept))
            target += count
        return moves

    def _widen(self, room: int) -> None:
        """Copy every column into a longer one, and let go of it before the next one."""
        self.parts.clear()
        for name in sorted(self.columns, key="state".__eq__):  # it says how much room there is
            wider = np.empty(room, self._whole[name].dtype)
            column = wider[: len(self)]
            column[:] = self.columns[name]
            self._whole[name], self.columns[name] = wider, column

    def _use(self, size: int) -> None:
        self.parts.clear()
        self.columns = {name: each[:size] for name, each in self._whole.items()}
