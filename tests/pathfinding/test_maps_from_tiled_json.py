"""Maps of the editor Tiled in JSON: the same maps as in XML, and what is wrong with others."""

import base64
import gzip
import json
import random
import re
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from fsmkit.pathfinding import Grid

FLIPPED = 0x80000000
TURNED = 0x20000000


def base64_of(pack: Callable[[bytes], bytes]) -> Callable[[list[int]], str]:
    def data(numbers: list[int]) -> str:
        return base64.b64encode(pack(struct.pack(f"<{len(numbers)}I", *numbers))).decode()

    return data


PACKED: dict[str, Callable[[list[int]], Any]] = {
    "csv": list,
    "": base64_of(bytes),
    "zlib": base64_of(zlib.compress),
    "gzip": base64_of(gzip.compress),
}


def properties(**values: Any) -> list[dict[str, Any]]:
    kinds = {bool: "bool", int: "int", float: "float", str: "string"}
    return [
        {"name": name, "type": kinds[type(value)], "value": value} for name, value in values.items()
    ]


def layer(name: str, rows: list[list[int]], packing: str = "csv", **values: Any) -> dict[str, Any]:
    numbers = [number for row in rows for number in row]
    made = {
        "type": "tilelayer", "name": name, "width": len(rows[0]), "height": len(rows),
        "data": PACKED[packing](numbers), "properties": properties(**values),
    }  # fmt: skip
    if packing != "csv":
        made |= {"encoding": "base64", "compression": packing}
    return made


def objects(name: str, *each: dict[str, Any], **values: Any) -> dict[str, Any]:
    numbered = [{"id": number, **one} for number, one in enumerate(each, 1)]
    return {
        "type": "objectgroup", "name": name, "objects": numbered,
        "properties": properties(**values),
    }  # fmt: skip


def box(x: float, y: float, width: float = 0, height: float = 0, **more: Any) -> dict[str, Any]:
    return {"x": x, "y": y, "width": width, "height": height, **more}


def tileset(first: int = 1, *, tiles: dict[int, dict[str, Any]], **values: Any) -> dict[str, Any]:
    return {
        "firstgid": first, "name": "Ground", "tilecount": 9, "columns": 3,
        "tilewidth": 16, "tileheight": 8, "properties": properties(**values),
        "tiles": [{"id": number, "properties": properties(**own)} for number, own in tiles.items()],
    }  # fmt: skip


def town(*layers: dict[str, Any], sets: Any = (), **more: Any) -> dict[str, Any]:
    return {
        "type": "map", "version": "1.10", "orientation": "orthogonal", "infinite": 0,
        "width": 3, "height": 2, "tilewidth": 16, "tileheight": 8,
        "layers": list(layers), "tilesets": list(sets), **more,
    }  # fmt: skip


def json_file(folder: Path, content: dict[str, Any], name: str = "town.tmj") -> Path:
    file = folder / name
    file.write_text(json.dumps(content), "utf-8")
    return file


SHAPES = {"point", "text"}
TAGS = {"tilelayer": "layer", "objectgroup": "objectgroup", "group": "group"}


LISTS = {"tilesets": "tileset", "tiles": "tile", "layers": "", "objects": "object"}


def as_xml(tag: str, content: dict[str, Any]) -> Xml.Element:
    """The same in XML: what JSON has as a list or an object is an element there."""
    node = Xml.Element(tag)
    if content.get("properties"):
        inside = Xml.SubElement(node, "properties")
        for each in content["properties"]:
            Xml.SubElement(inside, "property", {k: text_of(v) for k, v in each.items()})
    for key, value in content.items():
        if key in LISTS:
            node.extend(as_xml(LISTS[key] or TAGS[each["type"]], each) for each in value)
        elif key in SHAPES:
            Xml.SubElement(node, key)
        elif key == "data":
            node.append(data_in_xml(content))
        elif key not in {"properties", "type", "encoding", "compression"}:
            node.set(key, text_of(value))
    return node


def data_in_xml(layer: dict[str, Any]) -> Xml.Element:
    numbers, compression = layer["data"], layer.get("compression")
    node = Xml.Element("data", {"encoding": layer.get("encoding", "csv")})
    if compression:
        node.set("compression", compression)
    node.text = numbers if isinstance(numbers, str) else ",".join(map(str, numbers))
    return node


def text_of(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def both(folder: Path, content: dict[str, Any], *arguments: Any, **options: Any) -> Grid:
    """The map, after making sure that it is the same in XML."""
    grid = Grid.from_tiled(json_file(folder, content), *arguments, **options)
    xml = folder / "town.tmx"
    Xml.ElementTree(as_xml("map", content)).write(xml, "utf-8")
    pytest.importorskip("pytmx")
    other = Grid.from_tiled(xml, *arguments, **options)
    assert other.to_text() == grid.to_text()
    assert (other.tile_size, other.origin) == (grid.tile_size, grid.origin)
    return grid


GROUND = [[1, 1, 1], [1, 1, 1]]
WALLS = [[0, 2, 0], [0, 0, 2]]


@pytest.mark.parametrize("packing", PACKED)
def test_every_encoding_is_read(tmp_path: Path, packing: str) -> None:
    content = town(layer("walls", WALLS, packing), layer("roofs", GROUND, packing))
    assert both(tmp_path, content).to_text() == ".#.\n..#"


@pytest.mark.parametrize("name", ["town.tmj", "town.json", "TOWN.JSON"])
def test_json_needs_no_pytmx(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytmx.pytmx", None)
    file = json_file(tmp_path, town(layer("walls", WALLS)), name)
    grid = Grid.from_tiled(file)
    assert (grid.to_text(), grid.tile_size, grid.origin) == (".#.\n..#", (16.0, 8.0), (8.0, 4.0))


def test_properties_of_tiles_tilesets_and_layers_count(tmp_path: Path) -> None:
    sets = (
        tileset(tiles={1: {"cost": 3}, 2: {"blocked": True}, 3: {"cost": "2.5"}}),
        tileset(10, tiles={0: {"solid": False}}, solid=True),
    )
    swamp = layer("swamp", [[0, 0, 1], [0, 0, 0]], cost=5)
    content = town(layer("ground", [[2, 3, 1], [4, 10, 11]]), swamp, sets=sets)
    legend = "a costs 2.5\nb costs 3\nc costs 5"
    assert both(tmp_path, content).to_text() == f"b#c\na.#\n\n{legend}"


def test_objects_block_what_they_lie_on(tmp_path: Path) -> None:
    crates = tileset(tiles={1: {"blocked": True}})
    walls = objects("Collision", box(16, 0, 16, 8), box(3, 9, point=True), box(0, 0, text={}))
    things = objects("things", box(32, 16, 16, 8, gid=2), box(0, 8, 16, 8, gid=1))
    assert both(tmp_path, town(walls, things, sets=[crates])).to_text() == ".#.\n#.#"


def test_flipped_tiles_and_layers_in_groups(tmp_path: Path) -> None:
    crates = tileset(tiles={1: {"blocked": True}})
    ground = layer("a", [[2 | FLIPPED, 1, 2 | TURNED], [1, 1, 1]])
    group = {"type": "group", "name": "all", "layers": [ground]}
    assert both(tmp_path, town(group, sets=[crates])).to_text() == "#.#\n..."


def test_random_maps_are_the_same_in_both_formats(tmp_path: Path) -> None:
    dice = random.Random(8)
    numbers = (0, 0, 1, 2, 3, 9, 10, 11, 2 | FLIPPED, 11 | TURNED)
    for _ in range(20):
        sets = (
            tileset(tiles={n: {"cost": dice.randint(1, 9)} for n in range(1, 5)}),
            tileset(10, tiles={1: {"blocked": dice.random() < 0.5}}, cost=2.5),
        )
        layers = [
            layer(name, [[dice.choice(numbers) for _ in range(3)] for _ in range(2)], packing)
            for name, packing in zip("abcd", PACKED, strict=True)
        ]
        blocks = [
            box(dice.randint(-9, 50), dice.randint(-9, 20), dice.randint(0, 20), dice.randint(0, 9))
            for _ in range(2)
        ]
        content = town(*layers, objects("walls", *blocks), sets=sets)
        both(tmp_path, content, empty=dice.randint(0, 3))


def test_a_tileset_may_have_a_file_of_its_own(tmp_path: Path) -> None:
    rocks = tileset(tiles={1: {"blocked": True}})
    del rocks["firstgid"]
    content = town(layer("a", WALLS), sets=[{"firstgid": 1, "source": "rocks.tsj"}])
    file = json_file(tmp_path, content)
    with pytest.raises(FileNotFoundError, match=r"town.tmj: its tileset 'rocks.tsj' is missing"):
        Grid.from_tiled(file)
    json_file(tmp_path, rocks, "rocks.tsj")
    assert Grid.from_tiled(file).to_text() == ".#.\n..#"


@pytest.mark.parametrize(
    ("more", "shape"),
    [
        ({"polygon": [{"x": 0, "y": 0}]}, "polygon"),
        ({"ellipse": True}, "ellipse"),
        ({"rotation": 9}, "turned rectangle"),
        ({"template": "a.tj"}, "object from a template"),
    ],
)
def test_objects_that_have_no_tiles_are_refused(
    tmp_path: Path, more: dict[str, Any], shape: str
) -> None:
    content = town(layer("ground", GROUND), objects("walls", box(0, 0, 4, 4, **more)))
    message = f"town.tmj: the object 1 in the layer 'walls' .* got: {shape}"
    with pytest.raises(ValueError, match=message):
        Grid.from_tiled(json_file(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "cannot be read: it has no layers. In Tiled save it again, as .tmx or .tmj"),
        (town(infinite=True), "cannot be read: it is infinite"),
        (town(orientation="isometric"), "must be 'orthogonal', got 'isometric'"),
        (town(width=0), "width and height of the map must be above 0, got 0 and 2"),
        (town(layer("walls", [[1, 2]])), "layer 'walls': there must be 3 x 2 tiles, got 2"),
        (town(layer("a", GROUND)), "nothing says what blocks the way"),
        (town(layer("walls", GROUND) | {"data": "A"}), "cannot be read: Error: Invalid base64"),
        (town({"type": "tilelayer", "name": "a"}), "cannot be read: KeyError: 'data'"),
        (town(layer("walls", GROUND) | {"data": "AA==", "compression": "zstd"}), "'zstd'"),
        (
            town({"type": "group", "name": "Walls", "layers": []}),
            "the group 'Walls' cannot block the way",
        ),
        (
            town(layer("a", GROUND), sets=[tileset(tiles={0: {"cost": -1}})]),
            "the property 'cost' of the tile 0 of the tileset 'Ground' must be a number >= 0",
        ),
        (
            town(layer("a", GROUND), sets=[tileset(tiles={0: {"blocked": "perhaps"}})]),
            "the property 'blocked' of the tile 0 of the tileset 'Ground' must be true or false",
        ),
    ],
    ids=range(12),
)
def test_wrong_maps_are_named(tmp_path: Path, content: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"town.tmj: .*{re.escape(message)}"):
        Grid.from_tiled(json_file(tmp_path, content))


def test_what_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "town.tmj").write_text("<map/>", "utf-8")
    with pytest.raises(ValueError, match="town.tmj: this map cannot be read: .*Expecting value"):
        Grid.from_tiled(tmp_path / "town.tmj")
