"""FollowPath: exactly along the points, around corners, and again on request."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import FollowPath
from fsmkit import FINISHED, Fsm, TimeReference
from fsmkit.space import Space, Transform
from fsmkit.testing import drive

CORNER = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)]


def walker(*arguments: object, **options: object) -> tuple[Fsm, Transform, FollowPath]:
    body = Transform((0.0, 0.0))
    fsm = Fsm("Walker", on_unhandled="ignore")
    go, there = fsm.add_state("Go"), fsm.add_state("There")
    way = go.add_action(FollowPath(body, *arguments, **options))
    go.add_transition(FINISHED, there)
    return fsm, body, way


def test_it_goes_around_corners_within_one_update_and_ends_exactly_at_the_last_point() -> None:
    fsm, body, _ = walker(CORNER, 2.0)
    fsm.start()
    seen = []
    for _ in range(5):
        fsm.update(1.0)
        seen.append((body.position, fsm.current_state.name))
    assert seen == [
        ((2.0, 0.0), "Go"), ((3.0, 1.0), "Go"), ((3.0, 3.0), "Go"),
        ((3.0, 4.0), "There"), ((3.0, 4.0), "There"),
    ]  # fmt: skip


def test_a_path_may_be_any_iterable_and_is_read_once_per_visit() -> None:
    calls = []

    def find() -> object:
        calls.append(1)
        return (point for point in CORNER)

    fsm, body, _ = walker(find, 1.0)
    fsm.start()
    fsm.update(3.5)
    fsm.update(0.5)
    assert body.position == (3.0, 1.0)
    assert len(calls) == 1


def test_a_path_may_be_an_array() -> None:
    fsm, body, way = walker(np.array(CORNER), 1.0)
    fsm.start()
    fsm.update(5.0)
    assert (body.position, way.remaining) == ((3.0, 2.0), 2.0)


@pytest.mark.parametrize("nothing", [None, [], (), np.empty((0, 2))])
def test_without_a_way_it_says_so_and_finishes_there(nothing: object) -> None:
    fsm, body, _ = walker(lambda: nothing, 1.0, blocked_event="BLOCKED")
    assert drive(fsm, [fsm.start]) == [
        "enter Go", "event BLOCKED: unhandled", "FollowPath finished",
        "event FINISHED: changed", "FollowPath entered", "FollowPath left", "leave Go",
        "enter There",
    ]  # fmt: skip
    assert body.position == (0.0, 0.0)


def test_a_transition_for_the_blocked_event_wins() -> None:
    fsm, _, _ = walker(None, 1.0, blocked_event="BLOCKED")
    fsm.states["Go"].add_transition("BLOCKED", fsm.add_state("Stuck"))
    fsm.start()
    assert fsm.current_state.name == "Stuck"


def test_replanning_asks_for_a_path_from_where_it_is() -> None:
    paths = iter([CORNER, [(3.0, 0.0), (9.0, 0.0)]])
    fsm, body, way = walker(lambda: next(paths), 1.0)
    fsm.start()
    fsm.update(2.0)
    way.replan()
    assert way.remaining == 7.0
    fsm.update(7.0)
    assert body.position == (9.0, 0.0)
    way.replan()  # not on its way any more: without effect
    assert fsm.current_state.name == "There"


def test_a_path_that_is_blocked_on_the_way_ends_it_there() -> None:
    paths = iter([CORNER, None])
    fsm, body, way = walker(lambda: next(paths), 1.0, blocked_event="BLOCKED")
    fsm.start()
    fsm.update(2.0)
    way.replan()
    assert (body.position, fsm.current_state.name) == ((2.0, 0.0), "There")


def test_standing_at_the_goal_it_finishes_on_enter() -> None:
    fsm, _, _ = walker([(0.0, 0.0)], 1.0)
    fsm.start()
    assert fsm.current_state.name == "There"


def test_it_uses_the_time_and_the_space_it_is_given() -> None:
    slow = TimeReference("slow", 0.5)
    fsm, body, _ = walker(CORNER, 2.0, time=slow, space=Space.SELF)
    body.parent = Transform((10.0, 10.0))
    body.local_position = (0.0, 0.0)
    fsm.start()
    fsm.update(1.0)
    assert (body.local_position, body.position) == ((1.0, 0.0), (11.0, 10.0))


@pytest.mark.parametrize("speed", [-1.0, math.inf, math.nan])
def test_an_invalid_speed_is_refused(speed: float) -> None:
    with pytest.raises(ValueError, match="FollowPath"):
        FollowPath(Transform(), CORNER, speed)
    fsm, _, _ = walker(CORNER, lambda: speed)
    with pytest.raises(ValueError, match="FollowPath"):
        fsm.start()


points = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=1, max_size=6)


@given(points, st.floats(0.1, 50.0), st.lists(st.floats(0.0, 3.0), max_size=20))
def test_it_is_always_as_far_along_the_path_as_time_and_speed_say(
    path: list[tuple[int, int]], speed: float, steps: list[float]
) -> None:
    fsm, body, way = walker(path, speed)
    length = sum(map(math.dist, [(0, 0), *path], path))
    fsm.start()
    gone = 0.0
    for dt in steps:
        fsm.update(dt)
        gone += speed * dt
        assert way.remaining == pytest.approx(max(0.0, length - gone), abs=1e-6)
    if gone > length:
        assert body.position == path[-1]
        assert fsm.current_state.name == "There"
