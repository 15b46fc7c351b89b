"""read_tiled: the costs of a map made with the editor Tiled: what its layers and properties say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import product
from math import ceil, floor, isfinite
from typing import Any, Final

from attrs import frozen

from fsmkit.core.checks import arguments
from fsmkit.pathfinding.costs import checked_cost
from fsmkit.pathfinding.maps import FileMap
from fsmkit.pathfinding.maps.tiled_files import (
    GROUP,
    OBJECTS,
    TILES,
    LevelMap,
    MapLayer,
    MapObject,
    Properties,
    TiledSource,
    load_map,
)
from fsmkit.pathfinding.tile import Tile

BLOCKING: Final = (
    "wall", "walls", "blocked", "blocks", "collision", "collisions", "collider", "colliders",
    "collides", "solid", "obstacle", "obstacles",
)  # fmt: skip
"""The names of layers and properties that block, unless others are given."""

COST: Final = "cost"

TINY: Final = 1e-6
"""The part of a pixel by which an object may lie over a tile without blocking it."""

TRUTHS: Final = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


def read_tiled(
    file: TiledSource,
    blocked: str | Iterable[str] | None = None,
    *,
    cost: str = COST,
    empty: float = 1.0,
) -> FileMap:
    level = load_map(file)
    names = BLOCKING if blocked is None else _names(blocked)
    arguments.instance(cost, "Grid.from_tiled: cost", str, "the name of a property")
    meaning = LevelMeaning(level, frozenset(map(str.casefold, names)), cost)
    meaning.check_names(None if blocked is None else names)
    nothing = checked_cost(empty, "Grid.from_tiled: empty")
    columns, rows = level.size
    costs = [[nothing] * columns for _ in range(rows)]
    for (x, y), each in meaning.costs().items():
        costs[y][x] = each
    width, height = map(float, level.tile_size)
    return FileMap(costs, (width, height), (width / 2, height / 2))


@frozen
class LevelMeaning:
    level: LevelMap
    blocking: frozenset[str]
    """Names of layers and properties, in lower case."""
    cost: str
    """The name of the property that holds the cost."""

    def check_names(self, given: Iterable[str] | None) -> None:
        """Raise ValueError for `given` names that the map lacks, or if nothing blocks or costs.

        A group must not block or have a cost either: which layers it holds is not known.
        """
        level = self.level
        for group in level.layers_of(GROUP):
            names = {group.name.casefold(), *map(str.casefold, group.properties)}
            if names & self.blocking or self.cost in group.properties:
                raise ValueError(
                    f"{level.name}: the group {group.name!r} cannot block the way or have a "
                    "cost, as its layers are not known. In Tiled give the name or the property "
                    "to the layers, or name what blocks: blocked=..."
                )
        layers = {layer.name for layer in level.layers if layer.kind in {TILES, OBJECTS}}
        objects = (each for layer in level.layers for each in layer.objects)
        having: Iterable[Any] = (*level.layers, *objects, *level.kinds.values())
        all_properties = (*(each.properties for each in having), *level.tilesets)
        properties = {name for each in all_properties for name in each}
        known = {name.casefold() for name in layers | properties}
        listed = f"Layers: {_listed(layers)}; properties: {_listed(properties)}."
        for name in given or ():
            if name.casefold() not in known:
                raise ValueError(
                    f"{level.name}: blocked names {name!r}, but there is no such layer or "
                    f"property. {listed}"
                )
        if self.cost not in properties:
            if self.cost != COST:
                raise ValueError(f"{level.name}: no tile has the property {self.cost!r}. {listed}")
            if given is None and not known & self.blocking:
                raise ValueError(
                    f"{level.name}: nothing says what blocks the way. Call a layer 'walls' or "
                    "'collision', give tiles the property 'blocked' or 'cost', or name what "
                    f"blocks: blocked=... (blocked=() if nothing does). {listed}"
                )

    def costs(self) -> dict[Tile, float]:
        """Return the cost of every tile where the map has one, 0 for a wall."""
        found: dict[Tile, float] = {}
        walls: set[Tile] = set()
        for layer in self.level.layers_of(TILES):
            tiles = self._tiles_of(layer)
            if self._is_blocking(layer):
                walls.update(tiles)
                continue
            base = self._cost(layer.properties, f"layer {layer.name!r}")
            said = {gid: self._cost_of_kind(gid, base) for gid in set(tiles.values())}
            for tile, gid in tiles.items():
                cost = said[gid]
                if cost is None:
                    found.setdefault(tile, 1.0)
                else:
                    found[tile] = cost
        for objects in self.level.layers_of(OBJECTS):
            walls.update(self._blocked_by(objects))
        return found | dict.fromkeys(walls, 0.0)

    def _tiles_of(self, layer: MapLayer) -> dict[Tile, int]:
        return {(x, y): gid for y, row in enumerate(layer.rows) for x, gid in enumerate(row) if gid}

    def _cost_of_kind(self, gid: int, base: float | None) -> float | None:
        """Return the cost of a tile, 0 for a wall; None if nothing says what it is."""
        kind = self.level.kinds.get(gid)
        if kind is None:
            return base
        properties = {**kind.tileset_properties, **kind.properties}
        blocks = self._blocks(properties, kind.name)
        if blocks:
            return 0.0
        cost = self._cost(properties, kind.name)
        cost = base if cost is None else cost
        return cost if cost is not None or blocks is None else 1.0

    def _cost(self, properties: Properties, what: str) -> float | None:
        if self.cost not in properties:
            return None
        cost = properties[self.cost]
        with suppress(TypeError, ValueError, OverflowError):
            cost = float(cost)  # a text may hold a number
        return checked_cost(cost, f"{self.level.name}: the property {self.cost!r} of the {what}")

    def _is_blocking(self, layer: MapLayer) -> bool:
        said = self._blocks(layer.properties, f"layer {layer.name!r}")
        return layer.name.casefold() in self.blocking if said is None else said

    def _blocks(self, properties: Properties, what: str) -> bool | None:
        """Return whether properties block the way; None if they do not say."""
        said = None
        for name, value in properties.items():
            if name.casefold() in self.blocking:
                if str(value).casefold() not in TRUTHS:
                    raise ValueError(
                        f"{self.level.name}: the property {name!r} of the {what} must be true or "
                        f"false, got {value!r}."
                    )
                said = bool(said) or TRUTHS[str(value).casefold()]
        return said

    def _blocked_by(self, layer: MapLayer) -> Iterator[Tile]:
        is_wall = self._is_blocking(layer)
        for each in layer.objects:
            said = self._blocks(each.properties, f"object {each.number}")
            if (is_wall if said is None else said) and each.shape != "text":
                yield from self._tiles_below(each, layer)

    def _tiles_below(self, each: MapObject, layer: MapLayer) -> Iterator[Tile]:
        what = f"{self.level.name}: the object {each.number} in the layer {layer.name!r}"
        if each.shape not in {"rectangle", "point"}:
            raise ValueError(
                f"{what} blocks the way and must be a rectangle or a point, got: {each.shape}. "
                "Draw rectangles, or name what blocks without this layer: blocked=..."
            )
        if not all(map(isfinite, (each.left, each.top, each.width, each.height))):
            raise ValueError(
                f"{what} must have a finite place and size, got {each.left}, {each.top}, "
                f"{each.width} by {each.height}."
            )
        (width, height), (columns, rows) = self.level.tile_size, self.level.size
        return product(
            _touched(each.left, each.width, width, columns),
            _touched(each.top, each.height, height, rows),
        )


def _touched(start: float, length: float, size: int, count: int) -> range:
    """Return the columns or rows of a map over which something lies."""
    first = floor(start / size + TINY)
    end = max(first + 1, ceil((start + length) / size - TINY))
    return range(max(first, 0), min(end, count))


def _names(blocked: Any) -> tuple[str, ...]:
    names = (blocked,) if isinstance(blocked, str) else blocked
    if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            "Grid.from_tiled: blocked must be the name of a layer or property, or a list of such "
            f"names, got {blocked!r}."
        )
    return tuple(names)


def _listed(names: set[str]) -> str:
    return ", ".join(map(repr, sorted(names))) or "none"
