"""The functions a search gets from its user: an estimate, and where a character may go."""

from __future__ import annotations

from typing import Protocol, TypeVar

PositionT_contra = TypeVar("PositionT_contra", contravariant=True)


class Heuristic(Protocol[PositionT_contra]):
    """An estimate of the cost from a position to the goal: any function of the two.

    If it never overestimates, the path found is the cheapest.
    """

    def __call__(self, position: PositionT_contra, goal: PositionT_contra, /) -> float:
        """Return the estimate."""
        ...


class Reachability(Protocol[PositionT_contra]):
    """The places where a character may go, beyond the paths of the graph."""

    def is_reachable(self, position: PositionT_contra, /) -> bool:
        """Return True if `position` can be reached at all; called once, for the goal, at first."""
        ...

    def can_move(self, start: PositionT_contra, end: PositionT_contra, /) -> bool:
        """Return True if one may go from `start` to its neighbour `end`; called in the search."""
        ...
