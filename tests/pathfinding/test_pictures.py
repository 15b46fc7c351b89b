"""Pictures of maps, as SVG and as text."""

import re
from collections.abc import Iterable, Iterator
from itertools import product
from math import inf
from typing import Any
from xml.etree import ElementTree

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st

from fsmkit.pathfinding import AStarPath, Grid, Tile, smooth
from fsmkit.pathfinding.pictures.content import bands_of, equal_bands
from fsmkit.pathfinding.pictures.map_svg import runs_of

SVG = "{http://www.w3.org/2000/svg}"
YARD = """
......
.####.
.~~~#.
......
"""


class StepsField:
    """The way to one goal on a map without diagonals where every step costs 1."""

    def __init__(self, grid: Grid, goal: Tile) -> None:
        self.grid = grid
        self.goals = (goal,)
        self._costs: dict[Tile, float] = {goal: 0.0}
        self._next: dict[Tile, Tile] = {}
        wave = [goal]
        for here in wave:
            for there in beside(here):
                if grid.is_free(there) and there not in self._costs:
                    self._costs[there] = self._costs[here] + 1.0
                    self._next[there] = here
                    wave.append(there)

    def cost(self, tile: Tile) -> float:
        return self._costs.get(tile, inf)

    def next(self, tile: Tile) -> Tile | None:
        return self._next.get(tile)


def beside(tile: Tile) -> Iterator[Tile]:
    x, y = tile
    yield from ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1))


def yard() -> Grid:
    return Grid(YARD, costs={"~": 3.0})


def parts(svg: str, name: str) -> list[ElementTree.Element]:
    """The elements of a class."""
    root = ElementTree.fromstring(svg)
    return [part for part in root.iter() if name in part.get("class", "").split()]


def tips(svg: str) -> list[str]:
    return [part.text or "" for part in ElementTree.fromstring(svg).iter(f"{SVG}title")]


def texts(svg: str) -> list[str]:
    return [part.text or "" for part in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def tiles_drawn(line: str) -> set[Tile]:
    """The tiles that the `d` of a path covers."""
    x, y, drawn = 0, 0, set()
    for command, first, second in re.findall(r"([mh])(-?\d+) ?(-?\d+)?", line):
        if command == "m":
            x, y = x + int(first), y + int(second)
        else:
            drawn |= {(column, y) for column in range(x, x + int(first))}
            x += int(first)
    return drawn


# As text


def test_a_map_as_text_can_be_read_again() -> None:
    text = Grid("..#\n#..").to_text()
    assert text == "..#\n#.."
    assert Grid(text).to_text() == text


@pytest.mark.slow
@given(st.lists(st.text("#.", min_size=4, max_size=4), min_size=1, max_size=6))
def test_any_map_without_costs_as_text_can_be_read_again(rows: list[str]) -> None:
    grid = Grid("\n".join(rows))
    assert grid.to_text() == "\n".join(rows)


def test_a_path_leads_from_s_to_g() -> None:
    grid = yard()
    assert grid.to_text(grid.find_path((0, 0), (5, 2))) == "S*****\n.####*\n.333#G\n......"


def test_a_pulled_path_is_drawn_below_its_straight_lines() -> None:
    grid = yard()
    pulled = smooth(grid, grid.find_path((0, 0), (5, 2)))
    assert len(pulled) == 3
    assert grid.to_text(pulled) == grid.to_text(grid.find_path((0, 0), (5, 2)))


def test_a_path_that_ends_before_its_goal_says_so() -> None:
    grid = Grid("...#.")
    assert grid.to_text(grid.find_path((0, 0), (4, 0)), goal=(4, 0)).splitlines() == [
        "S*!#G",
        "",
        "! the way ends here, before the goal",
    ]


def test_several_paths_are_drawn_together() -> None:
    grid = Grid("...\n...\n...")
    ways = [grid.find_path((0, 0), (2, 0)), grid.find_path((0, 2), (2, 2))]
    assert grid.to_text(ways) == "S*G\n...\nS*G"
    assert grid.to_text(iter(ways)) == grid.to_text(ways)


def test_a_path_without_tiles_is_not_drawn() -> None:
    assert Grid("..").to_text(AStarPath()) == ".."
    assert Grid("..").to_text([]) == ".."
    assert Grid("..").to_text([[], [(1, 0)]]) == ".S"


def test_whole_costs_up_to_nine_are_digits_and_others_letters_with_a_legend() -> None:
    assert Grid([[1, 2, 9, 0]]).to_text() == ".29#"
    assert Grid([[1, 2.5, 30, 0, 2.5]]).to_text() == ".ab#a\n\na costs 2.5\nb costs 30"


def test_many_costs_share_letters() -> None:
    *rows, last = Grid([[10.0 + n for n in range(52)]]).to_text().splitlines()
    assert rows[0] == "".join(letter * 2 for letter in "abcdefghijklmnopqrstuvwxyz")
    assert last == "z costs 60 to 61"


def test_a_field_is_arrows_to_its_goal() -> None:
    grid = Grid("...#.\n.#..#\n....#")
    assert grid.to_text(field=StepsField(grid, (2, 1))).splitlines() == [
        "→→↓#?",
        "↓#G←#",
        "→→↑↑#",
        "",
        "? out of reach",
    ]


def test_a_path_lies_on_a_field() -> None:
    grid = Grid("....")
    assert grid.to_text([(0, 0), (1, 0)], StepsField(grid, (3, 0))) == "SG→G"


# As SVG


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_of_the_smallest_map_is_whole(dark: bool) -> None:
    for text in (".", "#"):
        svg = Grid(text).to_svg([(0, 0)], title="One tile", dark=dark)
        assert ElementTree.fromstring(svg).get("class") == f"fsmkit-map {['light', 'dark'][dark]}"
        assert tips(svg)[1:] == ["goal (0, 0)", "start (0, 0)"]


def test_titles_and_their_signs_are_text() -> None:
    svg = Grid(".").to_svg(title="<script> & 'way' \x00")
    assert texts(svg)[0] == "<script> & 'way' \\x00"
    assert ElementTree.fromstring(svg).get("aria-label") == "<script> & 'way' \\x00"


def test_all_walls_are_one_line() -> None:
    (tiles,) = parts(Grid("#.#\n##.").to_svg(), "tiles")
    (walls,) = tiles
    assert walls.get("d") == "M0 .5m0 0h1m1 0h1m-3 1h2"


@pytest.mark.slow
@given(
    st.integers(1, 8).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(0, 3), min_size=width, max_size=width), min_size=1, max_size=8
        )
    )
)
def test_runs_cover_each_tile_of_a_kind_once(rows: list[list[int]]) -> None:
    runs = runs_of(rows, {1, 3})
    for kind in (1, 3):
        wanted = {
            (x, y) for y, row in enumerate(rows) for x, each in enumerate(row) if each == kind
        }
        assert tiles_drawn(runs.get(kind, "")) == wanted
        assert sum(map(int, re.findall(r"h(\d+)", runs.get(kind, "")))) == len(wanted)
    assert set(runs) <= {1, 3}


def test_different_costs_have_shades_and_a_legend() -> None:
    assert texts(yard().to_svg())[-3:] == ["cost 1", "3", "wall"]
    assert "wall" not in texts(Grid("..#").to_svg())


def test_many_costs_share_six_shades() -> None:
    shades = [text for text in texts(Grid([range(1, 13)]).to_svg()) if "to" in text]
    assert shades == ["cost 1 to 2", "3 to 4", "5 to 6", "7 to 8", "9 to 10", "11 to 12"]


def test_a_path_has_a_start_a_goal_and_its_cost() -> None:
    grid = yard()
    svg = grid.to_svg(grid.find_path((0, 0), (5, 2)))
    assert tips(svg) == ["(0, 0) to (5, 2): 8 tiles, cost 7", "goal (5, 2)", "start (0, 0)"]
    assert not parts(svg, "cross")


def test_a_path_that_ends_before_its_goal_looks_different() -> None:
    grid = Grid("...#.")
    svg = grid.to_svg(grid.find_path((0, 0), (4, 0)), goal=(4, 0))
    assert tips(svg) == [
        "(0, 0) no way to the goal; as near as (2, 0): 3 tiles, cost 2",
        "the way ends at (2, 0), before the goal",
        "goal (4, 0)",
        "start (0, 0)",
    ]
    assert [part.get("stroke-dasharray") for part in parts(svg, "way")] == [None, "1 7"]
    assert texts(svg)[-1] == "the way ends here, before the goal"


def test_several_paths_have_different_colours() -> None:
    grid = Grid("...\n...\n...")
    ways = [grid.find_path((0, y), (2, y)) for y in range(3)]
    colours = [part.get("stroke") for part in parts(grid.to_svg(ways), "way")]
    assert len(set(filter(None, colours))) == 3


def test_a_field_is_shades_and_arrows() -> None:
    grid = Grid("...#.\n.#..#\n....#")
    svg = grid.to_svg(field=StepsField(grid, (2, 1)))
    (arrows,) = parts(svg, "arrows")
    assert (arrows.get("d") or "").count("M") == 2 * 9  # a line and a head
    assert tips(svg) == ["goal (2, 1)"]
    assert texts(svg)[-7:] == [
        *("cost to the goal 0", "1", "2", "3", "4"), "out of reach", "wall",
    ]  # fmt: skip


def test_the_field_of_a_map_has_no_arrows_in_walls() -> None:
    grid = Grid(".#.\n...")
    field = grid.field([(0, 0)])
    assert grid.to_text(field=field) == "G#↓\n↑←←"
    (arrows,) = parts(grid.to_svg(field=field), "arrows")
    assert (arrows.get("d") or "").count("M") == 2 * 4
    assert texts(grid.to_svg(field=field))[-6:] == [
        "cost to the goal 0",
        "1",
        "2",
        "3",
        "4",
        "wall",
    ]


def test_what_is_farther_than_a_field_reaches_is_out_of_reach() -> None:
    grid = Grid("....")
    field = grid.field([(0, 0)], max_cost=2)
    assert grid.to_text(field.path((2, 0)), field) == "G*S?\n\n? out of reach"
    assert texts(grid.to_svg(field=field))[-1] == "out of reach"


def test_the_field_of_a_masked_map_is_of_that_alone() -> None:
    grid = Grid("....")
    land = grid.masked([[True, True, False, True]])
    assert land.to_text(field=land.field([(0, 0)])).splitlines()[0] == "G←#?"
    with pytest.raises(ValueError, match="field must be one of this map"):
        land.to_text(field=grid.field([(0, 0)]))


@pytest.mark.slow
def test_the_arrows_of_a_large_field_are_not_more_than_3000() -> None:
    grid = Grid(["." * 128] * 128, compiled=False)
    (arrows,) = parts(grid.to_svg(field=StepsField(grid, (0, 0))), "arrows")
    assert 1000 < (arrows.get("d") or "").count("M") / 2 <= 3000


@pytest.mark.slow
def test_a_map_of_512_by_512_tiles_stays_small() -> None:
    wall = [[(7 * x + 13 * y) % 11 > 7 for x in range(512)] for y in range(512)]
    grid = Grid([[0 if each else 1 for each in row] for row in wall], compiled=False)
    svg = grid.to_svg()
    assert len(svg) < 1_000_000
    assert len(list(ElementTree.fromstring(svg).iter())) < 100


def test_a_map_of_one_row_is_as_wide_as_it_is_long() -> None:
    root = ElementTree.fromstring(Grid(["." * 512]).to_svg())
    assert float(root.get("width", 0)) > 1000
    assert float(root.get("height", 0)) < 100


def test_a_notebook_shows_the_map() -> None:
    grid = yard()
    assert grid._repr_mimebundle_() == {"image/svg+xml": grid.to_svg()}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"path": [(0, 0), (6, 0)]},
            "each tile of a path must be on the map of 6 columns and 4 ro",
        ),
        ({"path": [(0, -1)]}, "must be on the map"),
        ({"start": (9, 9)}, "start must be on the map of 6 columns and 4 rows, got (9, 9)"),
        ({"goal": (0, 4)}, "goal must be on the map"),
    ],
)
@pytest.mark.parametrize("method", ["to_svg", "to_text"])
def test_tiles_of_another_map_are_refused(
    wrong: dict[str, object], message: str, method: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        getattr(yard(), method)(**wrong)
    assert str(caught.value).startswith(f"{method}: ")


@every(
    "wrong",
    [
        {"path": 5},
        {"path": "(0, 0)"},
        {"path": [(0.5, 0.5), (1.0, 1.0)]},
        {"path": [(0, 0), 3]},
        {"path": [(0, 0), None]},
        {"path": [(0, 0, 0)]},
        {"start": 3},
        {"start": (0.0, 1.0)},
        {"goal": "ab"},
        {"field": 3},
        {"field": Ellipsis},
    ],
)
@every("method", ["to_svg", "to_text"])
def test_what_is_not_a_path_tile_or_field_is_refused(wrong: dict[str, object], method: str) -> None:
    with pytest.raises(TypeError, match=f"{method}: .* must .* got "):
        getattr(yard(), method)(**wrong)


def test_places_are_written_on_their_tiles_and_above_marks() -> None:
    grid = yard()
    svg = grid.to_svg(
        start=(1, 0), goal=(1, 3), places={"pond & <ice>": (2, 2), "gate": (1, 0), "hut": (1, 3)}
    )
    written = {part.text: float(part.get("y", "")) for part in parts(svg, "place")}
    assert list(written) == ["pond & <ice>", "gate", "hut"]
    middle = [float(part.get("y", "")) for part in parts(svg, "row")]
    assert written["pond & <ice>"] == middle[2]
    assert written["gate"] > middle[0]  # above it are the numbers of the columns
    assert written["hut"] < middle[3]


def test_the_name_of_a_place_stays_on_the_map() -> None:
    grid = Grid(["." * 12])
    (left, right) = parts(grid.to_svg(places={"smithy": (0, 0), "market": (11, 0)}), "place")
    columns = {part.text: float(part.get("x", "")) for part in parts(grid.to_svg(), "column")}
    assert float(left.get("x", "")) > columns["0"]
    assert float(right.get("x", "")) < columns["10"] + 28


@pytest.mark.parametrize(
    "places", ["hut", [(0, 0)], {(0, 0): "hut"}, {"hut": 3}, {"hut": (0.5, 0)}]
)
def test_places_are_names_and_tiles(places: Any) -> None:
    with pytest.raises(TypeError, match="to_svg: .* must .* got"):
        yard().to_svg(places=places)


def test_a_place_is_on_the_map() -> None:
    with pytest.raises(ValueError, match=r"the place 'hut' must be on the map .* got \(9, 0\)"):
        yard().to_svg(places={"hut": (9, 0)})


def test_a_title_is_a_text() -> None:
    with pytest.raises(TypeError, match="title must be a text, got 3"):
        yard().to_svg(title=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["to_svg", "to_text"])
def test_a_field_of_another_map_is_refused(method: str) -> None:
    other = Grid("....\n....")
    with pytest.raises(ValueError, match="field must be one of this map"):
        getattr(yard(), method)(field=StepsField(other, (0, 0)))


def test_a_picture_changes_nothing() -> None:
    grid = yard()
    path = grid.find_path((0, 0), (5, 2))
    before = list(path), [grid.cost(tile) for tile in product(range(6), range(4))]
    grid.to_svg(path)
    grid.to_text(path)
    assert before == (list(path), [grid.cost(tile) for tile in product(range(6), range(4))])


# Bands


@pytest.mark.slow
@settings(max_examples=50)
@given(st.sets(st.floats(0.0, 1e9), max_size=40), st.integers(1, 8))
def test_every_cost_is_in_one_band(costs: set[float], most: int) -> None:
    for bands in (bands_of(costs, most), equal_bands(costs, most)):
        assert len(bands) <= most
        assert_in_order(band.least for band in bands)
        for cost in costs:
            assert any(band.least <= cost <= band.most for band in bands)


def assert_in_order(numbers: Iterable[float]) -> None:
    listed = list(numbers)
    assert listed == sorted(listed)
