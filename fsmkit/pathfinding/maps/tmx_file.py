"""load_tmx: a map of the editor Tiled, read by pytmx. Needs pytmx.

pytmx leaves out what kind of shape an object has, and which layers lie in which group. The first is
looked up in the file; of the second see `TmxMap.groups`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from logging import getLogger
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from attrs import field, frozen

if TYPE_CHECKING:
    from pytmx.pytmx import (
        TiledGroupLayer,
        TiledMap,
        TiledObject,
        TiledObjectGroup,
        TiledTileLayer,
        TiledTileset,
    )

Source: TypeAlias = "str | PathLike[str] | TiledMap"
"""The path of a map, or a map that pytmx has loaded."""

Properties: TypeAlias = Mapping[str, Any]
"""Name -> value: a bool, a number or a text."""

BUILT_IN: Final = {
    "class", "colliders", "frames", "height", "id", "probability", "source", "terrain", "trans",
    "type", "width", "x", "y",
}  # fmt: skip
"""What pytmx adds to the properties of a tile."""

SIMPLE: Final = {"bool", "color", "file", "float", "int", "object", "string"}
"""The types of properties that pytmx can read everywhere."""

FORMATS: Final = {("csv", ""), ("base64", ""), ("base64", "zlib"), ("base64", "gzip")}
"""The encodings and compressions of tiles that pytmx can read."""

ENDINGS: Final = {"map": ".tmx", "tileset": ".tsx"}
QUIET: Final = "PYGAME_HIDE_SUPPORT_PROMPT"


@frozen
class TmxMap:
    """A map that pytmx has loaded: what a grid needs of it."""

    name: str
    """That of its file."""
    tiled: TiledMap
    tile_layers: tuple[TiledTileLayer, ...]
    """From the lowest to the topmost."""
    object_layers: tuple[TiledObjectGroup, ...]
    """Those with a name: pytmx counts the collision shapes of tiles among the others."""
    groups: tuple[TiledGroupLayer, ...]
    """Groups of layers. Which these are cannot be known."""
    _shapes: Mapping[int, str] = field(factory=dict)
    """Object -> its shape, where it is not a rectangle; empty if the file was not read here."""

    def tile_properties(self, gid: int) -> Properties:
        """Return the properties of a tile, and those of its tileset."""
        own = custom(self.tiled.get_tile_properties_by_gid(gid) or {})
        tileset = self._tileset(gid)
        return own if tileset is None else {**tileset.properties, **own}

    def tile_name(self, gid: int) -> str:
        """Return what a tile is called in Tiled: its number, and the tileset."""
        tileset = self._tileset(gid)
        if tileset is None:
            return f"tile {gid}"
        number = self.tiled.tiledgidmap[gid] - tileset.firstgid
        return f"tile {number} of the tileset {tileset.name!r}"

    def shape(self, each: TiledObject) -> str:
        """Return `rectangle`, `point`, or what cannot be drawn with tiles: `ellipse`, ..."""
        if each.template:
            return "object from a template"
        drawn = "polygon" if "points" in vars(each) else "rectangle"
        shape = self._shapes.get(each.id, drawn)
        return "turned rectangle" if shape == "rectangle" and each.rotation % 360.0 else shape

    def top(self, each: TiledObject) -> float:
        """Return where an object begins, in pixels. A tile stands on its position."""
        stands = each.gid and not self.tiled.invert_y  # pytmx has subtracted it otherwise
        return float(each.y - each.height if stands else each.y)

    def all_properties(self) -> Iterator[Properties]:
        """Yield the properties of everything that has some."""
        yield from map(custom, self.tiled.tile_properties.values())
        for each in (*self.tiled.tilesets, *self.tile_layers, *self.object_layers):
            yield each.properties
        yield from (custom(each.properties) for group in self.object_layers for each in group)

    def _tileset(self, gid: int) -> TiledTileset | None:
        try:
            return self.tiled.get_tileset_from_gid(gid)
        except ValueError:  # it has none
            return None


def custom(properties: Properties) -> Properties:
    """Return the properties of a tile, or of an object that is one, which were set in Tiled."""
    return {name: value for name, value in properties.items() if name not in BUILT_IN}


def load_tmx(file: Source) -> TmxMap:
    """Return a map that pytmx has loaded, or loads here.

    Raises OSError for files that cannot be read, ValueError for those that are no maps, that pytmx
    cannot read, or whose tiles are not squares or rectangles in rows and columns; ImportError
    without pytmx.
    """
    pytmx = _pytmx()
    shapes: Mapping[int, str] = {}
    if isinstance(file, str | PathLike):
        tiled, shapes = _read(Path(file), pytmx.TiledMap)
    elif isinstance(file, pytmx.TiledMap):
        tiled = file
    else:
        raise TypeError(
            "Grid.from_tiled: file must be the path of a .tmx file, or a map that pytmx has loaded "
            f"from one, got {file!r}."
        )
    name = str(tiled.filename or "Grid.from_tiled")
    _check_map(tiled, name)
    kinds = pytmx.TiledTileLayer, pytmx.TiledObjectGroup, pytmx.TiledGroupLayer
    tiles, objects, groups = (
        tuple(layer for layer in tiled.layers if isinstance(layer, kind)) for kind in kinds
    )
    named = tuple(layer for layer in objects if layer.name is not None)
    for layer in tiles:
        _check_tiles(layer, name)
    return TmxMap(name, tiled, tiles, named, groups, shapes)


def _read(path: Path, kind: Any) -> tuple[TiledMap, Mapping[int, str]]:
    """Return a map, and the shapes of its objects."""
    root = _root_of(path, "map")
    if root.get("infinite") == "1":
        raise ValueError(
            f"{path}: the map must not be infinite. In Tiled switch off Map > Map Properties > "
            "Infinite."
        )
    for node in root.iterfind("tileset[@source]"):
        _check_tileset(path, node.get("source", ""))
    for node in root.iter("layer"):
        _check_format(node, path)
    for parent in list(root.iter()):
        for images in parent.findall("imagelayer"):
            parent.remove(images)  # pytmx cannot read those without an image
    tiled: TiledMap = kind(allow_duplicate_names=True)
    tiled.filename = str(path)
    try:
        tiled.parse_xml(root)
    except Exception as error:  # pytmx raises whatever comes
        reason = f"{type(error).__name__}: {error}".rstrip(": ")
        raise ValueError(
            f"{path}: pytmx cannot read this map: {reason}. Open it in Tiled and save it again."
        ) from error
    return tiled, _shapes_in(root)


def _root_of(path: Path, tag: str) -> Element:
    what = f"{path}: this is no {tag} of Tiled in XML"
    try:
        root = ElementTree.fromstring(path.read_bytes())
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ValueError(f"{what}: {error}. In Tiled save it as {ENDINGS[tag]}.") from None
    if root.tag != tag:
        raise ValueError(f"{what}: it holds a <{root.tag}>. In Tiled save it as {ENDINGS[tag]}.")
    for each in root.iter("property"):
        kind = each.get("type", "string")
        if kind not in SIMPLE:
            raise ValueError(
                f"{path}: the property {each.get('name')!r} must have a simple type that pytmx can "
                f"read, such as bool, int or string, got {kind!r}. Change or remove it in Tiled."
            )
    return root


def _check_tileset(path: Path, source: str) -> None:
    """Raise an error unless a tileset can be read whose file is named relative to the map."""
    file = path.parent / source
    if not file.is_file():
        raise FileNotFoundError(
            f"{path}: its tileset {source!r} is missing; it should be {str(file)!r}."
        )
    if file.suffix.lower() != ENDINGS["tileset"]:
        raise ValueError(f"{path}: its tileset {source!r} must be saved as .tsx in Tiled.")
    _root_of(file, "tileset")


def _check_format(layer: Element, path: Path) -> None:
    what = f"{path}: layer {layer.get('name', '')!r}"
    data = layer.find("data")
    if data is None:
        raise ValueError(f"{what} has no <data>. Open the map in Tiled and save it again.")
    encoding, compression = data.get("encoding", ""), data.get("compression", "")
    if (encoding, compression) not in FORMATS:
        raise ValueError(
            f"{what}: its tiles must be saved as CSV, or base64 with zlib, gzip or no compression, "
            f"got {compression or encoding or 'XML'!r}. In Tiled choose one of these as Map > Map "
            "Properties > Tile Layer Format."
        )
    if not (data.text or "").strip():
        raise ValueError(f"{what} has no tiles in its <data>.")


def _shapes_in(root: Element) -> dict[int, str]:
    """Return object -> its shape, without the rectangles."""
    return {
        int(each.get("id", 0)): node.tag
        for each in root.iterfind(".//objectgroup[@name]/object")
        for node in each
        if node.tag != "properties"
    }


def _check_map(tiled: TiledMap, name: str) -> None:
    if tiled.orientation != "orthogonal":
        raise ValueError(
            f"{name}: the orientation of the map must be 'orthogonal', got {tiled.orientation!r}: "
            "a Grid has its tiles in rows and columns."
        )
    for first, second in (("width", "height"), ("tilewidth", "tileheight")):
        size = getattr(tiled, first), getattr(tiled, second)
        if min(size) <= 0:
            raise ValueError(
                f"{name}: {first} and {second} of the map must be above 0, got {size[0]} and "
                f"{size[1]}."
            )


def _check_tiles(layer: TiledTileLayer, name: str) -> None:
    lengths = [len(row) for row in layer.data]
    if lengths != [layer.width] * layer.height:
        raise ValueError(
            f"{name}: layer {layer.name!r}: there must be {layer.width} x {layer.height} tiles, "
            f"got {sum(lengths)}."
        )


def _pytmx() -> Any:
    try:
        with _quietly():
            return import_module("pytmx.pytmx")
    except ImportError:
        raise ImportError(
            "Grid.from_tiled needs pytmx, and it is not installed. Install it with "
            "`pip install 'fsmkit[maps]'`."
        ) from None


@contextmanager
def _quietly() -> Iterator[None]:
    """Let pytmx be imported in silence.

    It imports pygame, which prints its version; where that is not installed it logs an error.
    """
    before, log = os.environ.get(QUIET), getLogger("pytmx.util_pygame")
    was_disabled = log.disabled
    os.environ[QUIET], log.disabled = "1", True
    try:
        yield
    finally:
        log.disabled = was_disabled
        del os.environ[QUIET]
        if before is not None:
            os.environ[QUIET] = before
