"""Maps from images."""

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from every import every

from fsmkit.pathfinding import Diagonals, Grid

Image = pytest.importorskip("PIL.Image")


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


def test_dark_pixels_are_walls() -> None:
    assert Grid.from_image(image("..# #..")).to_text() == "..#\n#.."


def test_the_threshold_is_the_first_brightness_that_is_free() -> None:
    greys = image("abc", a=99, b=100, c=101)
    assert Grid.from_image(greys, threshold=100).to_text() == "#.."
    assert Grid.from_image(greys, threshold=0).to_text() == "..."
    assert Grid.from_image(greys, threshold=256).to_text() == "###"


def test_what_is_transparent_is_free() -> None:
    assert Grid.from_image(image("#x.", "RGBA", x=(0, 0, 0, 0))).to_text() == "#.."


@every("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I", "I;16", "F", "CMYK"])
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


@every(
    ("arguments", "message"),
    [
        ({"tile": 3}, "4 by 2 pixels cannot be divided into tiles of 3 by 3"),
        ({"tile": 0}, "tile must be"),
        ({"tile": (2,)}, "tile must be"),
        ({"tile": "22"}, "tile must be"),
        ({"tile": 1.5}, "tile must be"),
        ({"threshold": -1}, "threshold, a brightness, must be a number >= 0 and <= 256, got -1"),
        ({"threshold": "dark"}, "threshold, a brightness, must be"),
        ({"threshold": float("nan")}, "threshold, a brightness, must be"),
        ({"share": 0}, "share, the dark part of a wall, must be a number > 0 and <= 1, got"),
        ({"share": 1.1}, "share, the dark part of a wall, must be a number > 0 and <= 1, got"),
        ({"costs": {"wite": 1}}, "a colour must be a name"),
        ({"costs": {(1, 2): 1}}, "a colour must be a name"),
        ({"costs": {(1, 2, 256): 1}}, "a colour must be a name"),
        ({"costs": {7: 1}}, "a colour must be a name"),
        ({"costs": {"white": -1}}, "cost of the colour 'white' must be a number >= 0"),
        ({"costs": {"white": "dear"}}, "must be a number >= 0"),
        ({"costs": {"white": 1, "#fff": 2}}, "'#fff' is another name"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Grid.from_image(image(".... ...."), **arguments)


@pytest.mark.parametrize("costs", [{}, [], "white", 3])
def test_costs_that_are_not_for_colours_are_refused(costs: Any) -> None:
    with pytest.raises(TypeError, match="costs must be a mapping of colours to numbers"):
        Grid.from_image(image(".."), costs)


@pytest.mark.slow
def test_files_that_are_not_images_are_named(tmp_path: Path) -> None:
    text, cut, stream = tmp_path / "map.txt", tmp_path / "cut.png", io.BytesIO()
    text.write_text("..#")
    image(("." * 60 + " ") * 60).save(stream, "PNG")
    cut.write_bytes(stream.getvalue()[:60])
    with pytest.raises(ValueError, match="map.txt: this is not an image that Pillow can read"):
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
