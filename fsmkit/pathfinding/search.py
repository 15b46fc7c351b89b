"""What a search takes and gives: heuristics, AStarPath, and Search, which fills it in steps.

The heuristics here are for positions that are tuples of numbers; none of them overestimates. Each
is the length of the shortest way without obstacles: `manhattan` for four neighbours, `octile` for
eight, `euclidean` for any direction, `chebyshev` for eight where diagonals cost 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from math import dist, inf
from typing import Generic, Protocol, TypeVar, cast

from fsmkit.core.checks import arguments
from fsmkit.pathfinding.tile import DIAGONAL_SAVING, TileSequence

PositionT_contra = TypeVar("PositionT_contra", contravariant=True)


class Heuristic(Protocol[PositionT_contra]):
    """An estimate of the cost from a position to the goal: any function of the two.

    If it never overestimates, the path found is the cheapest.
    """

    def __call__(self, position: PositionT_contra, goal: PositionT_contra, /) -> float: ...


class Reachability(Protocol[PositionT_contra]):
    """The places where a character may go; asked in addition to the paths of the graph."""

    def is_reachable(self, position: PositionT_contra, /) -> bool:
        """Return True if `position` can be reached at all; called once, for the goal, at first."""
        ...

    def can_move(self, start: PositionT_contra, end: PositionT_contra, /) -> bool:
        """Return True if the step from `start` to its neighbour `end` is allowed."""
        ...


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

    >>> round(octile((0, 0), (3, 4)), 3)
    5.243
    """
    dx, dy = (abs(a - b) for a, b in zip(position, goal, strict=True))
    return dx + dy + DIAGONAL_SAVING * min(dx, dy)


PositionT = TypeVar("PositionT")
OtherT = TypeVar("OtherT")


class AStarPath(Generic[PositionT]):
    """The positions from start to goal, in order, both of them included.

    A search fills it, so a character can keep one and reuse it. If the goal cannot be reached it
    leads to the nearest place, and `reachable` is False.

    >>> path = AStarPath()
    >>> len(path), path.reachable
    (0, False)
    """

    __slots__ = ("_positions", "cost", "gave_up", "nodes", "reachable")

    _positions: Sequence[PositionT]

    reachable: bool
    """True if it leads to the goal."""

    cost: float
    """The sum of the weights along it."""

    nodes: int
    """The number of nodes that were expanded to find it."""

    gave_up: bool
    """True if the search was ended by `max_nodes` or cancelled before it was sure.

    There may still be a way; and if it is `reachable`, there may be a cheaper one.
    """

    def __init__(self) -> None:
        self.clear()

    @classmethod
    def of(cls, positions: Iterable[PositionT]) -> AStarPath[PositionT]:
        """Return a path as it is, and anything else as a way to the last of the positions.

        >>> AStarPath.of([(0, 0), (1, 0)])
        <AStarPath of 2 positions, cost 0, reachable>
        """
        if isinstance(positions, AStarPath):
            return positions
        path: AStarPath[PositionT] = AStarPath()
        path.fill(positions, 0.0, reachable=True)
        path.reachable = len(path) > 0
        return path

    def clear(self) -> None:
        """Empty the path."""
        self.fill((), 0.0, reachable=False)

    def fill(
        self,
        positions: Iterable[PositionT],
        cost: float,
        *,
        reachable: bool,
        nodes: int = 0,
        gave_up: bool = False,
    ) -> None:
        """Store the result of a search."""
        is_fixed = isinstance(positions, TileSequence | tuple)  # anything else may change later
        self._positions = cast("Sequence[PositionT]", positions) if is_fixed else list(positions)
        self.cost = cost
        self.reachable = reachable
        self.nodes = nodes
        self.gave_up = gave_up

    def map(self, function: Callable[[PositionT], OtherT], /) -> AStarPath[OtherT]:
        """Return the same path, with `function` applied to each position.

        A path of tiles becomes one of positions of the game, and still knows whether it leads to
        the goal.

        >>> from fsmkit.pathfinding import Grid
        >>> level = Grid(["..#."], tile_size=32)
        >>> way = level.find_path((0, 0), (3, 0)).map(level.center)
        >>> list(way), way.reachable
        ([(0.0, 0.0), (32.0, 0.0)], False)
        """
        path = cast("AStarPath[OtherT]", copy(self))
        path._positions = tuple(map(function, self))
        return path

    @property
    def positions(self) -> Sequence[PositionT]:
        """All positions, from the start to the goal; do not change them."""
        return self._positions

    def __iter__(self) -> Iterator[PositionT]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, index: int) -> PositionT:
        return self._positions[index]

    def __repr__(self) -> str:
        way = "reachable" if self.reachable else "not reachable"
        return f"<AStarPath of {len(self)} positions, cost {self.cost:g}, {way}>"


class Search(ABC, Generic[PositionT]):
    """A search that is continued in steps. Its result goes into `path` when it is over.

    It continues with the map as it was at the beginning, whatever changes.

    >>> from fsmkit.pathfinding import Grid
    >>> search = Grid(["....", "...."]).begin((0, 0), (3, 1))
    >>> while not search.step(2):
    ...     print("one more frame")
    one more frame
    >>> list(search.path)
    [(0, 0), (1, 1), (2, 1), (3, 1)]
    """

    def __init__(self, path: AStarPath[PositionT], max_nodes: int | None) -> None:
        if max_nodes is not None:
            arguments.integer(
                max_nodes, "max_nodes", least=1, otherwise=" or None", error=ValueError
            )
        arguments.instance(path, "path", AStarPath, "an AStarPath")
        path.clear()
        self.path = path
        self.max_nodes = inf if max_nodes is None else max_nodes
        self.nodes = 0
        """The number of nodes expanded so far."""
        self.is_over = False

    @property
    def is_outdated(self) -> bool:
        """True if the map has changed since the search began: begin another one to use it."""
        return False

    def step(self, nodes: float = 1) -> bool:
        """Expand up to `nodes` more nodes; return True once the search is over.

        Raises ValueError if `nodes` is not a number.
        """
        if not nodes <= inf:
            raise ValueError(f"nodes must be a number, got {nodes!r}.")
        if not self.is_over:
            self._expand(min(nodes, self.max_nodes - self.nodes))
            if not self.is_over and self.nodes >= self.max_nodes:
                self.cancel()
        return self.is_over

    def run(self) -> None:
        """Continue the search to its end."""
        self.step(inf)

    def cancel(self) -> None:
        """End the search; the path leads to the nearest place found so far."""
        if not self.is_over:
            self._finish(gave_up=True)

    def _conclude(
        self, positions: Iterable[PositionT], cost: float, *, reachable: bool, gave_up: bool
    ) -> None:
        self.is_over = True
        self.path.fill(positions, cost, reachable=reachable, nodes=self.nodes, gave_up=gave_up)

    @abstractmethod
    def _expand(self, nodes: float) -> None:
        """Expand at most `nodes` nodes, and call `_finish` at the end."""

    @abstractmethod
    def _finish(self, *, gave_up: bool = False) -> None: ...
