"""FollowPath: exactly along the points, around corners, and again on request."""

import json
import math
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import FollowPath, Sequence, TimedWait
from fsmkit import FAILED, FINISHED, Fsm, TimeReference
from fsmkit.pathfinding import AStarPath
from fsmkit.recording import restore, snapshot
from fsmkit.space import Space, Transform
from fsmkit.testing import drive

CORNER = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)]


def walker(*arguments: object, **options: object) -> tuple[Fsm, Transform, FollowPath]:
    body = Transform((0.0, 0.0))
    fsm = Fsm("Walker", on_unhandled="ignore")
    go, there = fsm.add_state("Go"), fsm.add_state("There")
    way = go.add_action(FollowPath(body, *arguments, **options))
    go.add_transition(FINISHED, there)
    go.add_transition(FAILED, fsm.add_state("Lost"))
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
def test_without_a_way_it_says_so_and_fails_there(nothing: object) -> None:
    fsm, body, _ = walker(lambda: nothing, 1.0, blocked_event="BLOCKED")
    assert drive(fsm, [fsm.start]) == [
        "enter Go", "event BLOCKED: ignored", "FollowPath failed",
        "event FAILED: changed", "FollowPath entered", "FollowPath left", "leave Go", "enter Lost",
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


def test_replanning_does_not_turn_back_to_where_the_new_path_begins() -> None:
    paths = cycle([[(0.0, 0.0), (4.0, 0.0)], [(0.0, 0.0), (4.0, 1.0)]])
    fsm, body, way = walker(lambda: next(paths), 1.0)
    fsm.start()
    journal = []
    for _ in range(4):
        fsm.update(0.5)
        way.replan()
        journal.append(tuple(round(number, 2) for number in body.position))
    assert journal == [(0.5, 0.0), (0.84, 0.21), (1.13, 0.0), (1.28, 0.32)]


@pytest.mark.parametrize(
    ("start", "after"),
    [
        ((0.0, 1.0), (0.0, 0.5)),
        ((-1.0, 0.0), (-0.5, 0.0)),
        ((2.0, 0.0), (1.5, 0.0)),
        ((0.5, 1.0), (0.5, 0.5)),
        ((0.25, 0.0), (0.75, 0.0)),
    ],
)
def test_replanning_joins_the_path_where_its_first_leg_is_nearest(
    start: tuple[float, float], after: tuple[float, float]
) -> None:
    fsm, body, way = walker(lambda: [(0.0, 0.0), (1.0, 0.0)], 1.0)
    fsm.start()
    body.position = start
    way.replan()
    fsm.update(0.5)
    assert body.position == after


def test_a_path_that_is_blocked_on_the_way_ends_it_there() -> None:
    paths = iter([CORNER, None])
    fsm, body, way = walker(lambda: next(paths), 1.0, blocked_event="BLOCKED")
    fsm.start()
    fsm.update(2.0)
    way.replan()
    assert (body.position, fsm.current_state.name) == ((2.0, 0.0), "Lost")
    assert fsm.event_data == "the way is blocked"


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


@pytest.mark.slow
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


# Blocked: a path that does not lead to the goal


class Found(list[tuple[float, float]]):
    """A path as a pathfinder gives it."""

    def __init__(self, *points: tuple[float, float], reachable: object) -> None:
        super().__init__(points)
        self.reachable = reachable


def test_a_partial_path_is_walked_to_its_end_where_it_says_that_the_way_is_blocked() -> None:
    fsm, body, way = walker(Found((2.0, 0.0), (3.0, 0.0), reachable=False), 1.0,
                            blocked_event="BLOCKED", finish_event="CAME")  # fmt: skip
    fsm.start()
    assert (way.blocked, way.waits_for) == (True, "3.0 units to go, then the way is blocked")
    assert drive(fsm, [lambda: fsm.update(2.0)] * 2) == [
        "update 2", "update 2",
        "event BLOCKED: ignored", "FollowPath failed", "event FAILED: changed",
        "FollowPath left", "leave Go", "enter Lost",
    ]  # fmt: skip
    assert (body.position, way.blocked) == ((3.0, 0.0), True)


@pytest.mark.parametrize("reachable", [False, np.False_, 0])
def test_any_object_may_say_that_it_is_not_reachable(reachable: object) -> None:
    fsm, _, way = walker(Found((9.0, 0.0), reachable=reachable), 1.0)
    fsm.start()
    assert way.blocked


@pytest.mark.parametrize("path", [
    Found((9.0, 0.0), reachable=True), Found((9.0, 0.0), reachable=np.True_),
    [(9.0, 0.0)], np.array([(9.0, 0.0)]), iter([(9.0, 0.0)]),
])  # fmt: skip
def test_a_path_that_says_nothing_leads_to_the_goal(path: object) -> None:
    fsm, _, way = walker(path, 1.0, blocked_event="BLOCKED")
    fsm.start()
    assert not way.blocked
    assert drive(fsm, [lambda: fsm.update(20.0)])[:2] == ["update 20", "FollowPath finished"]


def test_without_a_blocked_event_a_partial_path_fails_all_the_same() -> None:
    fsm, body, way = walker(Found((2.0, 0.0), reachable=False), 1.0)
    fsm.start()
    fsm.update(2.0)
    assert (body.position, fsm.current_state.name, way.blocked) == ((2.0, 0.0), "Lost", True)


@pytest.mark.parametrize(("path", "may_fail"), [
    ([(9.0, 0.0)], False), (Found((9.0, 0.0), reachable=True), False), (np.array(CORNER), False),
    (iter([(9.0, 0.0)]), None), (lambda: [(9.0, 0.0)], None),
    (None, True), ([], True), (Found((9.0, 0.0), reachable=False), True),
])  # fmt: skip
def test_it_says_whether_it_may_fail(path: object, may_fail: bool | None) -> None:
    fsm, _, way = walker(path, 1.0, blocked_event="BLOCKED")
    assert way._may_fail_(bool) is may_fail
    fsm.states["Go"].add_transition("BLOCKED", "There")
    assert way._may_fail_(bool) is False, "the event leads away before it could fail"


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_partial_path_of_the_tile_where_it_stands_ends_on_enter(speed: float) -> None:
    fsm, _, _ = walker(Found((0.0, 0.0), reachable=False), speed, blocked_event="BLOCKED")
    fsm.states["Go"].add_transition("BLOCKED", fsm.add_state("Stuck"))
    fsm.start()
    assert fsm.current_state.name == "Stuck"


def test_at_speed_0_it_never_gets_to_where_the_way_is_blocked() -> None:
    fsm, _, way = walker(Found((2.0, 0.0), reachable=False), 0.0, blocked_event="BLOCKED")
    fsm.start()
    assert drive(fsm, [lambda: fsm.update(9.0)]) == ["update 9"]
    assert way.blocked


@pytest.mark.parametrize("path", [None, Found((0.0, 0.0), reachable=False)])
def test_a_blocked_event_that_leads_elsewhere_wins_over_the_finish_event(path: object) -> None:
    fsm, _, _ = walker(path, 1.0, blocked_event="BLOCKED", finish_event="CAME")
    fsm.states["Go"].add_transition("BLOCKED", fsm.add_state("Stuck"))
    fsm.states["Stuck"].add_transition("CAME", fsm.states["There"])
    assert drive(fsm, [fsm.start]) == [
        "enter Go", "event BLOCKED: changed", "FollowPath entered", "FollowPath left", "leave Go",
        "enter Stuck",
    ]  # fmt: skip


def test_equal_events_are_sent_once() -> None:
    fsm, _, _ = walker(None, 1.0, blocked_event="OVER", finish_event="OVER")
    assert [line for line in drive(fsm, [fsm.start]) if "OVER" in line] == ["event OVER: ignored"]


def test_replanning_turns_a_blocked_way_into_a_free_one_and_back() -> None:
    paths = iter([
        Found((4.0, 0.0), reachable=False), Found((4.0, 0.0), (8.0, 0.0), reachable=True),
        Found((6.0, 0.0), reachable=False),
    ])  # fmt: skip
    fsm, body, way = walker(lambda: next(paths), 1.0, blocked_event="BLOCKED")
    fsm.states["Go"].add_transition("BLOCKED", fsm.add_state("Stuck"))
    fsm.start()
    blocked = [way.blocked]
    for _ in range(2):
        fsm.update(1.0)
        way.replan()
        blocked.append(way.blocked)
    fsm.update(9.0)
    assert blocked == [True, False, True]
    assert (body.position, fsm.current_state.name) == ((6.0, 0.0), "Stuck")


def test_what_the_blocked_event_leads_back_to_is_not_finished_by_the_way_that_was_blocked() -> None:
    paths = iter([CORNER, None, Found((9.0, 0.0), reachable=False)])
    fsm, _, way = walker(lambda: next(paths), 1.0, blocked_event="BLOCKED")
    fsm.states["Go"].add_transition("BLOCKED", fsm.states["Go"])
    fsm.start()
    way.replan()
    assert (fsm.current_state.name, way.points, way.finished) == ("Go", ((9.0, 0.0),), False)


def test_the_path_of_a_pathfinder_may_be_filled_again_while_it_is_walked() -> None:
    path: AStarPath[tuple[float, float]] = AStarPath()
    path.fill(CORNER, 7.0, reachable=True)
    fsm, body, way = walker(path, 1.0)
    fsm.start()
    path.fill([(9.0, 9.0)], 1.0, reachable=False)
    fsm.update(4.0)
    assert (body.position, way.blocked) == ((3.0, 1.0), False)
    way.replan()
    assert (way.points, way.blocked) == (((9.0, 9.0),), True)


def test_an_array_may_be_filled_again_as_well() -> None:
    rows = np.array(CORNER)
    fsm, body, _ = walker(lambda: rows, 1.0)
    fsm.start()
    rows[:] = 9.0
    fsm.update(4.0)
    assert body.position == (3.0, 1.0)


def test_a_point_may_be_anything_that_has_a_position() -> None:
    stall = Transform((3.0, 0.0))
    fsm, body, way = walker([stall, (3.0, 4.0)], 1.0)
    fsm.start()
    stall.position = (9.0, 9.0)
    fsm.update(5.0)
    assert (body.position, way.remaining) == ((3.0, 2.0), 2.0)


def test_one_whose_turn_has_not_come_does_not_plan() -> None:
    way = FollowPath(Transform((0.0, 0.0)), None, 1.0, blocked_event="BLOCKED")
    fsm = Fsm("Walker", on_unhandled="raise")
    fsm.add_state("Go").add_action(Sequence(TimedWait(1.0), way))
    fsm.start()
    way.replan()
    assert not way.blocked


def test_time_that_is_left_at_a_blocked_end_is_carried_over() -> None:
    body = Transform((0.0, 0.0))
    fsm = Fsm("Walker", carry_time=True)
    go, back = fsm.add_state("Go"), fsm.add_state("Back")
    go.add_action(FollowPath(body, Found((2.0, 0.0), reachable=False), 1.0,
                             blocked_event="BLOCKED"))  # fmt: skip
    back.add_action(FollowPath(body, [(0.0, 0.0)], 1.0))
    go.add_transition("BLOCKED", back)
    fsm.start()
    fsm.update(3.0)
    assert body.position == (1.0, 0.0)


def test_a_snapshot_remembers_that_it_is_blocked() -> None:
    path = Found((4.0, 0.0), reachable=False)
    fsm, body, _ = walker(path, 1.0, blocked_event="BLOCKED")
    fsm.start()
    fsm.update(1.0)
    again, another, way = walker(None, 1.0, blocked_event="BLOCKED")
    another.position = body.position
    restore(again, json.loads(json.dumps(snapshot(fsm))))
    assert way.blocked
    assert drive(again, [lambda: again.update(3.0)])[1] == "event BLOCKED: ignored"


@pytest.mark.slow
@given(points, st.floats(0.5, 9.0), st.lists(st.floats(0.0, 3.0), max_size=9), st.booleans())
def test_a_blocked_way_takes_as_long_as_a_free_one(
    path: list[tuple[int, int]], speed: float, steps: list[float], carry: bool
) -> None:
    def journal(reachable: bool) -> list[str]:
        body = Transform((0.0, 0.0))
        fsm = Fsm("Walker", on_unhandled="ignore", carry_time=carry)
        go, there = fsm.add_state("Go"), fsm.add_state("There")
        go.add_action(FollowPath(body, Found(*path, reachable=reachable), speed,
                                 blocked_event="BLOCKED"))  # fmt: skip
        go.add_transition(FINISHED, there)
        go.add_transition("BLOCKED", there)
        fsm.start()
        return [*(f"{fsm.update(dt)} {body.position} {fsm.current_state.name} "
                  f"{fsm.time_in_state}" for dt in steps)]  # fmt: skip

    assert journal(reachable=False) == journal(reachable=True)
