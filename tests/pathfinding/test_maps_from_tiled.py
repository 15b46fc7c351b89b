"""Maps from files of the editor Tiled."""

import base64
import gzip
import os
import random
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsmkit.pathfinding import Grid

pytmx = pytest.importorskip("pytmx")

FLIPPED = 0x80000000
TURNED = 0x20000000


def csv(numbers: list[int]) -> str:
    return f'<data encoding="csv">{",".join(map(str, numbers))}</data>'


def packed(compression: str, pack: Callable[[bytes], bytes]) -> Callable[[list[int]], str]:
    def data(numbers: list[int]) -> str:
        content = base64.b64encode(pack(struct.pack(f"<{len(numbers)}I", *numbers))).decode()
        kind = f' compression="{compression}"' if compression else ""
        return f'<data encoding="base64"{kind}>\n  {content}\n </data>'

    return data


ENCODINGS = {
    "csv": csv,
    "base64": packed("", bytes),
    "zlib": packed("zlib", zlib.compress),
    "gzip": packed("gzip", gzip.compress),
}


def layer(
    name: str, rows: list[list[int]], properties: str = "", data: Callable[[list[int]], str] = csv
) -> str:
    numbers = [number for row in rows for number in row]
    size = f'width="{len(rows[0])}" height="{len(rows)}"'
    return f'<layer name="{name}" {size}>{properties}{data(numbers)}</layer>'


def objects(name: str, *each: str, properties: str = "") -> str:
    return f'<objectgroup name="{name}">{properties}{"".join(each)}</objectgroup>'


def given(**values: Any) -> str:
    """Custom properties, as Tiled writes them."""
    kinds = {bool: "bool", int: "int", float: "float", str: "string"}
    lines = "".join(
        f'<property name="{name}" type="{kinds[type(value)]}" value="{str(value).lower()}"/>'
        for name, value in values.items()
    )
    return f"<properties>{lines}</properties>"


def tile(number: int, **values: Any) -> str:
    return f'<tile id="{number}">{given(**values)}</tile>'


def tileset(*tiles: str, first: int = 1, count: int = 9, properties: str = "") -> str:
    head = f'firstgid="{first}" name="Ground" tilewidth="16" tileheight="8" tilecount="{count}"'
    return f'<tileset {head} columns="3">{properties}{"".join(tiles)}</tileset>'


def tiled_file(folder: Path, *content: str, size: tuple[int, int] = (3, 2), more: str = "") -> Path:
    orientation = "" if "orientation" in more else 'orientation="orthogonal"'
    infinite = "" if "infinite" in more else 'infinite="0"'
    file = folder / "town.tmx"
    file.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<map version="1.10" {orientation} {infinite} '
        f'renderorder="right-down" width="{size[0]}" height="{size[1]}" tilewidth="16" '
        f'tileheight="8" {more}>{"".join(content)}</map>',
        "utf-8",
    )
    return file


GROUND = [[1, 1, 1], [1, 1, 1]]
WALLS = [[0, 2, 0], [0, 0, 2]]


@pytest.mark.parametrize("name", ["walls", "Collision", "WALL", "obstacles"])
def test_the_tiles_of_a_layer_called_walls_are_walls(tmp_path: Path, name: str) -> None:
    file = tiled_file(tmp_path, tileset(), layer(name, WALLS), layer("roofs", GROUND))
    assert Grid.from_tiled(file).to_text() == ".#.\n..#"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    file = tiled_file(tmp_path, tileset(), layer("walls", WALLS, data=ENCODINGS[encoding]))
    assert Grid.from_tiled(file).to_text() == ".#.\n..#"


def test_positions_are_the_pixels_of_the_map(tmp_path: Path) -> None:
    grid = Grid.from_tiled(tiled_file(tmp_path, layer("walls", WALLS)))
    assert (grid.tile_size, grid.origin) == ((16.0, 8.0), (8.0, 4.0))
    assert grid.tile_at((47.9, 8.0)) == (2, 1)
    grid = Grid.from_tiled(tmp_path / "town.tmx", tile_size=1, origin=(0, 0), neighbours=4)
    assert (grid.center((2, 1)), grid.has_diagonals) == ((2.0, 1.0), False)


def test_the_layers_that_block_can_be_named(tmp_path: Path) -> None:
    file = tiled_file(tmp_path, layer("Houses", WALLS), layer("walls", GROUND))
    assert Grid.from_tiled(file, "Houses").to_text() == ".#.\n..#"
    assert Grid.from_tiled(file, ["houses", "walls"]).to_text() == "###\n###"
    assert Grid.from_tiled(file, ()).to_text() == "...\n..."


def test_a_layer_blocks_by_its_property(tmp_path: Path) -> None:
    by_property = layer("a", [[2, 0, 0], [0, 0, 0]], given(blocked=True))
    not_it = layer("walls", GROUND, given(blocked=False))
    assert Grid.from_tiled(tiled_file(tmp_path, by_property, not_it)).to_text() == "#..\n..."


def group(name: str, *content: str, properties: str = "") -> str:
    return f'<group name="{name}">{properties}{"".join(content)}</group>'


def test_layers_in_groups_speak_for_themselves(tmp_path: Path) -> None:
    inner = group("inner", layer("walls", [[0, 2, 0], [0, 0, 0]]))
    trees = objects("Solid", '<object id="1" x="0" y="8" width="9" height="8"/>')
    file = tiled_file(tmp_path, group("outer", layer("a", GROUND), inner, trees))
    assert Grid.from_tiled(file).to_text() == ".#.\n#.."


@pytest.mark.parametrize(
    ("name", "properties"),
    [("Walls", ""), ("c", given(solid=True)), ("c", given(solid=False)), ("c", given(cost=3))],
)
def test_groups_that_block_are_refused(tmp_path: Path, name: str, properties: str) -> None:
    roofs = layer("roofs", [[2, 0, 0], [0, 0, 0]])
    file = tiled_file(tmp_path, group("all", group(name, roofs, properties=properties)))
    with pytest.raises(ValueError, match=rf"town.tmx: the group '{name}' cannot block the way"):
        Grid.from_tiled(file)


def test_a_group_that_blocks_does_not_matter_where_layers_are_named(tmp_path: Path) -> None:
    roofs = layer("roofs", [[2, 0, 0], [0, 0, 0]])
    file = tiled_file(tmp_path, group("Walls", roofs, properties=given(solid=True)))
    assert Grid.from_tiled(file, "roofs").to_text() == "#..\n..."
    with pytest.raises(ValueError, match="In Tiled give the name or the property to the layers"):
        Grid.from_tiled(file, ["roofs", "Walls"])


def test_tiles_block_and_cost_by_their_properties(tmp_path: Path) -> None:
    tiles = tileset(tile(1, blocked=True), tile(2, cost=3), tile(3, cost=2.5), tile(4, cost=0))
    file = tiled_file(tmp_path, tiles, layer("ground", [[1, 2, 3], [4, 5, 0]]))
    assert Grid.from_tiled(file).to_text() == ".#b\na#.\n\na costs 2.5\nb costs 3"
    assert Grid.from_tiled(file, empty=0).cost((2, 1)) == float("inf")


def test_properties_may_have_other_names(tmp_path: Path) -> None:
    tiles = tileset(tile(1, Hard=True), tile(2, slow=3))
    file = tiled_file(tmp_path, tiles, layer("ground", [[1, 2, 3], [1, 1, 1]]))
    assert Grid.from_tiled(file, "hard", cost="slow").to_text() == ".#3\n..."


def test_a_tileset_may_say_it_for_all_its_tiles(tmp_path: Path) -> None:
    tiles = tileset(tile(1, blocked=False), tile(2, cost=4), properties=given(blocked=True))
    file = tiled_file(tmp_path, tiles, layer("ground", [[1, 2, 3], [0, 0, 0]]))
    assert Grid.from_tiled(file).to_text() == "#.#\n..."


def test_the_topmost_tile_that_says_something_counts(tmp_path: Path) -> None:
    tiles = tileset(tile(0, blocked=True), tile(1, blocked=False), tile(2, cost=2))
    file = tiled_file(
        tmp_path,
        tiles,
        layer("water", [[1, 1, 1], [3, 3, 3]]),
        layer("bridges", [[0, 2, 0], [0, 1, 0]]),
        layer("flowers", [[9, 9, 9], [9, 9, 9]]),
    )
    assert Grid.from_tiled(file).to_text() == "#.#\n2#2"


def test_a_layer_may_have_a_cost(tmp_path: Path) -> None:
    swamp = layer("swamp", [[1, 2, 0], [0, 0, 0]], given(cost=5))
    file = tiled_file(tmp_path, tileset(tile(1, cost=2)), layer("grass", GROUND), swamp)
    assert Grid.from_tiled(file).to_text() == "52.\n..."


def test_flipped_and_turned_tiles_are_the_same(tmp_path: Path) -> None:
    rows = [[2, 2 | FLIPPED, 2 | TURNED], [1 | FLIPPED, 0, 0]]
    tiles = tileset(tile(1, blocked=True))
    file = tiled_file(tmp_path, tiles, layer("ground", rows, data=ENCODINGS["zlib"]))
    assert Grid.from_tiled(file).to_text() == "###\n..."


def test_a_tileset_may_have_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "sets").mkdir()
    shared = tileset(tile(1, blocked=True)).replace('firstgid="1" ', "")
    (tmp_path / "sets" / "rocks.tsx").write_text(shared, "utf-8")
    sets = tileset() + '<tileset firstgid="10" source="sets/rocks.tsx"/>'
    file = tiled_file(tmp_path, sets, layer("ground", [[2, 11, 10], [0, 0, 0]]))
    assert Grid.from_tiled(file).to_text() == ".#.\n..."


def test_an_infinite_map_is_refused(tmp_path: Path) -> None:
    chunk = '<chunk x="-2" y="0" width="2" height="1">1,2</chunk>'
    walls = f'<layer name="a" width="9" height="9"><data encoding="csv">{chunk}</data></layer>'
    empty = '<layer name="b" width="9" height="9"><data encoding="csv"></data></layer>'
    for content in (walls, empty, ""):
        file = tiled_file(tmp_path, content, more='infinite="1"')
        with pytest.raises(
            ValueError, match=r"town.tmx: .*: it is infinite\. In Tiled save it .* not infinite"
        ):
            Grid.from_tiled(file)


def test_rectangles_in_an_object_layer_block_what_they_lie_on(tmp_path: Path) -> None:
    walls = objects(
        "Collision",
        '<object id="1" x="16" y="0" width="16" height="8"/>',
        '<object id="2" x="33" y="8" width="4" height="20"/>',
        '<object id="3" x="3" y="9"><point/></object>',
        '<object id="4" x="0" y="0"><text>Here</text></object>',
    )
    grid = Grid.from_tiled(tiled_file(tmp_path, layer("ground", GROUND), walls))
    assert grid.to_text() == ".#.\n#.#"


def test_objects_may_lie_partly_or_wholly_outside_the_map(tmp_path: Path) -> None:
    walls = objects(
        "walls",
        '<object id="1" x="-1e15" y="8" width="1000000000000001" height="1e15"/>',
        '<object id="2" x="33" y="-50" width="1e15" height="51"/>',
        '<object id="3" x="-9" y="-9" width="9" height="9"/>',
        '<object id="4" x="48" y="0"/>',
    )
    assert Grid.from_tiled(tiled_file(tmp_path, walls)).to_text() == "..#\n#.."


def test_tiles_placed_as_objects_stand_on_their_position(tmp_path: Path) -> None:
    place = 'x="16" y="16" width="16" height="8"'
    crate = f'<object id="1" gid="1" {place}>{given(blocked=True)}</object>'
    crates = objects("crates", crate)
    assert Grid.from_tiled(tiled_file(tmp_path, crates)).to_text() == "...\n.#."


@pytest.mark.parametrize(
    ("object_", "shape"),
    [
        ('<object id="7" x="0" y="0"><polygon points="0,0 8,8 0,8"/></object>', "polygon"),
        ('<object id="7" x="0" y="0" width="4" height="4"><ellipse/></object>', "ellipse"),
        ('<object id="7" x="0" y="0" width="4" height="4" rotation="9"/>', "turned rectangle"),
        ('<object id="7" template="a.tx" x="0" y="0"/>', "object from a template"),
    ],
)
def test_objects_that_have_no_tiles_are_refused(tmp_path: Path, object_: str, shape: str) -> None:
    file = tiled_file(tmp_path, layer("ground", GROUND), objects("walls", object_))
    message = f"town.tmx: the object 7 in the layer 'walls' .* got: {shape}"
    with pytest.raises(ValueError, match=message):
        Grid.from_tiled(file)
    assert Grid.from_tiled(file, ()).to_text() == "...\n..."


def test_a_tile_placed_as_an_object_has_the_properties_of_the_tile(tmp_path: Path) -> None:
    place = 'y="16" width="16" height="8"'
    crates = objects(
        "things",
        f'<object id="1" gid="2" x="0" {place}/>',
        f'<object id="2" gid="{2 | FLIPPED}" x="16" {place}/>',
        f'<object id="3" gid="2" x="32" {place}>{given(blocked=False)}</object>',
    )
    file = tiled_file(tmp_path, tileset(tile(1, blocked=True)), crates)
    assert Grid.from_tiled(file).to_text() == "...\n##."


def test_the_collision_shapes_of_tiles_are_not_objects_of_the_map(tmp_path: Path) -> None:
    shape = f'<object id="1" x="0" y="0" width="16" height="8">{given(blocked=True)}</object>'
    rock = f'<tile id="1">{given(cost=2)}<objectgroup id="2">{shape}</objectgroup></tile>'
    file = tiled_file(tmp_path, tileset(rock), layer("ground", [[1, 1, 1], [1, 2, 1]]))
    assert Grid.from_tiled(file).to_text() == "...\n.2."


@pytest.mark.parametrize("number", ["inf", "-inf", "nan"])
@pytest.mark.parametrize("name", ["x", "y", "width", "height"])
def test_objects_have_a_finite_place_and_size(tmp_path: Path, name: str, number: str) -> None:
    place = {"x": "0", "y": "0", "width": "4", "height": "4"} | {name: number}
    numbers = " ".join(f'{key}="{value}"' for key, value in place.items())
    file = tiled_file(tmp_path, objects("walls", f'<object id="7" {numbers}/>'))
    with pytest.raises(ValueError, match="town.tmx: the object 7 in the layer 'walls' must have a"):
        Grid.from_tiled(file)


def test_a_map_that_pytmx_has_loaded_is_taken_as_it_is(tmp_path: Path) -> None:
    file = tiled_file(tmp_path, tileset(tile(1, blocked=True)), layer("a", [[1, 2, 1], [2, 1, 1]]))
    loaded = pytmx.TiledMap(str(file))
    file.unlink()
    assert Grid.from_tiled(loaded).to_text() == ".#.\n#.."
    loaded.layers[0].data[1][2] = loaded.layers[0].data[0][1]
    grid = Grid.from_tiled(loaded, neighbours=4)
    assert (grid.to_text(), grid.center((2, 1))) == (".#.\n#.#", (40.0, 12.0))
    with pytest.raises(ValueError, match="town.tmx: blocked names 'b', but there is no such layer"):
        Grid.from_tiled(loaded, "b")


def test_properties_may_be_given_to_tiles_of_a_loaded_map(tmp_path: Path) -> None:
    loaded = pytmx.TiledMap(str(tiled_file(tmp_path, layer("a", WALLS))))  # without a tileset
    number = loaded.layers[0].data[0][1]
    loaded.set_tile_properties(number, {"blocked": True})
    assert Grid.from_tiled(loaded).to_text() == ".#.\n..#"
    loaded.set_tile_properties(number, {"cost": "dear"})
    with pytest.raises(ValueError, match="property 'cost' of the tile 1 must be a number"):
        Grid.from_tiled(loaded)


@pytest.mark.parametrize("invert_y", [True, False])
def test_objects_of_a_loaded_map_block(tmp_path: Path, invert_y: bool) -> None:
    crate = '<object id="1" gid="1" x="16" y="16" width="16" height="8"/>'
    walls = objects("walls", crate, '<object id="2" x="0" y="0" width="4" height="4"/>')
    loaded = pytmx.TiledMap(str(tiled_file(tmp_path, tileset(), walls)), invert_y=invert_y)
    assert Grid.from_tiled(loaded).to_text() == "#..\n.#."


def test_of_a_loaded_map_polygons_are_known_and_ellipses_are_not(tmp_path: Path) -> None:
    place = 'id="7" x="0" y="0" width="4" height="4"'
    ellipse, polygon = "<ellipse/>", '<polyline points="0,0 8,8 0,8"/>'
    file = tiled_file(tmp_path, objects("walls", f"<object {place}>{ellipse}</object>"))
    assert Grid.from_tiled(pytmx.TiledMap(str(file))).to_text() == "#..\n..."
    file = tiled_file(tmp_path, objects("walls", f"<object {place}>{polygon}</object>"))
    with pytest.raises(ValueError, match="the object 7 .* must be a rectangle or a point"):
        Grid.from_tiled(pytmx.TiledMap(str(file)))


def test_loaded_maps_must_be_orthogonal_and_complete(tmp_path: Path) -> None:
    file = tiled_file(tmp_path, layer("walls", WALLS), more='orientation="hexagonal"')
    with pytest.raises(ValueError, match="town.tmx: .* must be 'orthogonal', got 'hexagonal'"):
        Grid.from_tiled(pytmx.TiledMap(str(file)))
    with pytest.raises(ValueError, match="Grid.from_tiled: width and height of the map must be"):
        Grid.from_tiled(pytmx.TiledMap())
    loaded = pytmx.TiledMap(str(tiled_file(tmp_path, layer("walls", WALLS))))
    loaded.layers[0].data.pop()
    with pytest.raises(ValueError, match="layer 'walls': there must be 3 x 2 tiles, got 3"):
        Grid.from_tiled(loaded)


def test_properties_may_be_called_like_what_pytmx_has_itself(tmp_path: Path) -> None:
    walls = layer("walls", WALLS, given(visible=True, name="x", data=3))
    points = f'<object id="1" x="0" y="0" width="4" height="4">{given(points=9, x=7)}</object>'
    file = tiled_file(tmp_path, walls, objects("solid", points))
    assert Grid.from_tiled(file).to_text() == "##.\n..#"


def test_what_pytmx_adds_to_tiles_is_not_a_property(tmp_path: Path) -> None:
    file = tiled_file(tmp_path, tileset(tile(1, hard=True)), layer("ground", GROUND))
    for name in ("id", "width", "frames", "type"):
        with pytest.raises(ValueError, match="no such layer .* properties: 'hard'\\."):
            Grid.from_tiled(file, name)
        with pytest.raises(ValueError, match=f"no tile has the property '{name}'"):
            Grid.from_tiled(file, "hard", cost=name)


def test_images_are_not_needed(tmp_path: Path) -> None:
    sheet = '<image source="gone.png" width="48" height="24"/>'
    single = '<tile id="1"><image source="gone_too.png" width="16" height="8"/></tile>'
    collection = tileset(tile(0, blocked=True), single, first=10, count=2)
    sky = '<imagelayer name="sky"><image source="sky.png"/></imagelayer>'
    sky += group("all", sky, '<imagelayer name="empty"/>', "<imagelayer/>")
    rows = [[1, 10, 11], [0, 0, 0]]
    file = tiled_file(tmp_path, tileset(sheet), collection, sky, layer("ground", rows))
    assert Grid.from_tiled(file).to_text() == ".#.\n..."


def test_random_maps_have_the_costs_of_their_topmost_tiles(tmp_path: Path) -> None:
    dice = random.Random(5)
    for _ in range(20):
        costs: dict[int, float] = {n: dice.randint(1, 9) for n in range(2, 9)}
        first = tileset(*(tile(n - 1, cost=cost) for n, cost in costs.items()), count=5)
        rest = tileset(tile(0, blocked=True), tile(1, cost=2.5), first=10)
        costs |= {10: float("inf"), 11: 2.5}
        numbers = (0, 1, 2, 3, 5, 9, 10, 11)
        flips = (0, 0, 0, FLIPPED, TURNED, FLIPPED | TURNED)
        layers = [[[dice.choice(numbers) for _ in range(7)] for _ in range(5)] for _ in range(3)]
        drawn = (
            layer(name, [[n and n | dice.choice(flips) for n in row] for row in rows], data=data)
            for name, rows in zip("abc", layers, strict=True)
            for data in [dice.choice(list(ENCODINGS.values()))]
        )
        grid = Grid.from_tiled(tiled_file(tmp_path, first, rest, *drawn, size=(7, 5)))
        for y in range(5):
            for x in range(7):
                said = [costs[rows[y][x]] for rows in layers if rows[y][x] in costs]
                assert grid.cost((x, y)) == (said or [1])[-1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "cannot be read: town.tmx is not XML: no element found"),
        ("<map", "town.tmx is not XML: unclosed token"),
        ('{"type": "map"}', "In Tiled save it again, as .tmx or .tmj"),
        ("<tileset/>", "it holds a <tileset>"),
        ('<map orientation="isometric"/>', "must be 'orthogonal', got 'isometric'"),
        ("<map/>", "width and height of the map must be above 0"),
        ('<map width="3" height="2"/>', "tilewidth and tileheight of the map must be above 0"),
        ('<map width="a" height="2"/>', "this map cannot be read: could not convert"),
    ],
)
def test_files_that_are_not_maps_are_named(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "town.tmx"
    file.write_text(content, "utf-8")
    with pytest.raises(ValueError, match=f"town.tmx: .*{re.escape(message)}"):
        Grid.from_tiled(file)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('<data encoding="csv">1,2</data>', "there must be 3 x 2 tiles, got 2"),
        ('<data encoding="csv">1,2,1,1,1,1,2</data>', "there must be 3 x 2 tiles, got 7"),
        ('<data encoding="base64">AAAAAA==</data>', "there must be 3 x 2 tiles, got 1"),
        ('<data encoding="csv"></data>', "has no tiles in CSV or base64. In"),
        (
            '<data encoding="base64" compression="zstd">QUJD</data>',
            "zstd is not supported. In Tiled",
        ),
        (
            '<data encoding="morse">.-</data>',
            "morse is not supported. In Tiled save it again",
        ),
        ("<data><tile gid='1'/></data>", "has no tiles in CSV or base64. In Tiled save it"),
        ("", "has no tiles in CSV or base64"),
    ],
)
def test_layers_that_cannot_be_read_are_named(tmp_path: Path, data: str, message: str) -> None:
    file = tiled_file(tmp_path, f'<layer name="walls" width="3" height="2">{data}</layer>')
    with pytest.raises(ValueError, match=f"town.tmx: .*layer .*{re.escape(message)}"):
        Grid.from_tiled(file)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('<data encoding="csv">1,b</data>', "invalid literal"),
        ('<data encoding="base64" compression="zlib">QUJD</data>', "error: Error -3"),
        ('<data encoding="base64" compression="gzip">QUJD</data>', "BadGzipFile: Not a gzipped"),
        ('<data encoding="base64">QUJD</data>', "error: unpack requires"),
    ],
)
def test_files_that_pytmx_cannot_read_are_named(tmp_path: Path, content: str, reason: str) -> None:
    file = tiled_file(tmp_path, f'<layer name="walls" width="3" height="2">{content}</layer>')
    message = f"town.tmx: this map cannot be read: {reason}.* save it again"
    with pytest.raises(ValueError, match=message):
        Grid.from_tiled(file)


@pytest.mark.parametrize("where", ["map", "tileset", "layer", "object"])
def test_properties_of_classes_are_refused(tmp_path: Path, where: str) -> None:
    stats = '<properties><property name="stats" type="class" propertytype="S"/></properties>'
    said = dict.fromkeys(("map", "tileset", "layer", "object"), "") | {where: stats}
    (tmp_path / "town.tsx").write_text(f'<tileset name="a">{said["tileset"]}</tileset>', "utf-8")
    file = tiled_file(
        tmp_path,
        said["map"],
        '<tileset firstgid="1" source="town.tsx"/>',
        layer("walls", WALLS, said["layer"]),
        objects("things", f'<object id="1" x="0" y="0">{said["object"]}</object>'),
    )
    with pytest.raises(
        ValueError, match=r"town.tmx: .* the property 'stats' in town.t[ms]x is a class"
    ):
        Grid.from_tiled(file)


def test_a_missing_tileset_is_named(tmp_path: Path) -> None:
    file = tiled_file(tmp_path, '<tileset firstgid="1" source="gone.tsx"/>', layer("walls", WALLS))
    with pytest.raises(FileNotFoundError, match=r"town.tmx: its tileset 'gone.tsx' is missing"):
        Grid.from_tiled(file)
    (tmp_path / "gone.tsx").write_text("{}", "utf-8")
    with pytest.raises(ValueError, match=r"gone.tsx is not XML: .*\(\.tsx or \.tsj\)"):
        Grid.from_tiled(file)
    for name in ("gone.tsj", "gone.xml"):
        (tmp_path / name).write_text("<tileset/>", "utf-8")
        file = tiled_file(tmp_path, f'<tileset firstgid="1" source="{name}"/>')
        with pytest.raises(ValueError, match=f"its tileset '{name}' is not a .tsx file. In Tiled"):
            Grid.from_tiled(file)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"blocked": "perhaps"},
            "the property 'blocked' of the tile 1 of the tileset 'Ground' must",
        ),
        ({"cost": "dear"}, "the property 'cost' of the tile 1 of the tileset 'Ground' must be"),
        ({"cost": -1}, "must be a number >= 0, got -1.0. 0 makes a wall."),
    ],
)
def test_wrong_properties_are_named(tmp_path: Path, value: dict[str, Any], message: str) -> None:
    file = tiled_file(tmp_path, tileset(tile(1, **value)), layer("ground", [[1, 2, 1], [1, 1, 1]]))
    with pytest.raises(ValueError, match=f"town.tmx: .*{re.escape(message)}"):
        Grid.from_tiled(file)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"blocked": "perhaps"}, "property 'blocked' of the layer 'ground' must be true or false"),
        ({"cost": "dear"}, "the property 'cost' of the layer 'ground' must be a number >= 0"),
    ],
)
def test_wrong_properties_of_layers_are_named(
    tmp_path: Path, value: dict[str, Any], message: str
) -> None:
    file = tiled_file(tmp_path, tileset(), layer("ground", GROUND, given(**value)))
    with pytest.raises(ValueError, match=f"town.tmx: .*{re.escape(message)}"):
        Grid.from_tiled(file)


def test_names_that_the_map_does_not_have_are_errors(tmp_path: Path) -> None:
    file = tiled_file(tmp_path, tileset(tile(1, hard=True)), layer("ground", GROUND))
    with pytest.raises(ValueError, match=r"blocked names 'Wals', .* Layers: 'ground'; .* 'hard'"):
        Grid.from_tiled(file, ["Wals"])
    with pytest.raises(ValueError, match="no tile has the property 'weight'"):
        Grid.from_tiled(file, "hard", cost="weight")
    with pytest.raises(ValueError, match="town.tmx: nothing says what blocks the way"):
        Grid.from_tiled(file)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"blocked": 3}, "blocked must be the name"),
        ({"blocked": [3]}, "blocked must be the name"),
        ({"cost": 3}, "cost must be the name of a property"),
        ({"cost": None}, "cost must be the name of a property"),
    ],
)
def test_names_are_texts(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Grid.from_tiled(tiled_file(tmp_path, layer("walls", WALLS)), **arguments)


def test_the_cost_of_nothing_is_a_number(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="empty must be a number >= 0"):
        Grid.from_tiled(tiled_file(tmp_path, layer("walls", WALLS)), empty=-1)


def test_a_missing_map_and_what_is_not_a_file_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing.tmx"):
        Grid.from_tiled(tmp_path / "nothing.tmx")
    with pytest.raises(IsADirectoryError):
        Grid.from_tiled(tmp_path)
    with pytest.raises(TypeError, match=r"file must be the path of a \.tmx, \.tmj or \.json file"):
        Grid.from_tiled(3)  # type: ignore[arg-type]


def test_without_pytmx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytmx.pytmx", None)
    with pytest.raises(ImportError, match=re.escape("needs pytmx, and it is not installed. Inst")):
        Grid.from_tiled("town.tmx")


@pytest.mark.slow
@pytest.mark.parametrize("has_pygame", [True, False])
@pytest.mark.parametrize("before", [None, "0"])
def test_reading_a_map_prints_nothing_and_opens_nothing(
    tmp_path: Path, before: str | None, has_pygame: bool
) -> None:
    code = f"""
import os, sys
from fsmkit.pathfinding import Grid
assert 'pytmx' not in sys.modules
if not {has_pygame}:
    sys.modules['pygame'] = None
Grid.from_tiled(sys.argv[1], compiled=False)
pygame = sys.modules.get('pygame')
assert pygame is None or not pygame.display.get_init()
assert os.environ.get('PYGAME_HIDE_SUPPORT_PROMPT') == {before!r}
"""
    environment = {k: v for k, v in os.environ.items() if k != "PYGAME_HIDE_SUPPORT_PROMPT"}
    environment |= {} if before is None else {"PYGAME_HIDE_SUPPORT_PROMPT": before}
    file = tiled_file(tmp_path, layer("walls", WALLS))
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
