"""The map of hexagons in examples/hexagons.py, and its picture in the documentation.

To draw the picture again: python examples/hexagons.py --svg docs/_static/maps/hexagons.svg
"""

from itertools import product
from pathlib import Path
from runpy import run_path

from fsmkit.pathfinding import AStarPath

ROOT = Path(__file__).parents[2]
MAP = run_path(str(ROOT / "examples" / "hexagons.py"))


def test_the_picture_is_up_to_date() -> None:
    country = MAP["Country"]()
    out = country.way(MAP["MILL"], MAP["CASTLE"])
    country.flood()
    back = country.way(MAP["CASTLE"], MAP["MILL"])
    picture = ROOT / "docs" / "_static" / "maps" / "hexagons.svg"
    assert picture.read_text("utf-8") == MAP["picture"](out, back)


def test_the_number_of_steps_never_overestimates() -> None:
    country = MAP["Country"]()
    path: AStarPath[tuple[int, int]] = AStarPath()
    for start, goal in product(list(country.nodes)[::7], list(country.nodes)[::5]):
        found = country.way(start, goal)
        country.graph.resolve_path(
            path, country.nodes[start], country.nodes[goal], lambda here, there: 0.0
        )
        assert found.cost == path.cost >= MAP["distance"](start, goal)
        assert found.nodes <= path.nodes


def test_a_flooded_ford_is_no_longer_crossed_and_floods_only_once() -> None:
    country = MAP["Country"]()
    assert MAP["FORD"] in set(country.way(MAP["MILL"], MAP["CASTLE"]))
    country.flood()
    country.flood()
    assert MAP["FORD"] not in set(country.way(MAP["MILL"], MAP["CASTLE"]))
