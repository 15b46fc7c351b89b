"""read_tiled: a map of the editor Tiled, and what in it blocks the way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from math import ceil, floor
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit.pathfinding.maps.file_map import FileMap, checked_cost
from fsmkit.pathfinding.maps.tmx import (
    Layer,
    MapObject,
    ObjectLayer,
    Properties,
    TiledMap,
    TileLayer,
    read_tmx,
)

Source: TypeAlias = "str | PathLike[str] | Any"
"""The path of a map, or a map that pytmx has loaded."""

BLOCKING: Final = (
    "wall", "walls", "blocked", "blocks", "collision", "collisions", "collider", "colliders",
    "collides", "solid", "obstacle", "obstacles",
)  # fmt: skip
"""What layers, groups and properties are called that block the way, unless others are given."""

COST: Final = "cost"

SHAPES: Final = {"rectangle", "point"}
QUIET: Final = {"text"}
"""Objects that never block."""

TINY: Final = 1e-6
"""The part of a pixel by which an object may lie over a tile without blocking it."""


def read_tiled(
    file: Source,
    blocked: str | Iterable[str] | None = None,
    *,
    cost: str = COST,
    empty: float = 1.0,
) -> FileMap:
    """Return the map in a file; see `Grid.from_tiled`."""
    tiled = read_tmx(_path_of(file))
    names = BLOCKING if blocked is None else _names(blocked)
    if not isinstance(cost, str):
        raise TypeError(f"Grid.from_tiled: cost must be the name of a property, got {cost!r}.")
    sayings = _Sayings(tiled, frozenset(map(str.casefold, names)), cost)
    sayings.check(() if blocked is None else names, cost_is_given=cost != COST)
    if blocked is None:
        sayings.check_anything()
    nothing = checked_cost(empty, "Grid.from_tiled: empty")
    left, top, columns, rows = _extent(tiled)
    costs = [[nothing] * columns for _ in range(rows)]
    for (x, y), each in sayings.costs().items():
        if left <= x < left + columns and top <= y < top + rows:
            costs[y - top][x - left] = each
    width, height = map(float, tiled.tile_size)
    return FileMap(costs, (width, height), ((left + 0.5) * width, (top + 0.5) * height))


@frozen
class _Sayings:
    """What the layers and tiles of a map say about the way."""

    tiled: TiledMap
    blocking: frozenset[str]
    """Names of layers, groups and properties, in lower case."""
    cost: str
    """The name of the property that holds the cost."""

    def costs(self) -> dict[tuple[int, int], float]:
        """Return the cost of every tile where there is one, 0 for a wall."""
        found: dict[tuple[int, int], float] = {}
        walls: set[tuple[int, int]] = set()
        for layer in self.tiled.layers:
            if isinstance(layer, ObjectLayer):
                walls |= self._blocked_by_objects(layer)
            else:
                self._add_tiles(layer, found, walls)
        return found | dict.fromkeys(walls, 0.0)

    def check(self, names: Iterable[str], *, cost_is_given: bool) -> None:
        """Raise ValueError for a name that is neither a layer's nor a property's."""
        layers = {name for layer in self.tiled.layers for name in (*layer.groups, layer.name)}
        properties = {name for each in self._all_properties() for name in each}
        known = {name.casefold() for name in layers | properties}
        for name in names:
            if name.casefold() not in known:
                raise ValueError(
                    f"{self.tiled.file}: blocked names {name!r}, but there is no such layer or "
                    f"property. {_listed(layers, properties)}"
                )
        if cost_is_given and self.cost not in properties:
            raise ValueError(
                f"{self.tiled.file}: no tile has the property {self.cost!r}. "
                f"{_listed(layers, properties)}"
            )

    def check_anything(self) -> None:
        """Raise ValueError if the map says nothing about the way at all."""
        layers = {name for layer in self.tiled.layers for name in (*layer.groups, layer.name)}
        properties = {name for each in self._all_properties() for name in each}
        if self.cost not in properties and not any(
            name.casefold() in self.blocking for name in layers | properties
        ):
            raise ValueError(
                f"{self.tiled.file}: nothing says what blocks the way. Call a layer 'walls' or "
                "'collision', give tiles the property 'blocked' or 'cost', or name what blocks: "
                f"blocked=... (blocked=() if nothing does). {_listed(layers, properties)}"
            )

    def _add_tiles(
        self,
        layer: TileLayer,
        found: dict[tuple[int, int], float],
        walls: set[tuple[int, int]],
    ) -> None:
        is_wall = self._is_blocking(layer)
        said: dict[int, float | None] = {}
        for chunk in layer.chunks:
            for x, y, number in chunk.tiles():
                if is_wall:
                    walls.add((x, y))
                    continue
                if number not in said:
                    said[number] = self._said_by(number, layer)
                cost = said[number]
                if cost is None:
                    found.setdefault((x, y), 1.0)
                else:
                    found[x, y] = cost

    def _said_by(self, number: int, layer: TileLayer) -> float | None:
        """Return the cost of a tile, 0 for a wall; None if nothing is said about it."""
        own = self.tiled.tiles.get(number, {})
        blocks = self._blocks(own, f"tile {number}")
        if blocks:
            return 0.0
        cost = own.get(self.cost, layer.properties.get(self.cost))
        if cost is not None:
            what = f"{self.tiled.file}: the property {self.cost!r} of the tile {number}"
            return checked_cost(cost, f"{what} in the layer {layer.name!r}")
        return None if blocks is None else 1.0

    def _is_blocking(self, layer: Layer) -> bool:
        said = self._blocks(layer.properties, f"layer {layer.name!r}")
        names = (*layer.groups, layer.name)
        return any(n.casefold() in self.blocking for n in names) if said is None else said

    def _blocks(self, properties: Properties, what: str) -> bool | None:
        """Return what properties say about the way; None if they say nothing."""
        said = None
        for name, value in properties.items():
            if name.casefold() in self.blocking:
                if str(value).casefold() not in TRUTHS:
                    raise ValueError(
                        f"{self.tiled.file}: the property {name!r} of the {what} must be true or "
                        f"false, got {value!r}."
                    )
                said = bool(said) or TRUTHS[str(value).casefold()]
        return said

    def _blocked_by_objects(self, layer: ObjectLayer) -> set[tuple[int, int]]:
        is_wall = self._is_blocking(layer)
        blocked: set[tuple[int, int]] = set()
        for each in layer.objects:
            said = self._blocks(each.properties, f"object {each.id}")
            if (is_wall if said is None else said) and each.shape not in QUIET:
                blocked |= set(self._tiles_below(each, layer))
        return blocked

    def _tiles_below(self, each: MapObject, layer: ObjectLayer) -> Iterator[tuple[int, int]]:
        if each.shape not in SHAPES:
            raise ValueError(
                f"{self.tiled.file}: the object {each.id} in the layer {layer.name!r} blocks the "
                f"way and must be a rectangle or a point, got: {each.shape}. Draw rectangles, or "
                "name what blocks without this layer: blocked=..."
            )
        width, height = self.tiled.tile_size
        for y in _touched(each.y, each.height, height):
            yield from ((x, y) for x in _touched(each.x, each.width, width))

    def _all_properties(self) -> Iterator[Properties]:
        yield from self.tiled.tiles.values()
        for layer in self.tiled.layers:
            yield layer.properties
            if isinstance(layer, ObjectLayer):
                yield from (each.properties for each in layer.objects)


TRUTHS: Final = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


def _touched(start: float, length: float, size: int) -> range:
    """Return the columns or rows over which something lies."""
    first = floor(start / size + TINY)
    return range(first, max(first + 1, ceil((start + length) / size - TINY)))


def _extent(tiled: TiledMap) -> tuple[int, int, int, int]:
    """Return the first column and row, and their numbers; of an infinite map those with tiles."""
    if tiled.size is not None:
        return 0, 0, *tiled.size
    places = [
        (x, y)
        for layer in tiled.layers
        if isinstance(layer, TileLayer)
        for chunk in layer.chunks
        for x, y, _ in chunk.tiles()
    ]
    if not places:
        raise ValueError(f"{tiled.file}: the map is infinite and has no tiles.")
    columns, rows = zip(*places, strict=True)
    left, top = min(columns), min(rows)
    return left, top, max(columns) - left + 1, max(rows) - top + 1


def _names(blocked: Any) -> tuple[str, ...]:
    names = (blocked,) if isinstance(blocked, str) else blocked
    if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            "Grid.from_tiled: blocked must be the name of a layer or property, or a list of such "
            f"names, got {blocked!r}."
        )
    return tuple(names)


def _listed(layers: set[str], properties: set[str]) -> str:
    def those(names: set[str]) -> str:
        return ", ".join(map(repr, sorted(names))) or "none"

    return f"Layers: {those(layers)}; properties: {those(properties)}."


def _path_of(file: Source) -> Path:
    name = file if isinstance(file, str | PathLike) else getattr(file, "filename", None)
    if not isinstance(name, str | PathLike):
        raise TypeError(
            "Grid.from_tiled: file must be the path of a .tmx file, or a map that pytmx has loaded "
            f"from one, got {file!r}."
        )
    return Path(name)
