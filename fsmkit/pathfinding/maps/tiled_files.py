"""Maps of the editor Tiled as files: `.tmx` is read by pytmx, `.tmj` and `.json` by `json`.

Both become the same `LevelMap`. pytmx leaves out what kind of shape an object has, and which layers
lie in which group. The first is looked up in the file; the second is not known.
"""

from __future__ import annotations

import gzip
import json
import os
import struct
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from logging import getLogger
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from attrs import frozen

if TYPE_CHECKING:
    from pytmx.pytmx import TiledMap, TiledObject

TiledSource: TypeAlias = "str | PathLike[str] | TiledMap"
"""The path of a map, or a map that pytmx has loaded."""

Properties: TypeAlias = Mapping[str, Any]
"""Name -> value: a bool, a number or a text."""

JSON: Final = {".tmj", ".json"}
"""The endings of maps in JSON; any other is taken for XML."""

BUILT_IN: Final = {
    "class", "colliders", "frames", "height", "id", "probability", "source", "terrain", "trans",
    "type", "width", "x", "y",
}  # fmt: skip
"""What pytmx adds to the properties of a tile."""

TILES, OBJECTS, GROUP = "tilelayer", "objectgroup", "group"
"""The kinds of layers, as in JSON."""

GID: Final = 0x0FFFFFFF
"""The bits of the number of a tile; the others say how it is flipped and turned."""

SHAPES: Final = ("ellipse", "point", "polygon", "polyline", "text", "capsule")
UNPACK: Final[dict[str, Callable[[bytes], bytes]]] = {
    "": bytes, "zlib": zlib.decompress, "gzip": gzip.decompress,
}  # fmt: skip
QUIET: Final = "PYGAME_HIDE_SUPPORT_PROMPT"


@frozen
class TileKind:
    name: str
    """Its number, and the tileset, as in Tiled."""
    properties: Properties
    tileset_properties: Properties


@frozen
class MapObject:
    """An object, in pixels."""

    number: int
    shape: str
    """`rectangle`, `point`, `text`, or what cannot be drawn with tiles: `ellipse`, ..."""
    left: float
    top: float
    width: float
    height: float
    properties: Properties
    """Its own, and, if it is a tile, those of the tile."""


@frozen
class MapLayer:
    """A layer of tiles or objects, or a group, of which the layers are not known."""

    kind: str
    """`TILES`, `OBJECTS` or `GROUP`."""
    name: str
    properties: Properties
    rows: Sequence[Sequence[int]] = ()
    """The number of each tile; 0 where there is none."""
    objects: Sequence[MapObject] = ()


@frozen
class LevelMap:
    name: str
    """That of its file."""
    orientation: str
    size: tuple[int, int]
    """Columns and rows."""
    tile_size: tuple[int, int]
    """In pixels."""
    layers: Sequence[MapLayer]
    """From the lowest to the topmost of each kind."""
    kinds: Mapping[int, TileKind]
    """Number of a tile -> the tile, for all that are in the layers or have properties."""
    tilesets: Sequence[Properties]
    """The properties of each tileset."""

    def layers_of(self, kind: str) -> list[MapLayer]:
        return [layer for layer in self.layers if layer.kind == kind]


def load_map(file: TiledSource) -> LevelMap:
    """Return the map in a file, or one that pytmx has loaded.

    Raises OSError for files that cannot be read, ValueError unless they are maps that can be read,
    with tiles in rows and columns; ImportError without pytmx, which only JSON does not need.
    """
    if not isinstance(file, str | PathLike):
        if not isinstance(file, _pytmx().TiledMap):
            raise TypeError(
                "Grid.from_tiled: file must be the path of a .tmx, .tmj or .json file, or a map "
                f"that pytmx has loaded, got {file!r}."
            )
        return _checked(_from_pytmx(file, {}))
    path = Path(file)
    is_json = path.suffix.lower() in JSON
    if not is_json:
        _pytmx()
    content = path.read_bytes()
    try:
        level = _read_json(path, content) if is_json else _read_xml(path, content)
    except FileNotFoundError:
        raise
    except Exception as error:  # pytmx raises all kinds
        kind = "" if type(error) is ValueError else f"{type(error).__name__}: "
        reason = f"{kind}{error}".rstrip(": .")
        raise ValueError(
            f"{path}: this map cannot be read: {reason}. In Tiled save it again, as .tmx or .tmj: "
            "not infinite, with CSV, or base64 with zlib, gzip or no compression, as Tile Layer "
            "Format (both in Map > Map Properties), its tilesets in the map or in files of the "
            "same kind (.tsx or .tsj), and no properties that are classes."
        ) from error
    return _checked(level)


def _checked(level: LevelMap) -> LevelMap:
    if level.orientation != "orthogonal":
        raise ValueError(
            f"{level.name}: the orientation of the map must be 'orthogonal', got "
            f"{level.orientation!r}: a Grid has its tiles in rows and columns."
        )
    sizes = {"width and height": level.size, "tilewidth and tileheight": level.tile_size}
    for names, size in sizes.items():
        if min(size) <= 0:
            raise ValueError(
                f"{level.name}: {names} of the map must be above 0, got {size[0]} and {size[1]}."
            )
    columns, rows = level.size
    for layer in level.layers_of(TILES):
        lengths = [len(row) for row in layer.rows]
        if lengths != [columns] * rows:
            raise ValueError(
                f"{level.name}: layer {layer.name!r}: there must be {columns} x {rows} tiles, got "
                f"{sum(lengths)}."
            )
    return level


def _tileset_file(path: Path, source: str) -> Path:
    file = path.parent / source
    if not file.is_file():
        raise FileNotFoundError(
            f"{path}: its tileset {source!r} is missing; it should be {str(file)!r}."
        )
    return file


# By pytmx


def _read_xml(path: Path, content: bytes) -> LevelMap:
    root = _root_of(path, content)
    if root.tag != "map":
        raise ValueError(f"it holds a <{root.tag}>, not a <map>")
    if root.get("infinite") == "1":
        raise ValueError("it is infinite")
    for node in root.iterfind("tileset[@source]"):
        tileset = _tileset_file(path, node.get("source", ""))
        if tileset.suffix.lower() != ".tsx":
            raise ValueError(f"its tileset {tileset.name!r} is not a .tsx file")
        _root_of(tileset, tileset.read_bytes())
    for layer in root.iter("layer"):
        if not (layer.findtext("data") or "").strip():
            raise ValueError(f"layer {layer.get('name')!r} has no tiles in CSV or base64")
    for parent in list(root.iter()):
        for images in parent.findall("imagelayer"):
            parent.remove(images)  # pytmx cannot read those without an image
    tiled: TiledMap = _pytmx().TiledMap(allow_duplicate_names=True)
    tiled.filename = str(path)
    tiled.parse_xml(root)
    shapes = {
        int(each.get("id", 0)): node.tag
        for each in root.iterfind(".//objectgroup[@name]/object")
        for node in each
        if node.tag in SHAPES
    }
    return _from_pytmx(tiled, shapes)


def _root_of(file: Path, content: bytes) -> Element:
    """Return the root of a map or a tileset without properties that pytmx cannot read."""
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise ValueError(f"{file.name} is not XML: {error}") from None
    for each in root.iter("property"):
        if each.get("type") == "class":
            raise ValueError(f"the property {each.get('name')!r} in {file.name} is a class")
    return root


def _from_pytmx(tiled: TiledMap, shapes: Mapping[int, str]) -> LevelMap:
    pytmx = _pytmx()
    layers: list[MapLayer] = []
    for layer in tiled.layers:
        if isinstance(layer, pytmx.TiledTileLayer):
            layers.append(MapLayer(TILES, layer.name or "", layer.properties, rows=layer.data))
        elif isinstance(layer, pytmx.TiledGroupLayer):
            layers.append(MapLayer(GROUP, layer.name or "", layer.properties))
        elif isinstance(layer, pytmx.TiledObjectGroup) and layer.name is not None:
            objects = [_object_of_pytmx(each, shapes, inverted=tiled.invert_y) for each in layer]
            layers.append(MapLayer(OBJECTS, layer.name, layer.properties, objects=objects))
    return LevelMap(  # the object groups without a name are collision shapes of tiles
        str(tiled.filename or "Grid.from_tiled"),
        tiled.orientation,
        (tiled.width, tiled.height),
        (tiled.tilewidth, tiled.tileheight),
        layers,
        {gid: _kind_of_pytmx(tiled, gid) for gid in _numbers(layers) | {*tiled.tile_properties}},
        [tileset.properties for tileset in tiled.tilesets],
    )


def _kind_of_pytmx(tiled: TiledMap, gid: int) -> TileKind:
    own = _custom(tiled.get_tile_properties_by_gid(gid) or {})
    try:
        tileset = tiled.get_tileset_from_gid(gid)
    except ValueError:  # it has none
        return TileKind(f"tile {gid}", own, {})
    number = tiled.tiledgidmap[gid] - tileset.firstgid
    return TileKind(f"tile {number} of the tileset {tileset.name!r}", own, tileset.properties)


def _object_of_pytmx(each: TiledObject, shapes: Mapping[int, str], *, inverted: bool) -> MapObject:
    stands = each.gid and not inverted  # pytmx has subtracted its height otherwise
    shape = shapes.get(each.id, "polygon" if "points" in vars(each) else "rectangle")
    return MapObject(
        each.id,
        "object from a template" if each.template else _turned(shape, each.rotation),
        each.x,
        each.y - each.height if stands else each.y,
        each.width,
        each.height,
        _custom(each.properties),
    )


def _turned(shape: str, rotation: float) -> str:
    return "turned rectangle" if shape == "rectangle" and rotation % 360.0 else shape


def _custom(properties: Properties) -> Properties:
    """Return the properties of a tile, or of an object that is one, which were set in Tiled."""
    return {name: value for name, value in properties.items() if name not in BUILT_IN}


def _numbers(layers: Iterable[MapLayer]) -> set[int]:
    return set(chain.from_iterable(row for layer in layers for row in layer.rows)) - {0}


def _pytmx() -> Any:
    try:
        with _quietly():
            import pytmx.pytmx  # a statement, which freezers see
    except ImportError:
        raise ImportError(
            "Grid.from_tiled needs pytmx, and it is not installed. Install it with "
            "`pip install 'fsmkit[maps]'`, or save the map as .tmj, which needs nothing."
        ) from None
    return pytmx.pytmx


@contextmanager
def _quietly() -> Iterator[None]:
    """Suppress what importing pytmx prints.

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


# By json


def _read_json(path: Path, content: bytes) -> LevelMap:
    data = json.loads(content)
    if not isinstance(data, dict) or "layers" not in data:
        raise ValueError("it has no layers")
    if data.get("infinite"):
        raise ValueError("it is infinite")
    tilesets = [_tileset_of_json(path, each) for each in data.get("tilesets", ())]
    kinds = {gid: kind for each in tilesets for gid, kind in _kinds_of_json(each)}
    return LevelMap(
        str(path),
        data.get("orientation", "orthogonal"),
        (int(data["width"]), int(data["height"])),
        (int(data["tilewidth"]), int(data["tileheight"])),
        list(_layers_of_json(data["layers"], kinds)),
        kinds,
        list(map(_properties, tilesets)),
    )


def _tileset_of_json(path: Path, tileset: Any) -> Any:
    if "source" not in tileset:
        return tileset
    return json.loads(_tileset_file(path, tileset["source"]).read_bytes()) | tileset


def _kinds_of_json(tileset: Any) -> Iterator[tuple[int, TileKind]]:
    own = {each["id"]: _properties(each) for each in tileset.get("tiles", ())}
    for number in own.keys() | range(tileset["tilecount"]):
        name = f"tile {number} of the tileset {tileset['name']!r}"
        kind = TileKind(name, own.get(number, {}), _properties(tileset))
        yield tileset["firstgid"] + number, kind


def _layers_of_json(layers: Any, kinds: Mapping[int, TileKind]) -> Iterator[MapLayer]:
    for each in layers:
        rows = _rows_of_json(each) if each["type"] == TILES else ()
        objects = [_object_of_json(one, kinds) for one in each.get("objects", ())]
        yield MapLayer(each["type"], str(each["name"]), _properties(each), rows, objects)
        yield from _layers_of_json(each.get("layers", ()), kinds)


def _rows_of_json(layer: Any) -> list[list[int]]:
    data, width = layer["data"], layer["width"]
    if isinstance(data, str):
        packed = UNPACK[layer.get("compression", "")](b64decode(data))
        data = struct.unpack(f"<{len(packed) // 4}I", packed)
    return [[gid & GID for gid in data[i : i + width]] for i in range(0, len(data), width)]


def _object_of_json(each: Any, kinds: Mapping[int, TileKind]) -> MapObject:
    gid, height = each.get("gid", 0) & GID, float(each.get("height", 0))
    shape = next((shape for shape in SHAPES if shape in each), "rectangle")
    return MapObject(
        each["id"],
        "object from a template" if "template" in each else _turned(shape, each.get("rotation", 0)),
        float(each["x"]),
        float(each["y"]) - (height if gid else 0.0),  # a tile stands on its position
        float(each.get("width", 0)),
        height,
        {**(kinds[gid].properties if gid in kinds else {}), **_properties(each)},
    )


def _properties(thing: Any) -> Properties:
    return {each["name"]: each["value"] for each in thing.get("properties", ())}
