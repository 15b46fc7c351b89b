"""The TMX format of Tiled: layers, tiles, objects and properties.

See https://doc.mapeditor.org/en/stable/reference/tmx-map-format/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from attrs import field, frozen

from fsmkit.pathfinding.maps.tile_data import Chunk, chunks_of

Properties: TypeAlias = Mapping[str, Any]
"""Name -> value: a bool, a number or a text."""

ENDINGS: Final = {"map": ".tmx", "tileset": ".tsx"}


@frozen
class TileLayer:
    """A layer of tiles."""

    name: str
    groups: tuple[str, ...]
    """The names of the groups around it, the outermost first."""
    properties: Properties
    """Its own, and those of the groups."""
    chunks: tuple[Chunk, ...]


@frozen
class MapObject:
    """An object, in pixels."""

    id: str
    shape: str
    """`rectangle`, `point`, or what cannot be drawn with tiles: `polygon`, `ellipse`, ..."""
    x: float
    y: float
    width: float
    height: float
    properties: Properties


@frozen
class ObjectLayer:
    """A layer of objects."""

    name: str
    groups: tuple[str, ...]
    properties: Properties
    objects: tuple[MapObject, ...]


Layer: TypeAlias = TileLayer | ObjectLayer


@frozen
class TiledMap:
    """A map as it is in its file."""

    file: str
    tile_size: tuple[int, int]
    """In pixels."""
    size: tuple[int, int] | None
    """The number of columns and rows; None if the map is infinite."""
    layers: tuple[Layer, ...]
    """From the lowest to the topmost."""
    tiles: Mapping[int, Properties] = field(factory=dict)
    """Number of a tile in layers -> its properties, and those of its tileset."""


def read_tmx(path: Path) -> TiledMap:
    """Read a map, and the tilesets it names.

    Raises OSError for files that cannot be read, ValueError for those that are no maps, or whose
    tiles are not squares or rectangles in rows and columns.
    """
    root = _root_of(path, "map")
    orientation = root.get("orientation", "orthogonal")
    if orientation != "orthogonal":
        raise ValueError(
            f"{path}: the orientation of the map must be 'orthogonal', got {orientation!r}: a Grid "
            "has its tiles in rows and columns."
        )
    reader = _Reader(str(path))
    size = reader.pair(root, "width", "height")
    return TiledMap(
        str(path),
        reader.pair(root, "tilewidth", "tileheight"),
        None if root.get("infinite") == "1" else size,
        tuple(reader.layers(root, (), {})),
        reader.tilesets(root, path),
    )


@frozen
class _Reader:
    """Reads the parts of a map."""

    file: str

    def layers(
        self, parent: Element, groups: tuple[str, ...], inherited: Properties
    ) -> Iterator[Layer]:
        for node in parent:
            name = node.get("name", "")
            properties = {**inherited, **self.properties(node)}
            if node.tag == "group":
                yield from self.layers(node, (*groups, name), properties)
            elif node.tag == "layer":
                chunks = tuple(chunks_of(node, f"{self.file}: layer {name!r}"))
                yield TileLayer(name, groups, properties, chunks)
            elif node.tag == "objectgroup":
                objects = tuple(map(self.object, node.findall("object")))
                yield ObjectLayer(name, groups, properties, objects)

    def object(self, node: Element) -> MapObject:
        x, y, width, height, turned = (
            self.number(node, name) for name in ("x", "y", "width", "height", "rotation")
        )
        shape = next((each.tag for each in node if each.tag != "properties"), "rectangle")
        if node.get("template"):
            shape = "object from a template"
        elif shape == "rectangle" and turned % 360.0:
            shape = "turned rectangle"
        if node.get("gid"):
            y -= height  # a tile stands on its position
        return MapObject(node.get("id", "?"), shape, x, y, width, height, self.properties(node))

    def properties(self, node: Element) -> dict[str, Any]:
        return {
            each.get("name", ""): self.value(each) for each in node.iterfind("properties/property")
        }

    def value(self, node: Element) -> Any:
        kind, value = node.get("type", "string"), node.get("value", node.text or "")
        if kind == "bool":
            return value == "true"
        if kind in {"int", "float"}:
            return self.number(node, "value")
        return value

    def tilesets(self, root: Element, path: Path) -> dict[int, Properties]:
        tiles: dict[int, Properties] = {}
        for node in root.findall("tileset"):
            first = int(self.number(node, "firstgid", 1))
            if source := node.get("source"):
                node = _tileset(path, source)  # noqa: PLW2901 - this is what stands there
            shared = self.properties(node)
            count = int(self.number(node, "tilecount"))
            if shared:
                tiles |= dict.fromkeys(range(first, first + count), shared)
            for tile in node.findall("tile"):
                own = self.properties(tile)
                if own:
                    tiles[first + int(self.number(tile, "id"))] = {**shared, **own}
        return tiles

    def pair(self, node: Element, *names: str) -> tuple[int, int]:
        first, second = (int(self.number(node, name)) for name in names)
        if first <= 0 or second <= 0:
            raise ValueError(
                f"{self.file}: {names[0]} and {names[1]} of the map must be above 0, got {first} "
                f"and {second}."
            )
        return first, second

    def number(self, node: Element, name: str, default: float = 0.0) -> float:
        text = node.get(name)
        try:
            return float(text) if text else default
        except ValueError:
            raise ValueError(
                f"{self.file}: {name} of <{node.tag}> must be a number, got {text!r}."
            ) from None


def _tileset(path: Path, source: str) -> Element:
    """Return a tileset that has a file of its own, named relative to the map."""
    file = path.parent / source
    if not file.is_file():
        raise FileNotFoundError(
            f"{path}: its tileset {source!r} is missing; it should be {str(file)!r}."
        )
    return _root_of(file, "tileset")


def _root_of(path: Path, tag: str) -> Element:
    what = f"{path}: this is no {tag} of Tiled in XML"
    try:
        root = ElementTree.fromstring(path.read_bytes())
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ValueError(f"{what}: {error}. In Tiled save it as {ENDINGS[tag]}.") from None
    if root.tag != tag:
        raise ValueError(f"{what}: it holds a <{root.tag}>. In Tiled save it as {ENDINGS[tag]}.")
    return root
