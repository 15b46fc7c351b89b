"""Weights and estimates: what counts as a number, and what is said about the rest."""

from decimal import Decimal
from fractions import Fraction
from math import copysign, inf, nan
from typing import Any

import pytest
from every import every

from fsmkit.pathfinding import AStar, AStarPath, NodeHandle

numpy = pytest.importorskip("numpy")

GIANT = 10**400
UNREADABLE = 10**5000


def two_rooms() -> tuple[AStar[str], NodeHandle[str], NodeHandle[str]]:
    graph: AStar[str] = AStar()
    return graph, graph.add("hall"), graph.add("cellar")


@pytest.mark.parametrize(
    ("weight", "kept"),
    [
        (3, 3.0), (0, 0.0), (-0.0, 0.0), (Fraction(1, 4), 0.25), (Decimal("0.5"), 0.5),
        (numpy.float32(1.5), 1.5), (numpy.int8(7), 7.0), (5e-324, 5e-324), (10**300, 1e300),
    ],
)  # fmt: skip
def test_a_weight_of_any_kind_of_number_is_kept_as_a_float(weight: Any, kept: float) -> None:
    _, hall, cellar = two_rooms()
    hall.add_path(cellar, weight)
    [found] = hall.paths.values()
    assert (type(found), found, copysign(1.0, found)) == (float, kept, 1.0)


NO_WEIGHTS = [
    GIANT, UNREADABLE, -UNREADABLE, Fraction(GIANT), Decimal("1e400"), Decimal("sNaN"),
    Decimal("NaN"), nan, inf, -inf, -1, -5e-324, True, False, numpy.True_, numpy.float64(nan),
    1j, "1", b"1", None, [1.0], numpy.array([1.0, 2.0]),
]  # fmt: skip


@every("weight", NO_WEIGHTS)
def test_what_is_not_a_weight_is_refused_and_nothing_changes(weight: Any) -> None:
    graph, hall, cellar = two_rooms()
    hall.add_path(cellar, 2.0)
    version = graph.version
    for other in (cellar, hall):
        with pytest.raises(ValueError, match="A weight must be a finite number >= 0, got") as seen:
            hall.add_path(other, weight)
        assert f"from <NodeHandle at 'hall'> to {other!r}." in str(seen.value)
    assert (dict(hall.paths), graph.version) == ({cellar: 2.0}, version)
    graph.remove(cellar)
    assert dict(hall.paths) == {}


def test_ways_that_are_dearer_than_any_float_are_found_all_the_same() -> None:
    graph, hall, cellar = two_rooms()
    tomb = graph.add("tomb")
    hall.add_path(cellar, 1.7e308)
    cellar.add_path(tomb, 1.7e308)
    path: AStarPath[str] = AStarPath()
    graph.resolve_path(path, hall, tomb, lambda a, b: 0.0)
    assert (list(path), path.cost, path.reachable) == (["hall", "cellar", "tomb"], inf, True)


# Estimates


def found_with(estimates: dict[str, Any]) -> tuple[list[str], float]:
    graph, hall, cellar = two_rooms()
    tomb = graph.add("tomb")
    hall.add_path(cellar, 1)
    hall.add_path(tomb, 5)
    cellar.add_path(tomb, 1)
    path: AStarPath[str] = AStarPath()
    graph.resolve_path(path, hall, tomb, lambda position, _goal: estimates.get(position, 0))
    return list(path), path.cost


@pytest.mark.parametrize(
    "estimate",
    [0, 1, True, 1.0, Fraction(1, 3), Decimal("0.5"), numpy.float32(0.5), numpy.int64(1), -0.0],
)
def test_an_estimate_may_be_any_kind_of_number(estimate: Any) -> None:
    assert found_with(dict.fromkeys(("hall", "cellar"), estimate)) == (
        ["hall", "cellar", "tomb"],
        2.0,
    )


@pytest.mark.parametrize("estimate", [100, 1e300, inf])
def test_an_estimate_may_be_too_high_and_the_path_is_dearer_then(estimate: float) -> None:
    assert found_with({"cellar": estimate}) == (["hall", "tomb"], 5.0)
    assert found_with(dict.fromkeys(("hall", "cellar", "tomb"), estimate))[0][-1] == "tomb"


@every(
    "estimate", [nan, -1, -inf, None, "1", b"1", "far", 1j, [], GIANT, UNREADABLE, Decimal("sNaN")],
)  # fmt: skip
@every("position", ["hall", "cellar", "tomb"])
def test_what_is_not_an_estimate_is_refused_with_the_position(position: str, estimate: Any) -> None:
    with pytest.raises(ValueError, match=f"must return a number >= 0, got .* for .*'{position}'>"):
        found_with({position: estimate})


def test_a_heuristic_must_be_a_function() -> None:
    graph, hall, cellar = two_rooms()
    with pytest.raises(TypeError, match="must be a function of two positions, got None"):
        graph.begin(AStarPath(), hall, cellar, None)  # type: ignore[arg-type]
