"""What a search asks of its user: how far it may be, and where one may go."""

from __future__ import annotations

from typing import Protocol, TypeVar

PositionT_contra = TypeVar("PositionT_contra", contravariant=True)


class Heuristic(Protocol[PositionT_contra]):
    """An estimate of the cost from a position to the goal: any function of the two.

    With one that never estimates too high the path found is the cheapest.
    """

    def __call__(self, position: PositionT_contra, goal: PositionT_contra, /) -> float:
        """The estimate."""
        ...


class Reachability(Protocol[PositionT_contra]):
    """Where somebody may go, beyond what the graph says."""

    def is_reachable(self, position: PositionT_contra, /) -> bool:
        """Whether a position can be reached at all; asked once, of the goal, before the search."""
        ...

    def can_move(self, start: PositionT_contra, end: PositionT_contra, /) -> bool:
        """Whether one may go from a position to one beside it; asked inside the search."""
        ...
