"""AStarPath: the result of a search, in an object that can be reused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar, cast

from fsmkit.pathfinding.tile_sequence import TileSequence

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
        """Forget everything."""
        self._positions: Sequence[PositionT] = ()
        self.reachable = False
        self.cost = 0.0
        self.nodes = 0
        self.gave_up = False

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
        """Return a path of what `function` makes of each position; all else is the same.

        So a path of tiles becomes one of the positions of a game, and still knows whether it
        leads to the goal.

        >>> from fsmkit.pathfinding import Grid
        >>> level = Grid(["..#."], tile_size=32)
        >>> way = level.find_path((0, 0), (3, 0)).map(level.center)
        >>> list(way), way.reachable
        ([(0.0, 0.0), (32.0, 0.0)], False)
        """
        path: AStarPath[OtherT] = AStarPath()
        path.fill(
            tuple(map(function, self)),
            self.cost,
            reachable=self.reachable,
            nodes=self.nodes,
            gave_up=self.gave_up,
        )
        return path

    @property
    def positions(self) -> Sequence[PositionT]:
        """All positions, from the start to the goal; not to be changed."""
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
