"""Sweeping: which of many things can touch at all, by where they are along x."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TypeAlias

Span: TypeAlias = tuple[float, float]
"""From where to where, along x."""


def overlapping_spans(ones: Sequence[Span], others: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of indices whose spans share a place, in order.

    The others are sorted by their beginnings once, so that each of `ones` is compared with those
    near it only.

    >>> list(overlapping_spans([(0, 2), (5, 6)], [(2, 3), (9, 9), (-1, 1), (0, 9)]))
    [(0, 0), (0, 2), (0, 3), (1, 3)]
    """
    order = sorted(range(len(others)), key=lambda index: others[index])
    begins = [others[index][0] for index in order]
    widest = max((end - begin for begin, end in others), default=0.0)
    for one, (begin, end) in enumerate(ones):
        near = order[bisect_left(begins, begin - widest) : bisect_right(begins, end)]
        yield from ((one, other) for other in sorted(near) if others[other][1] >= begin)
