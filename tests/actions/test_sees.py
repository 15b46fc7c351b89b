"""Sees: range, field of view and line of sight; and what is seen once is not lost at once."""

from collections.abc import Callable
from math import acos, cos, degrees, hypot, inf, nan, radians, sin
from types import SimpleNamespace
from typing import Any

import pytest
from every import every
from hypothesis import assume, given
from hypothesis import strategies as st

from actions import Sees, SendEventWhen
from fsmkit import Fsm
from fsmkit.pathfinding import Grid
from fsmkit.space import Space, Transform, facing

COORDINATES = st.floats(-100.0, 100.0)
PLACES = st.tuples(COORDINATES, COORDINATES)
HERE = (0.0, 0.0)


def eyes(rotation: Any = 0.0) -> Transform:
    return Transform(HERE, rotation=rotation)


def at(angle: float, distance: float = 10.0) -> tuple[float, float]:
    return distance * cos(radians(angle)), distance * sin(radians(angle))


# What is in view


@given(PLACES, PLACES, st.floats(0.0, 300.0))
def test_all_round_it_is_the_range_that_counts(
    here: tuple[float, float], there: tuple[float, float], range_: float
) -> None:
    way = hypot(there[0] - here[0], there[1] - here[1])
    assert Sees(here, there, range_)() is (way <= range_)


@given(
    PLACES, st.floats(-720.0, 720.0), st.floats(-180.0, 180.0), st.floats(0.1, 50.0),
    st.floats(0.0, 360.0),
)  # fmt: skip
def test_the_field_of_view_lies_half_on_each_side(
    here: tuple[float, float], rotation: float, away: float, distance: float, angle: float
) -> None:
    assume(abs(abs(away) - angle / 2) > 1e-6)
    x, y = at(rotation + away, distance)
    guard = Transform(here, rotation=rotation)
    target = (here[0] + x, here[1] + y)
    sees = Sees(guard, target, distance + 1.0, angle=angle)
    assert sees() is (abs(away) <= angle / 2)


@every("rotation", [0.0, 90.0, 180.0, -90.0, 450.0])
@every(
    ("angle", "seen"),
    [(0.0, [True, False, False, False]), (90.0, [True, False, False, False]),
     (179.9, [True, False, False, False]), (180.0, [True, True, False, True]),
     (359.9, [True, True, False, True]), (360.0, [True] * 4)],
)  # fmt: skip
def test_the_edges_belong_to_the_field_of_view(
    rotation: float, angle: float, seen: list[bool]
) -> None:
    ways = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]
    turned = ways[(first := round(rotation / 90.0) % 4) :] + ways[:first]
    guard = eyes(rotation)
    assert [Sees(guard, way, 1.0, angle=angle)() for way in turned] == seen


def test_an_edge_at_half_a_right_angle_is_exact() -> None:
    assert Sees(eyes(), (1.0, 1.0), 2.0, angle=90.0)()
    assert Sees(eyes(), (1.0, -1.0), 2.0, angle=90.0)()
    assert not Sees(eyes(), (1.0, 1.0 + 1e-9), 2.0, angle=90.0)()


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 3), st.tuples(*[st.floats(-1.0, 1.0)] * 3))
def test_in_space_it_is_the_angle_to_where_a_quaternion_faces(
    ahead: tuple[float, ...], way: tuple[float, ...]
) -> None:
    glm = pytest.importorskip("pyglm.glm")
    assume(hypot(*ahead) > 0.1 and hypot(*way) > 0.1)
    cosine = glm.dot(glm.normalize(glm.dvec3(ahead)), glm.normalize(glm.dvec3(way)))
    between = degrees(acos(max(-1.0, min(1.0, cosine))))
    guard = Transform((0.0, 0.0, 0.0), rotation=facing(glm.dquat(), ahead))
    assert Sees(guard, way, 2.0, angle=min(360.0, 2 * between + 1e-3))()
    if between > 1e-3:
        assert not Sees(guard, way, 2.0, angle=2 * between - 1e-3)()


def test_an_angle_looks_at_the_plane_only() -> None:
    bird = Transform((0.0, 0.0, 5.0), rotation=90.0)
    assert Sees(bird, (0.0, 3.0, 1.0), 5.0, angle=10.0)()
    assert not Sees(bird, (3.0, 0.0, 5.0), 5.0, angle=10.0)()


def test_what_is_in_the_same_place_is_seen() -> None:
    assert Sees(eyes(), HERE, 0.0, angle=0.0)()


@pytest.mark.parametrize("where", [(nan, 0.0), (0.0, nan), (inf, nan), (-inf, 0.0)])
def test_what_is_nowhere_is_not_seen(where: tuple[float, float]) -> None:
    for options in ({}, {"close": 5.0}, {"angle": 90.0}, {"until": 9.0}):
        assert not Sees(eyes(), lambda: where, 5.0, **options)()
        assert not Sees(lambda: Transform(where), HERE, 5.0, **options)()


def test_what_is_close_is_noticed_from_behind_too() -> None:
    guard, thief = eyes(), Transform((-2.0, 0.0))
    sees = Sees(guard, thief, 15.0, angle=60.0, close=2.0)
    noticed = sees()
    thief.position = (-2.1, 0.0)
    assert (noticed, sees()) == (True, False)


def test_close_never_reaches_further_than_the_range() -> None:
    assert not Sees(eyes(), (3.0, 0.0), 2.0, close=9.0)()


# What is in the way


def test_a_function_says_what_is_in_the_way_of_what_is_in_view() -> None:
    asked: list[Any] = []

    def clear(start: Any, end: Any) -> bool:
        asked.append((start, end))
        return bool(end[1] < 3.0)

    guard, thief = eyes(), Transform((5.0, 1.0))
    sees = Sees(guard, thief, 10.0, angle=90.0, clear=clear)
    seen = []
    for place in [(5.0, 1.0), (5.0, 4.0), (-5.0, 0.0), (50.0, 0.0)]:
        thief.position = place
        seen.append(sees())
    assert seen == [True, False, False, False]
    assert asked == [(HERE, (5.0, 1.0)), (HERE, (5.0, 4.0))]


def test_a_grid_is_asked_by_positions() -> None:
    grid = Grid(["....", ".#..", "...."], tile_size=32, origin=(16, 16))
    guard, thief = Transform((16.0, 48.0)), Transform((112.0, 48.0))
    sees = Sees(guard, thief, 200.0, clear=grid)
    behind_the_wall = sees()
    guard.position, thief.position = (16.0, 16.0), (112.0, 20.0)
    beside_it = sees()
    thief.position = (200.0, 16.0)
    assert (behind_the_wall, beside_it, sees()) == (False, True, False)
    grid.set_cost((1, 1), 1.0)
    assert Sees((16.0, 48.0), (112.0, 48.0), 200.0, clear=grid)()


def test_anything_with_is_clear_will_do() -> None:
    class Map:
        def is_clear(self, start: Any, end: Any) -> bool:
            return bool(start != end)

        def __call__(self) -> None:
            raise AssertionError

    assert Sees(eyes(), (1.0, 0.0), 2.0, clear=Map())()
    assert Sees(eyes(), (1.0, 0.0), 2.0, clear=SimpleNamespace(is_clear=lambda *_: True))()


# What was seen


def test_what_is_seen_is_followed_until_it_is_lost() -> None:
    walls: list[str] = []
    guard, thief = eyes(), Transform((10.0, 0.0))
    sees = Sees(guard, thief, 15.0, angle=60.0, until=30.0, clear=lambda *_: not walls)
    story = []
    for what, place in [
        ("far", (20.0, 0.0)), ("before the eyes", (15.0, 0.0)), ("away", (30.0, 0.0)),
        ("behind", (-20.0, 0.0)), ("lost", (-30.5, 0.0)), ("behind again", (-10.0, 0.0)),
        ("before the eyes again", (10.0, 0.0)),
    ]:  # fmt: skip
        thief.position = place
        story.append((what, sees()))
    walls.append("a wall")
    story.append(("a wall", sees()))
    walls.clear()
    thief.position = (20.0, 0.0)
    story.append(("no wall", sees()))
    assert story == [
        ("far", False),
        ("before the eyes", True),
        ("away", True),
        ("behind", True),
        ("lost", False),
        ("behind again", False),
        ("before the eyes again", True),
        ("a wall", False),
        ("no wall", False),
    ]


def test_with_until_equal_to_the_range_it_is_followed_all_round() -> None:
    guard, thief = eyes(), Transform((10.0, 0.0))
    sees = Sees(guard, thief, 15.0, angle=60.0, until=15.0)
    before = sees()
    thief.position = (-10.0, 0.0)
    assert (before, sees()) == (True, True)


def test_eyes_and_target_may_be_functions_and_local() -> None:
    cart = Transform((50.0, 0.0), rotation=90.0)
    rider = Transform((50.0, 0.0), parent=cart)
    fsm = Fsm("Guard", context=SimpleNamespace(eyes=rider, thief=Transform((50.0, 5.0))))
    seen: list[bool] = []
    rider.local_rotation = 0.0
    outside = Sees(lambda state: state.context.eyes, lambda s: s.context.thief, 9.0, angle=9.0)
    inside = Sees(lambda: rider, (5.0, 0.0), 9.0, angle=9.0, space=Space.SELF)
    watch = fsm.add_state("Watch")
    watch.add_action(SendEventWhen(outside, "SEEN"))
    watch.add_transition("SEEN", fsm.add_state("Alarm"))
    fsm.start()
    seen.append(inside())
    assert (seen, fsm.current_state) == ([True], fsm.states["Alarm"])


# What is refused

MAKE: Any = Sees
"""For what no type checker lets pass."""


class Body:
    position = HERE


@every(
    ("make", "error", "message"),
    [
        (lambda: MAKE(eyes(), HERE, -1.0), ValueError, "Sees: range must be a finite number >= 0"),
        (lambda: MAKE(eyes(), HERE, nan), ValueError, "Sees: range must be a finite number >= 0"),
        (lambda: MAKE(eyes(), HERE, 9.0, until=8.0), ValueError, r"Sees: until must be at least"),
        (lambda: MAKE(eyes(), HERE, 9.0, close=-1.0), ValueError, "Sees: close must be a finite"),
        (
            lambda: MAKE(eyes(), HERE, 9.0, angle=-1.0),
            ValueError,
            "Sees: angle must be a number of",
        ),
        (
            lambda: MAKE(eyes(), HERE, 9.0, angle=360.5),
            ValueError,
            "Sees: angle must be a number of",
        ),
        (
            lambda: MAKE(eyes(), HERE, 9.0, angle=inf),
            ValueError,
            "Sees: angle must be a number of",
        ),
        (lambda: MAKE(eyes(), HERE, 9.0, angle="60"), TypeError, "Sees: angle must be a number of"),
        (
            lambda: MAKE(HERE, HERE, 9.0, angle=60.0),
            TypeError,
            r"Sees: eyes must be something with a rotation if an angle is given, got \(0\.0, 0\.0",
        ),
        (lambda: MAKE(Body(), HERE, 9.0, angle=0.0), TypeError, "with a rotation if an angle"),
        (
            lambda: MAKE(lambda: Body(), (1.0, 0.0), 9.0, angle=60.0)(),  # noqa: PLW0108
            TypeError,
            "Sees: eyes must be something with a rotation if an angle is given, got <",
        ),
        (lambda: MAKE(eyes(), HERE, 9.0, clear=5), TypeError, "Sees: clear must be a function of"),
        (lambda: MAKE(eyes(), HERE, 9.0, clear=True), TypeError, "Sees: clear must be a function"),
        (lambda: MAKE(eyes(), HERE, 9.0, clear=["#"]), TypeError, "as a Grid, got"),
        (
            lambda: MAKE(eyes(), HERE, 9.0, clear=lambda: True),
            TypeError,
            r"Sees: clear must take two positions",
        ),
        (
            lambda: MAKE(eyes(), HERE, 9.0, clear=Grid),
            TypeError,
            "Sees: clear must be a function of",
        ),
        (lambda: MAKE(eyes(), None, 9.0), TypeError, "Sees: target must be a tuple or vector"),
        (lambda: MAKE(None, HERE, 9.0), TypeError, "Sees: eyes must be a tuple or vector"),
        (lambda: MAKE(eyes(), HERE, 9.0, space=None), TypeError, "Sees: space must be Space.WORLD"),
        (MAKE(eyes(), (1.0, 2.0, 3.0), 9.0), ValueError, "same number of axes"),
    ],
)
def test_what_it_can_never_be_is_refused(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()
