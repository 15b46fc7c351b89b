"""FollowWaypoints: from waypoint to waypoint at a certain speed."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.follow_waypoints import FollowWaypoints, PathMode
from fsmkit import Fsm, TimeReference
from fsmkit.space import Space, Transform
from fsmkit.testing import drive

LINE = [(0.0, 0.0), (4.0, 0.0), (10.0, 0.0)]
SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]


def started(follow: FollowWaypoints) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(follow)
    fsm.start()
    return fsm


def places(follow: FollowWaypoints, dt: float, count: int) -> list[Any]:
    fsm = started(follow)
    seen = [follow.transform.position]
    for _ in range(count):
        fsm.update(dt)
        seen.append(follow.transform.position)
    return seen


def test_loop_goes_on_with_the_first_waypoint() -> None:
    follow = FollowWaypoints(Transform(), SQUARE, 3.0)
    assert places(follow, 1.0, 7) == [
        (0.0, 0.0), (3.0, 0.0), (4.0, 2.0), (3.0, 4.0), (0.0, 4.0), (0.0, 1.0), (2.0, 0.0),
        (4.0, 1.0),
    ]  # fmt: skip


def test_ping_pong_goes_all_the_way_back() -> None:
    follow = FollowWaypoints(Transform(), LINE, 3.0, mode=PathMode.PING_PONG)
    assert [x for x, _ in places(follow, 1.0, 8)] == [0, 3, 6, 9, 8, 5, 2, 1, 4]


def test_once_finishes_exactly_at_the_last_waypoint() -> None:
    thing = Transform((-1.0, 0.0))
    follow = FollowWaypoints(thing, LINE, 3.0, mode=PathMode.ONCE, finish_event="THERE")
    fsm = started(follow)
    fsm.states["A"].add_transition("THERE", fsm.add_state("B"))
    assert drive(fsm, [3, 1])[:4] == [
        "update 3", "update 1", "FollowWaypoints finished", "event THERE: changed",
    ]  # fmt: skip
    assert thing.position == (10.0, 0.0)


def test_once_with_nothing_to_go_finishes_on_enter() -> None:
    follow = FollowWaypoints(Transform((2.0, 2.0)), [(2.0, 2.0)] * 3, 0.0, mode=PathMode.ONCE)
    started(follow)
    assert follow.finished


def test_ten_steps_of_a_tenth_are_a_second() -> None:
    follow = FollowWaypoints(Transform(), LINE, 10.0, mode=PathMode.ONCE)
    drive(started(follow), [0.1] * 10)
    assert (follow.finished, follow.transform.position) == (True, (10.0, 0.0))


def test_goes_first_to_the_first_waypoint() -> None:
    follow = FollowWaypoints(Transform((0.0, -2.0)), SQUARE, 1.0)
    assert places(follow, 1.0, 3) == [(0.0, -2.0), (0.0, -1.0), (0.0, 0.0), (1.0, 0.0)]


@pytest.mark.slow
@given(
    st.sampled_from(PathMode),
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=6),
    st.lists(st.floats(0.0, 30.0), max_size=12),
)
def test_is_the_same_at_every_frame_rate(
    mode: PathMode, waypoints: list[tuple[int, int]], dts: list[float]
) -> None:
    one, many = (FollowWaypoints(Transform(), waypoints, 2.0, mode=mode) for _ in range(2))
    drive(started(one), [sum(dts)])
    drive(started(many), dts)
    assert many.transform.position == pytest.approx(one.transform.position, abs=1e-6)


@pytest.mark.parametrize("mode", PathMode)
@pytest.mark.parametrize("waypoints", [[(1.0, 1.0)], [(1.0, 1.0)] * 3])
def test_waypoints_all_at_one_place_end_there(
    mode: PathMode, waypoints: list[tuple[float, float]]
) -> None:
    follow = FollowWaypoints(Transform(), waypoints, 1.0, mode=mode)
    drive(started(follow), [0.5, 1e12, 0.0, 1e12])
    assert follow.transform.position == (1.0, 1.0)
    assert follow.finished == (mode is PathMode.ONCE)


@pytest.mark.parametrize("mode", [PathMode.LOOP, PathMode.PING_PONG])
def test_a_giant_update_on_a_tiny_path_skips_the_whole_rounds(mode: PathMode) -> None:
    follow = FollowWaypoints(Transform(), [(0.0, 0.0), (2.0**-30, 0.0)], 1.0, mode=mode)
    drive(started(follow), [2.0**40 + 2.0**-31])
    assert follow.transform.position == pytest.approx((0.0, 0.0), abs=2.0**-30)


def test_a_giant_update_counts_the_rounds_exactly() -> None:
    follow = FollowWaypoints(Transform(), SQUARE, 1.0)
    drive(started(follow), [16.0 * 10**9 + 5.0])
    assert (follow.transform.position, follow.next_index) == ((4.0, 1.0), 2)


@pytest.mark.parametrize("place", [nan, inf])
def test_an_impossible_place_does_not_hang(place: float) -> None:
    path = [lambda: (place, 0.0), (0.0, 0.0)]
    drive(started(FollowWaypoints(Transform(), path, 1.0)), [1.0, 1e12])
    with pytest.raises(ValueError, match=r"FollowWaypoints: waypoints\[0\] must be finite, got"):
        FollowWaypoints(Transform(), [(place, 0.0), (0.0, 0.0)], 1.0)


def test_waypoints_may_be_things_functions_and_may_move() -> None:
    flag = Transform((4.0, 0.0))
    follow = FollowWaypoints(Transform(), [flag, lambda: (4.0, 9.0)], 1.0, mode=PathMode.ONCE)
    fsm = started(follow)
    fsm.update(1)
    flag.position = (1.0, 2.0)
    fsm.update(2)
    half = follow.transform.position
    fsm.update(99)
    assert (half, follow.transform.position) == ((1.0, 2.0), (4.0, 9.0))


def test_path_and_speed_may_be_functions_called_on_enter() -> None:
    paths = iter([[(9.0, 0.0)], [(0.0, 0.0)]])
    speeds = iter([2.0, 1.0])
    follow = FollowWaypoints(Transform(), lambda: next(paths), lambda: next(speeds))
    fsm = started(follow)
    drive(fsm, [1, 1, fsm.start, 1])
    assert follow.transform.position == (3.0, 0.0)


@pytest.mark.parametrize(("resume", "expected"), [(False, (1.0, 0.0)), (True, (5.0, 0.0))])
def test_a_new_visit_starts_over_or_resumes(resume: bool, expected: tuple[float, float]) -> None:
    follow = FollowWaypoints(Transform(), LINE, 1.0, mode=PathMode.ONCE, resume=resume)
    fsm = started(follow)
    drive(fsm, [5, fsm.start])
    follow.transform.position = (3.0, 0.0)
    fsm.update(2)
    assert follow.transform.position == expected


def test_resumes_the_way_back_too() -> None:
    follow = FollowWaypoints(Transform(), LINE, 1.0, mode=PathMode.PING_PONG, resume=True)
    fsm = started(follow)
    drive(fsm, [13, fsm.start, 1])
    assert (follow.transform.position, follow.next_index) == ((6.0, 0.0), 1)


def test_a_path_that_was_followed_to_its_end_begins_again() -> None:
    follow = FollowWaypoints(Transform(), LINE, 1.0, mode=PathMode.ONCE, resume=True)
    fsm = started(follow)
    drive(fsm, [99, fsm.start, 4])
    assert (follow.transform.position, follow.next_index) == ((6.0, 0.0), 0)


def test_self_space_is_the_parents() -> None:
    ship = Transform(rotation=90.0)
    sailor = Transform(parent=ship)
    drive(started(FollowWaypoints(sailor, LINE, 1.0, space=Space.SELF)), [3])
    assert sailor.position == (0.0, 3.0)


def test_it_uses_its_time_reference() -> None:
    world = TimeReference("world", scale=2.0)
    follow = FollowWaypoints(Transform(), LINE, 1.0, time=world)
    fsm = started(follow)
    fsm.update(1)
    world.paused = True
    fsm.update(1)
    assert follow.transform.position == (2.0, 0.0)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: FollowWaypoints(Transform(), [], 1.0), ValueError, "at least one"),
        (lambda: FollowWaypoints(Transform(), LINE, -1.0), ValueError, "units per second"),
        (
            lambda: FollowWaypoints(Transform(), LINE, 1.0, mode="loop"),  # type: ignore[arg-type]
            TypeError,
            r"mode must be one of PathMode\.LOOP, PathMode\.PING_PONG, PathMode\.ONCE, got 'loop'",
        ),
        (
            lambda: started(FollowWaypoints(Transform(), lambda: (), 1.0)),
            ValueError,
            "at least one",
        ),
        (
            lambda: started(FollowWaypoints(Transform(), (1.0, 2.0), 1.0)),
            TypeError,
            r"must be a tuple or vector of numbers, got 1\.0",
        ),
    ],
)
def test_bad_input_is_refused(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


def test_the_waypoint_it_is_on_the_way_to_can_be_looked_at() -> None:
    follow = FollowWaypoints(Transform(), LINE, 4.0, mode=PathMode.ONCE)
    fsm = started(follow)
    seen = [follow.waypoint]
    for _ in range(3):
        fsm.update(1.0)
        seen.append(follow.waypoint)
    assert seen == [LINE[1], LINE[2], LINE[2], LINE[2]]


class Flag:
    """A waypoint that counts how often somebody looks where it is."""

    looks = 0

    @property
    def position(self) -> tuple[float, float]:
        self.looks += 1
        return (9.0, 9.0)


def test_waypoints_that_are_still_the_same_are_not_checked_in_each_visit() -> None:
    flags = [Flag() for _ in range(9)]
    follow = FollowWaypoints(Transform(), flags, 1.0)
    fsm = started(follow)
    before = flags[-1].looks
    fsm.start()
    assert flags[-1].looks == before


def test_waypoints_that_were_exchanged_are_checked_in_the_next_visit() -> None:
    points: list[Any] = [*LINE]
    fsm = started(FollowWaypoints(Transform(), points, 1.0))
    points[1] = "there"
    with pytest.raises(TypeError, match=r"waypoints\[1\]"):
        fsm.start()
