"""CompiledEngine: searches a grid by compiled code, several ways at once over threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor

from fsmkit.pathfinding.compiled import field, kernel
from fsmkit.pathfinding.compiled.packages import np
from fsmkit.pathfinding.compiled.search import CompiledSearch, Workspace
from fsmkit.pathfinding.compiled.terrain import CompiledTerrain
from fsmkit.pathfinding.engines import AnyT, Engine, ResultT
from fsmkit.pathfinding.field_labels import Labels, Steps
from fsmkit.pathfinding.terrain import Terrain


class CompiledEngine(Engine):
    """Searches by compiled code."""

    compiled = True
    terrain = CompiledTerrain
    search = CompiledSearch
    workspace = Workspace

    def pull(self, terrain: Terrain, way: Sequence[int]) -> tuple[list[int], list[float]]:
        """Return the places of the corners of a way, and the limits; see `pulling.pull`."""
        corners, limits = np.empty(len(way), np.int32), np.empty(len(way))
        indices = np.asarray(way, np.int32)
        number = kernel.pull(np.frombuffer(terrain.costs), terrain.stride, indices, corners, limits)
        return corners[:number].tolist(), limits[:number].tolist()

    def map(
        self, search: Callable[[AnyT], ResultT], given: Sequence[AnyT], threads: int | None
    ) -> list[ResultT]:
        """Return the results of `search` for each of `given`, in order, found side by side."""
        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            return list(pool.map(search, given))

    def settle(self, labels: Labels, terrain: Terrain) -> int:
        """Work out all labels of a flow field; return the number of tiles that have a way."""
        assert isinstance(terrain, CompiledTerrain)
        return field.settle(labels, terrain)

    def repair(
        self, labels: Labels, terrain: Terrain, changed: Collection[int]
    ) -> Collection[int] | None:
        """Mend them after the costs of some tiles have changed; return the tiles touched.

        None if so many are that it has given up: then work out all labels from fresh ones.
        """
        return field.repair(labels, terrain, changed)

    def walk(self, labels: Labels, terrain: Terrain, start: int) -> tuple[Sequence[int], float]:
        """Return the indices of the tiles on the way from `start` to a goal, and its cost."""
        return field.walk(labels, terrain, start)

    def find_steps(
        self, labels: Labels, terrain: Terrain, steps: Steps, near: Collection[int] | None
    ) -> None:
        """Write the step to the tile to go to next: for the tiles around some, or for all."""
        field.find_steps(labels, terrain, steps, near)
