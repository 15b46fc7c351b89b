"""read_tiled: a map of the editor Tiled, and what in it blocks the way. Needs pytmx."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import product
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from fsmkit.pathfinding.maps.file_map import FileMap, checked_cost
from fsmkit.pathfinding.maps.tmx_file import Properties, Source, TmxMap, load_tmx

if TYPE_CHECKING:
    from pytmx.pytmx import TiledObject, TiledObjectGroup, TiledTileLayer

BLOCKING: Final = (
    "wall", "walls", "blocked", "blocks", "collision", "collisions", "collider", "colliders",
    "collides", "solid", "obstacle", "obstacles",
)  # fmt: skip
"""What layers and properties are called that block the way, unless others are given."""

COST: Final = "cost"

SHAPES: Final = {"rectangle", "point"}
TEXT: Final = "text"
"""An object that never blocks."""

TINY: Final = 1e-6
"""The part of a pixel by which an object may lie over a tile without blocking it."""

TRUTHS: Final = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


def read_tiled(
    file: Source,
    blocked: str | Iterable[str] | None = None,
    *,
    cost: str = COST,
    empty: float = 1.0,
) -> FileMap:
    """Return the map in a file; see `Grid.from_tiled`."""
    tmx = load_tmx(file)
    names = BLOCKING if blocked is None else _names(blocked)
    if not isinstance(cost, str):
        raise TypeError(f"Grid.from_tiled: cost must be the name of a property, got {cost!r}.")
    sayings = _Sayings(tmx, frozenset(map(str.casefold, names)), cost)
    sayings.check_groups()
    sayings.check(() if blocked is None else names, cost_is_given=cost != COST)
    if blocked is None:
        sayings.check_anything()
    nothing = checked_cost(empty, "Grid.from_tiled: empty")
    columns, rows = tmx.tiled.width, tmx.tiled.height
    costs = [[nothing] * columns for _ in range(rows)]
    for (x, y), each in sayings.costs().items():
        if 0 <= x < columns and 0 <= y < rows:
            costs[y][x] = each
    width, height = float(tmx.tiled.tilewidth), float(tmx.tiled.tileheight)
    return FileMap(costs, (width, height), (width / 2, height / 2))


@frozen
class _Sayings:
    """What the layers and tiles of a map say about the way."""

    tmx: TmxMap
    blocking: frozenset[str]
    """Names of layers and properties, in lower case."""
    cost: str
    """The name of the property that holds the cost."""

    def costs(self) -> dict[tuple[int, int], float]:
        """Return the cost of every tile where there is one, 0 for a wall."""
        found: dict[tuple[int, int], float] = {}
        walls: set[tuple[int, int]] = set()
        for tiles in self.tmx.tile_layers:
            self._add_tiles(tiles, found, walls)
        for objects in self.tmx.object_layers:
            walls |= self._blocked_by_objects(objects)
        return found | dict.fromkeys(walls, 0.0)

    def check_groups(self) -> None:
        """Raise ValueError for a group that says something: whose layers it holds is unknown."""
        for group in self.tmx.groups:
            names = {str(group.name or "").casefold(), *map(str.casefold, group.properties)}
            if names & self.blocking or self.cost in group.properties:
                raise ValueError(
                    f"{self.tmx.name}: the group {group.name!r} must not say what blocks the way: "
                    "pytmx does not tell which layers are in it. In Tiled name the layers so, or "
                    "give them the property, or name what blocks: blocked=..."
                )

    def check(self, names: Iterable[str], *, cost_is_given: bool) -> None:
        """Raise ValueError for a name that is neither a layer's nor a property's."""
        layers, properties = self._layer_names(), self._property_names()
        known = {name.casefold() for name in layers | properties}
        for name in names:
            if name.casefold() not in known:
                raise ValueError(
                    f"{self.tmx.name}: blocked names {name!r}, but there is no such layer or "
                    f"property. {_listed(layers, properties)}"
                )
        if cost_is_given and self.cost not in properties:
            raise ValueError(
                f"{self.tmx.name}: no tile has the property {self.cost!r}. "
                f"{_listed(layers, properties)}"
            )

    def check_anything(self) -> None:
        """Raise ValueError if the map says nothing about the way at all."""
        layers, properties = self._layer_names(), self._property_names()
        if self.cost not in properties and not any(
            name.casefold() in self.blocking for name in layers | properties
        ):
            raise ValueError(
                f"{self.tmx.name}: nothing says what blocks the way. Call a layer 'walls' or "
                "'collision', give tiles the property 'blocked' or 'cost', or name what blocks: "
                f"blocked=... (blocked=() if nothing does). {_listed(layers, properties)}"
            )

    def _add_tiles(
        self,
        layer: TiledTileLayer,
        found: dict[tuple[int, int], float],
        walls: set[tuple[int, int]],
    ) -> None:
        is_wall = self._is_blocking(layer)
        base = self._cost(layer.properties, f"layer {layer.name!r}")
        said: dict[int, float | None] = {}
        for x, y, gid in layer.iter_data():
            if not gid:
                continue
            if is_wall:
                walls.add((x, y))
                continue
            if gid not in said:
                said[gid] = self._said_by(gid, base)
            cost = said[gid]
            if cost is None:
                found.setdefault((x, y), 1.0)
            else:
                found[x, y] = cost

    def _said_by(self, gid: int, base: float | None) -> float | None:
        """Return the cost of a tile, 0 for a wall; None if nothing is said about it."""
        own = self.tmx.tile_properties(gid)
        if not own:
            return base
        what = self.tmx.tile_name(gid)
        blocks = self._blocks(own, what)
        if blocks:
            return 0.0
        cost = self._cost(own, what) if self.cost in own else base
        return cost if cost is not None or blocks is None else 1.0

    def _cost(self, properties: Properties, what: str) -> float | None:
        if self.cost not in properties:
            return None
        cost = properties[self.cost]
        return checked_cost(cost, f"{self.tmx.name}: the property {self.cost!r} of the {what}")

    def _is_blocking(self, layer: TiledTileLayer | TiledObjectGroup) -> bool:
        said = self._blocks(layer.properties, f"layer {layer.name!r}")
        return str(layer.name or "").casefold() in self.blocking if said is None else said

    def _blocks(self, properties: Properties, what: str) -> bool | None:
        """Return what properties say about the way; None if they say nothing."""
        said = None
        for name, value in properties.items():
            if name.casefold() in self.blocking:
                if str(value).casefold() not in TRUTHS:
                    raise ValueError(
                        f"{self.tmx.name}: the property {name!r} of the {what} must be true or "
                        f"false, got {value!r}."
                    )
                said = bool(said) or TRUTHS[str(value).casefold()]
        return said

    def _blocked_by_objects(self, layer: TiledObjectGroup) -> set[tuple[int, int]]:
        is_wall = self._is_blocking(layer)
        blocked: set[tuple[int, int]] = set()
        for each in layer:
            said = self._blocks(each.properties, f"object {each.id}")
            if (is_wall if said is None else said) and self.tmx.shape(each) != TEXT:
                blocked.update(self._tiles_below(each, layer))
        return blocked

    def _tiles_below(self, each: TiledObject, layer: TiledObjectGroup) -> Iterator[tuple[int, int]]:
        shape = self.tmx.shape(each)
        if shape not in SHAPES:
            raise ValueError(
                f"{self.tmx.name}: the object {each.id} in the layer {layer.name!r} blocks the "
                f"way and must be a rectangle or a point, got: {shape}. Draw rectangles, or "
                "name what blocks without this layer: blocked=..."
            )
        tiled, top = self.tmx.tiled, self.tmx.top(each)
        if not all(map(isfinite, (each.x, top, each.width, each.height))):
            raise ValueError(
                f"{self.tmx.name}: the object {each.id} in the layer {layer.name!r} must have a "
                f"finite place and size, got {each.x}, {top}, {each.width} by {each.height}."
            )
        rows = _touched(top, each.height, tiled.tileheight, tiled.height)
        columns = _touched(each.x, each.width, tiled.tilewidth, tiled.width)
        return product(columns, rows)

    def _layer_names(self) -> set[str]:
        return {layer.name or "" for layer in (*self.tmx.tile_layers, *self.tmx.object_layers)}

    def _property_names(self) -> set[str]:
        return {name for each in self.tmx.all_properties() for name in each}


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


def _listed(layers: set[str], properties: set[str]) -> str:
    def those(names: set[str]) -> str:
        return ", ".join(map(repr, sorted(names))) or "none"

    return f"Layers: {those(layers)}; properties: {those(properties)}."
