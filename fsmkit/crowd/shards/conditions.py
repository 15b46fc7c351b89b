"""Conditions: which agents are meant. They are sent to the shards and evaluated there."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.packages import np

COMPARISONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class Condition:
    """Holds for some agents. `a & b`, `a | b` and `~a` are conditions too.

    It is not a mask: it is evaluated by the call that it is given to, for the agents as they are
    then.
    """

    def mask(self, store: Store) -> Any:
        """Return the mask of the rows of a shard for which it holds; free rows do not matter."""
        raise NotImplementedError

    @staticmethod
    def rows(rows: Any) -> Condition:
        """Return the condition of being one of the rows of a shard, given by a mask or indices."""
        if rows.dtype == np.bool_:
            return Masked(np.packbits(rows), len(rows))
        return Listed(rows)

    def __and__(self, other: Condition) -> Condition:
        return Combined(np.logical_and, self, other) if _is_one(other) else NotImplemented

    def __or__(self, other: Condition) -> Condition:
        return Combined(np.logical_or, self, other) if _is_one(other) else NotImplemented

    def __invert__(self) -> Condition:
        return Inverted(self)

    def __bool__(self) -> bool:
        raise TypeError(
            "A condition is evaluated by the shards. Write & for `and`, | for `or`, ~ for `not`, "
            "each comparison in brackets of its own."
        )


Rows: TypeAlias = Any
"""Some rows of a shard: a slice, an array of indices, or a condition."""


@frozen(eq=False)
class InState(Condition):
    """Being in a state."""

    number: int

    def mask(self, store: Store) -> Any:
        """Return the mask."""
        return store.state == self.number


@frozen(eq=False)
class Compared(Condition):
    """A column compared with a number."""

    column: str
    comparison: str
    value: float | int | bool

    def mask(self, store: Store) -> Any:
        """Return the mask."""
        return COMPARISONS[self.comparison](store.rows.columns[self.column], self.value)


@frozen(eq=False)
class Masked(Condition):
    """A mask for the rows of one shard, packed."""

    bits: Any
    length: int

    def mask(self, store: Store) -> Any:
        """Return the mask."""
        return store.mask(np.unpackbits(self.bits, count=self.length).view(np.bool_))


@frozen(eq=False)
class Listed(Condition):
    """The indices of some rows of one shard."""

    indices: Any

    def mask(self, store: Store) -> Any:
        """Return the mask."""
        return store.mask(self.indices)


@frozen(eq=False)
class Combined(Condition):
    """Both of two conditions, or one of them at least."""

    combine: Callable[[Any, Any], Any]
    left: Condition
    right: Condition

    def mask(self, store: Store) -> Any:
        """Return the mask."""
        return self.combine(self.left.mask(store), self.right.mask(store))


@frozen(eq=False)
class Inverted(Condition):
    """The opposite of a condition."""

    inner: Condition

    def mask(self, store: Store) -> Any:
        """Return the mask."""
        return ~self.inner.mask(store)


def mask_of(where: Condition | None, store: Store) -> Any:
    """Return the mask of rows for a condition, or None for all agents."""
    every = store.mask(None)
    return every if where is None else where.mask(store) & every


def rows_of(rows: Rows, store: Store) -> Any:
    """Return the rows as numpy takes them. There must be no free ones."""
    return rows.mask(store) if isinstance(rows, Condition) else rows


def _is_one(other: object) -> bool:
    return isinstance(other, Condition)
