"""Ring: the latest items of a sequence that has no end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")


class Ring(Generic[ItemT]):
    """The latest items, numbered from 0 on; the oldest ones are dropped.

    >>> ring = Ring[str](2)
    >>> for letter in "abc":
    ...     ring.add(letter)
    >>> (list(ring), ring.first, ring.next)
    (['b', 'c'], 1, 3)
    >>> list(ring.since(2, 10))
    ['c']
    """

    def __init__(self, limit: int) -> None:
        self._items: deque[ItemT] = deque(maxlen=limit)
        self.next = 0
        """The number of the next item."""

    def __iter__(self) -> Iterator[ItemT]:
        return iter(self._items)

    def __reversed__(self) -> Iterator[ItemT]:
        return reversed(self._items)

    @property
    def first(self) -> int:
        """The number of the oldest item that is kept."""
        return self.next - len(self._items)

    def add(self, item: ItemT) -> None:
        """Add an item."""
        self._items.append(item)
        self.next += 1

    def since(self, number: int, most: int) -> Iterator[ItemT]:
        """Yield at most that many items, from that number on, as far as they are still kept."""
        begin = max(0, number - self.first)
        return islice(self._items, begin, begin + most)
