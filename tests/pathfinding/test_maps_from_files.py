"""Maps from images and from files of Tiled."""

import base64
import gzip
import io
import random
import re
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsmkit.pathfinding import Diagonals, Grid

Image = pytest.importorskip("PIL.Image")

FLIPPED = 0x80000000
TURNED = 0x20000000


def image(text: str, mode: str = "L", **colours: Any) -> Any:
    """An image with a pixel for each letter; `#` is black, `.` white."""
    rows = text.split()
    black, white = (0, 255) if mode == "L" else ((0,) * 3 + (255,), (255,) * 4)
    made = Image.new(mode, (len(rows[0]), len(rows)))
    letters = {"#": black, ".": white, **colours}
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            made.putpixel((x, y), letters[letter])
    return made


# Images


def test_dark_pixels_are_walls() -> None:
    assert Grid.from_image(image("..# #..")).to_text() == "..#\n#.."


def test_the_threshold_is_the_first_brightness_that_is_free() -> None:
    greys = image("abc", a=99, b=100, c=101)
    assert Grid.from_image(greys, threshold=100).to_text() == "#.."
    assert Grid.from_image(greys, threshold=0).to_text() == "..."
    assert Grid.from_image(greys, threshold=256).to_text() == "###"


def test_what_is_transparent_is_free() -> None:
    assert Grid.from_image(image("#x.", "RGBA", x=(0, 0, 0, 0))).to_text() == "#.."


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I", "I;16", "F", "CMYK"])
def test_images_of_every_kind_are_read(mode: str) -> None:
    picture = image("..# #..")
    if mode.startswith("I"):
        deep = Image.new(mode, picture.size)
        for x in range(3):
            for y in range(2):
                deep.putpixel((x, y), picture.getpixel((x, y)) * 257)
        picture = deep
    assert Grid.from_image(picture.convert(mode)).to_text() == "..#\n#.."


def test_a_file_is_read_by_its_path_or_open(tmp_path: Path) -> None:
    file = tmp_path / "map.png"
    image(".#").save(file)
    with file.open("rb") as stream:
        grids = [Grid.from_image(each) for each in (file, str(file), stream)]
    assert [grid.to_text() for grid in grids] == [".#"] * 3


def test_colours_have_costs_by_names_numbers_and_tuples() -> None:
    colours = {"a": (0, 0, 255, 255), "b": (0, 128, 0, 255), "c": (1, 2, 3, 255), "d": (9, 9, 9, 0)}
    picture = image(".#abcd", "RGBA", **colours)
    costs = {"white": 1, "black": 0, "#0000ff": 5, "green": 2, (1, 2, 3): 3.5, "transparent": 7}
    grid = Grid.from_image(picture, costs)
    assert [grid.cost((x, 0)) for x in range(6)] == [1, float("inf"), 5, 2, 3.5, 7]


def test_half_transparent_colours_are_others() -> None:
    picture = image(".a", "RGBA", a=(255, 255, 255, 128))
    assert Grid.from_image(picture, {"white": 1, "#ffffff80": 4}).to_text() == ".4"
    with pytest.raises(ValueError, match=re.escape("colour #ffffff80 of the pixel (1, 0)")):
        Grid.from_image(picture, {"white": 1})


def test_a_colour_without_a_cost_is_named_with_its_file_and_place(tmp_path: Path) -> None:
    file = tmp_path / "map.png"
    image(".... ..a.", "RGBA", a=(255, 0, 10, 255)).save(file)
    with pytest.raises(
        ValueError, match=re.escape("map.png: the colour #ff000a of the pixel (2, 1), tile (2, 1)")
    ):
        Grid.from_image(file, {"white": 1})
    with pytest.raises(ValueError, match=re.escape("pixel (3, 1), tile (1, 0)")):
        Grid.from_image(image(".... ...a", "RGBA", a=(1, 1, 1, 255)), {"white": 1}, tile=2)


def test_tiles_of_several_pixels_are_walls_by_their_dark_share() -> None:
    picture = image("##.#.. ##....")
    assert Grid.from_image(picture, tile=2).to_text() == "#.."
    assert Grid.from_image(picture, tile=2, share=0.25).to_text() == "##."
    assert Grid.from_image(picture, tile=2, share=0.26).to_text() == "#.."
    assert Grid.from_image(picture, tile=(3, 2)).to_text() == "#."


def test_positions_are_pixels_where_tiles_have_several() -> None:
    grid = Grid.from_image(image("####.. ####.."), tile=(3, 2))
    assert grid.tile_size == (3.0, 2.0)
    assert grid.center((1, 0)) == (4.5, 1.0)
    assert grid.tile_at((5.9, 0.0)) == (1, 0)
    assert Grid.from_image(image("..")).center((1, 0)) == (1.0, 0.0)


def test_the_other_options_are_those_of_a_grid() -> None:
    picture = image(".# ..")
    grid = Grid.from_image(picture, diagonals=Diagonals.ALWAYS, tile_size=10, origin=(5, 5))
    assert (grid.diagonals, grid.center((1, 1))) == (Diagonals.ALWAYS, (15.0, 15.0))
    with pytest.raises(ValueError, match="neighbours must be 4 or 8"):
        Grid.from_image(picture, neighbours=5)
    with pytest.raises(TypeError, match="colour"):
        Grid.from_image(picture, colour=5)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tile": 3}, "4 by 2 pixels cannot be divided into tiles of 3 by 3"),
        ({"tile": 0}, "tile must be"),
        ({"tile": (2,)}, "tile must be"),
        ({"tile": "22"}, "tile must be"),
        ({"tile": 1.5}, "tile must be"),
        ({"threshold": -1}, "threshold must be a brightness from 0 to 256, got -1"),
        ({"threshold": "dark"}, "threshold must be"),
        ({"threshold": float("nan")}, "threshold must be"),
        ({"share": 0}, "share must be"),
        ({"share": 1.1}, "share must be"),
        ({"costs": {"wite": 1}}, "a colour must be a name"),
        ({"costs": {(1, 2): 1}}, "a colour must be a name"),
        ({"costs": {(1, 2, 256): 1}}, "a colour must be a name"),
        ({"costs": {7: 1}}, "a colour must be a name"),
        ({"costs": {"white": -1}}, "cost of the colour 'white' must be a number >= 0"),
        ({"costs": {"white": "dear"}}, "must be a number >= 0"),
        ({"costs": {"white": 1, "#fff": 2}}, "'#fff' is another name"),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Grid.from_image(image(".... ...."), **arguments)


@pytest.mark.parametrize("costs", [{}, [], "white", 3])
def test_costs_that_are_no_colours_are_refused(costs: Any) -> None:
    with pytest.raises(TypeError, match="costs must be a mapping of colours to numbers"):
        Grid.from_image(image(".."), costs)


def test_files_that_are_no_images_are_named(tmp_path: Path) -> None:
    text, cut, stream = tmp_path / "map.txt", tmp_path / "cut.png", io.BytesIO()
    text.write_text("..#")
    image(("." * 60 + " ") * 60).save(stream, "PNG")
    cut.write_bytes(stream.getvalue()[:60])
    with pytest.raises(ValueError, match="map.txt: this is no image that Pillow can read"):
        Grid.from_image(text)
    with pytest.raises(ValueError, match="cut.png: the image is damaged"):
        Grid.from_image(cut)
    with pytest.raises(FileNotFoundError, match=r"nothing\.png"):
        Grid.from_image(tmp_path / "nothing.png")
    with pytest.raises(TypeError, match="file must be a path"):
        Grid.from_image(3)  # type: ignore[arg-type]


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'fsmkit[maps]'")):
        Grid.from_image("map.png")


# Tiled


def csv(numbers: list[int]) -> str:
    return f'<data encoding="csv">{",".join(map(str, numbers))}</data>'


def packed(compression: str, pack: Callable[[bytes], bytes]) -> Callable[[list[int]], str]:
    def data(numbers: list[int]) -> str:
        content = base64.b64encode(pack(struct.pack(f"<{len(numbers)}I", *numbers))).decode()
        kind = f' compression="{compression}"' if compression else ""
        return f'<data encoding="base64"{kind}>\n  {content}\n </data>'

    return data


def in_xml(numbers: list[int]) -> str:
    tiles = (f'<tile gid="{number}"/>' if number else "<tile/>" for number in numbers)
    return f"<data>{''.join(tiles)}</data>"


ENCODINGS = {
    "csv": csv,
    "base64": packed("", bytes),
    "zlib": packed("zlib", zlib.compress),
    "gzip": packed("gzip", gzip.compress),
    "xml": in_xml,
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


def test_a_layer_blocks_by_its_property_or_its_group(tmp_path: Path) -> None:
    by_property = layer("a", [[2, 0, 0], [0, 0, 0]], given(blocked=True))
    in_group = f'<group name="Walls">{layer("b", [[0, 2, 0], [0, 0, 0]])}</group>'
    of_group = f'<group name="c">{given(solid=True)}{layer("d", [[0, 0, 2], [0, 0, 0]])}</group>'
    not_it = layer("walls", GROUND, given(blocked=False))
    file = tiled_file(tmp_path, by_property, in_group, of_group, not_it)
    assert Grid.from_tiled(file).to_text() == "###\n..."


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


def test_an_infinite_map_begins_where_its_tiles_begin(tmp_path: Path) -> None:
    def chunk(x: int, y: int, numbers: list[int]) -> str:
        text = ",".join(map(str, numbers))
        return f'<chunk x="{x}" y="{y}" width="2" height="2">{text}</chunk>'

    chunks = chunk(-2, 0, [0, 1, 0, 2]) + chunk(0, 0, [1, 2, 1, 0]) + chunk(4, 4, [0, 0, 0, 0])
    walls = f'<layer name="a" width="9" height="9"><data encoding="csv">{chunks}</data></layer>'
    empty = '<layer name="b" width="9" height="9"><data encoding="csv"></data></layer>'
    tiles = tileset(tile(1, blocked=True))
    file = tiled_file(tmp_path, tiles, walls, empty, more='infinite="1"')
    grid = Grid.from_tiled(file)
    assert grid.to_text() == "..#\n#.."
    assert grid.center((0, 0)) == (-8.0, 4.0)
    with pytest.raises(ValueError, match="infinite and has no tiles"):
        Grid.from_tiled(tiled_file(tmp_path, empty, more='infinite="1"'), ())


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


def test_a_map_that_pytmx_has_loaded_is_taken(tmp_path: Path) -> None:
    pytmx = pytest.importorskip("pytmx")
    file = tiled_file(tmp_path, tileset(tile(1, blocked=True)), layer("a", [[1, 2, 1], [2, 1, 1]]))
    assert Grid.from_tiled(pytmx.TiledMap(str(file))).to_text() == ".#.\n#.."


def test_random_maps_hold_what_pytmx_reads(tmp_path: Path) -> None:
    pytmx = pytest.importorskip("pytmx")
    dice = random.Random(5)
    for _ in range(20):
        costs = {n: dice.randint(1, 9) for n in range(1, 9)}
        tiles = tileset(*(tile(n, cost=cost) for n, cost in costs.items()))
        rows = [[dice.choice((0, 1, 2, 3, 5 | FLIPPED, 9)) for _ in range(7)] for _ in range(5)]
        data = dice.choice([csv, ENCODINGS["zlib"], ENCODINGS["gzip"], ENCODINGS["base64"]])
        file = tiled_file(tmp_path, tiles, layer("a", rows, data=data), size=(7, 5))
        grid, theirs = Grid.from_tiled(file), pytmx.TiledMap(str(file))
        for y in range(5):
            for x in range(7):
                found = theirs.get_tile_properties(x, y, 0) or {}
                assert grid.cost((x, y)) == found.get("cost", 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "this is no map of Tiled in XML: no element found"),
        ("<map", "this is no map of Tiled in XML"),
        ('{"type": "map"}', "In Tiled save it as .tmx"),
        ("<tileset/>", "it holds a <tileset>"),
        ('<map orientation="isometric"/>', "must be 'orthogonal', got 'isometric'"),
        ("<map/>", "width and height of the map must be above 0"),
        ('<map width="a" height="2"/>', "width of <map> must be a number, got 'a'"),
    ],
)
def test_files_that_are_no_maps_are_named(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "town.tmx"
    file.write_text(content, "utf-8")
    with pytest.raises(ValueError, match=f"town.tmx: .*{re.escape(message)}"):
        Grid.from_tiled(file)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('<data encoding="csv">1,2</data>', "there must be 3 x 2 tiles, got 2"),
        ('<data encoding="csv">1,b</data>', "its tiles cannot be read"),
        ('<data encoding="csv">1,-2,1,1,1,1</data>', "its tiles cannot be read"),
        ('<data encoding="base64" compression="zlib">QUJD</data>', "its tiles cannot be read"),
        ('<data encoding="base64" compression="gzip">QUJD</data>', "its tiles cannot be read"),
        ('<data encoding="base64">QUJD</data>', "its tiles cannot be read"),
        ('<data encoding="base64" compression="zstd">QUJD</data>', "'zstd' is not supported"),
        ('<data encoding="morse">.-</data>', "the encoding 'morse' is not known"),
        ("", "has no <data>"),
    ],
)
def test_layers_that_cannot_be_read_are_named(tmp_path: Path, data: str, message: str) -> None:
    file = tiled_file(tmp_path, f'<layer name="walls" width="3" height="2">{data}</layer>')
    with pytest.raises(ValueError, match=f"town.tmx: layer 'walls'.*{re.escape(message)}"):
        Grid.from_tiled(file)


def test_a_missing_tileset_is_named(tmp_path: Path) -> None:
    file = tiled_file(tmp_path, '<tileset firstgid="1" source="gone.tsx"/>', layer("walls", WALLS))
    with pytest.raises(FileNotFoundError, match=r"town.tmx: its tileset 'gone.tsx' is missing"):
        Grid.from_tiled(file)
    (tmp_path / "gone.tsx").write_text("{}", "utf-8")
    with pytest.raises(ValueError, match=r"gone.tsx: this is no tileset .* save it as \.tsx"):
        Grid.from_tiled(file)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"blocked": "perhaps"}, "the property 'blocked' of the tile 2 must be true or false"),
        ({"cost": "dear"}, "the property 'cost' of the tile 2 in the layer 'ground' must be a num"),
        ({"cost": -1}, "must be a number >= 0 (0 for a wall), got -1"),
    ],
)
def test_wrong_properties_are_named(tmp_path: Path, value: dict[str, Any], message: str) -> None:
    file = tiled_file(tmp_path, tileset(tile(1, **value)), layer("ground", [[1, 2, 1], [1, 1, 1]]))
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


def test_a_missing_map_and_what_is_no_file_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing.tmx"):
        Grid.from_tiled(tmp_path / "nothing.tmx")
    with pytest.raises(TypeError, match=r"file must be the path of a \.tmx file"):
        Grid.from_tiled(3)
