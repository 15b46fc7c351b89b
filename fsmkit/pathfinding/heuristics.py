"""Heuristics for positions that are tuples of numbers; none of them overestimates.

Each is the length of the shortest way without obstacles: `manhattan` for four neighbours,
`octile` for eight, `euclidean` for any direction, `chebyshev` for eight where diagonals cost 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import dist, sqrt

DIAGONAL = sqrt(2.0)


def manhattan(position: Sequence[float], goal: Sequence[float]) -> float:
    """Return the sum of the distances along the axes.

    >>> manhattan((0, 0), (3, 4))
    7
    """
    return sum(abs(a - b) for a, b in zip(position, goal, strict=True))


def euclidean(position: Sequence[float], goal: Sequence[float]) -> float:
    """Return the straight distance.

    >>> euclidean((0, 0), (3, 4))
    5.0
    """
    return dist(position, goal)


def chebyshev(position: Sequence[float], goal: Sequence[float]) -> float:
    """Return the largest of the distances along the axes.

    >>> chebyshev((0, 0), (3, 4))
    4
    """
    return max(abs(a - b) for a, b in zip(position, goal, strict=True))


def octile(position: Sequence[float], goal: Sequence[float]) -> float:
    """Return the length of the shortest way in straight and diagonal steps, in two dimensions.

    >>> octile((0, 0), (3, 4)) == 3 * sqrt(2) + 1
    True
    """
    dx, dy = (abs(a - b) for a, b in zip(position, goal, strict=True))
    return dx + dy + (DIAGONAL - 2.0) * min(dx, dy)
