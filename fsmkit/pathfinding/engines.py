"""The two engines that search a grid: plain Python, and compiled code where numba is installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar
from warnings import warn

from fsmkit.pathfinding.field_labels import Labels, Steps
from fsmkit.pathfinding.grid_search import GridSearch
from fsmkit.pathfinding.path import AStarPath
from fsmkit.pathfinding.pulling import pull
from fsmkit.pathfinding.python_field import find_steps, repair, settle, walk
from fsmkit.pathfinding.python_search import PythonSearch, Workspace
from fsmkit.pathfinding.terrain import Terrain
from fsmkit.pathfinding.tile import Tile
from fsmkit.pathfinding.workspaces import Workspaces

if TYPE_CHECKING:
    from fsmkit.pathfinding.grid import Grid

AnyT = TypeVar("AnyT")
ResultT = TypeVar("ResultT")


class Engine(ABC):
    """What searches a grid."""

    compiled: bool
    terrain: type[Terrain]
    """The kind of terrain that it searches."""
    search: type[GridSearch]
    workspace: Callable[[int, int], Any]
    """What one search at a time writes into."""

    def __init__(self, width: int, height: int) -> None:
        self._workspaces: Workspaces[Any] = Workspaces(partial(self.workspace, width, height))

    def begin(
        self, path: AStarPath[Tile], grid: Grid, start: Tile, goal: Tile, max_nodes: int | None
    ) -> GridSearch:
        """Begin a search."""
        return self.search(path, grid, start, goal, max_nodes, workspaces=self._workspaces)

    @abstractmethod
    def pull(self, terrain: Terrain, way: Sequence[int]) -> tuple[list[int], list[float]]:
        """Return the places of the corners of a way, and the limits; see `pulling.pull`."""

    @abstractmethod
    def map(
        self, search: Callable[[AnyT], ResultT], given: Sequence[AnyT], threads: int | None
    ) -> list[ResultT]:
        """Return the results of `search` for each of `given`, in order."""

    @abstractmethod
    def settle(self, labels: Labels, terrain: Terrain) -> int:
        """Work out all labels of a flow field; return the number of tiles that have a way."""

    @abstractmethod
    def repair(
        self, labels: Labels, terrain: Terrain, changed: Collection[int]
    ) -> Collection[int] | None:
        """Mend them after the costs of some tiles have changed; return the tiles touched.

        None if so many are that it has given up: then work out all labels from fresh ones.
        """

    @abstractmethod
    def walk(self, labels: Labels, terrain: Terrain, start: int) -> tuple[Sequence[int], float]:
        """Return the indices of the tiles on the way from `start` to a goal, and its cost."""

    @abstractmethod
    def find_steps(
        self, labels: Labels, terrain: Terrain, steps: Steps, near: Collection[int] | None
    ) -> None:
        """Write the step to the tile to go to next: for the tiles around some, or for all."""


class PythonEngine(Engine):
    """Searches in plain Python."""

    compiled = False
    terrain = Terrain
    search = PythonSearch
    workspace = Workspace

    def pull(self, terrain: Terrain, way: Sequence[int]) -> tuple[list[int], list[float]]:
        """Return the places of the corners of a way, and the limits; see `pulling.pull`."""
        corners, limits = [0] * len(way), [0.0] * len(way)
        number = pull(terrain.costs, terrain.stride, way, corners, limits)
        return corners[:number], limits[:number]

    def map(
        self,
        search: Callable[[AnyT], ResultT],
        given: Sequence[AnyT],
        threads: int | None,  # noqa: ARG002  # of no use: only one runs Python at a time
    ) -> list[ResultT]:
        """Return the results of `search` for each of `given`, in order, one after another."""
        return [search(each) for each in given]

    def settle(self, labels: Labels, terrain: Terrain) -> int:
        """Work out all labels of a flow field; return the number of tiles that have a way."""
        return settle(labels, terrain)

    def repair(
        self, labels: Labels, terrain: Terrain, changed: Collection[int]
    ) -> Collection[int] | None:
        """Mend them after the costs of some tiles have changed; return the tiles touched.

        None if so many are that it has given up: then work out all labels from fresh ones.
        """
        return repair(labels, terrain, changed)

    def walk(self, labels: Labels, terrain: Terrain, start: int) -> tuple[Sequence[int], float]:
        """Return the indices of the tiles on the way from `start` to a goal, and its cost."""
        return walk(labels, terrain, start)

    def find_steps(
        self, labels: Labels, terrain: Terrain, steps: Steps, near: Collection[int] | None
    ) -> None:
        """Write the step to the tile to go to next: for the tiles around some, or for all."""
        find_steps(labels, terrain, steps, near)


def engine_for(width: int, height: int, compiled: bool | None) -> Engine:
    """Return the engine for a map; compiled if numba is there, unless `compiled` says otherwise.

    Raises ImportError for `compiled=True` without a numba that works.
    """
    if compiled is not None and not isinstance(compiled, bool):
        raise TypeError(f"Grid: compiled must be True, False or None, got {compiled!r}.")
    if compiled or (compiled is None and find_spec("numba") is not None and _can_compile()):
        from fsmkit.pathfinding.compiled.engine import CompiledEngine  # takes about a second

        return CompiledEngine(width, height)
    return PythonEngine(width, height)


@cache
def _can_compile() -> bool:
    """Return True if the compiled engine can be loaded; warn if it cannot, once."""
    try:
        import_module("fsmkit.pathfinding.compiled.engine")
    except Exception as error:
        warn(
            f"Grids are searched in Python: numba is installed, but cannot be used ({error}). "
            "Give compiled=False to do without it, and without this warning.",
            RuntimeWarning,
            stacklevel=4,
        )
        return False
    return True
