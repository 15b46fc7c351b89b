"""Search: the base of all searches that go on over several frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from numbers import Integral
from typing import Generic

from fsmkit.pathfinding.path import AStarPath, PositionT


class Search(ABC, Generic[PositionT]):
    """A search that is carried on in steps. Its result goes into `path` when it is over.

    It goes on with the map as it was when it began, whatever changes meanwhile.

    >>> from fsmkit.pathfinding import Grid
    >>> search = Grid(["....", "...."]).begin((0, 0), (3, 1))
    >>> while not search.step(2):
    ...     print("one more frame")
    one more frame
    >>> list(search.path)
    [(0, 0), (1, 1), (2, 1), (3, 1)]
    """

    def __init__(self, path: AStarPath[PositionT], max_nodes: int | None) -> None:
        if max_nodes is not None and (not isinstance(max_nodes, Integral) or max_nodes < 1):
            raise ValueError(f"max_nodes must be at least 1 or None, got {max_nodes!r}.")
        if not isinstance(path, AStarPath):
            raise TypeError(f"path must be an AStarPath, got {path!r}.")
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
        """Carry the search on to its end."""
        self.step(inf)

    def cancel(self) -> None:
        """End the search; the path leads to the nearest place found so far."""
        if not self.is_over:
            self._finish(gave_up=True)

    @abstractmethod
    def _expand(self, nodes: float) -> None:
        """Expand at most `nodes` nodes, and call `_finish` at the end."""

    @abstractmethod
    def _finish(self, *, gave_up: bool = False) -> None:
        """Fill the path and end the search."""
