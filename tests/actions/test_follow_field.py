"""FollowField: from tile to tile to the nearest goal, exactly, while the field changes."""

import json
import math
import random
from typing import Any, NamedTuple

import numpy as np
import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st

from actions import FollowField, Sequence
from fsmkit import FAILED, FINISHED, Fsm, TimeReference
from fsmkit.pathfinding import Diagonals, FlowField, Grid
from fsmkit.recording.snapshots import restore, snapshot
from fsmkit.space import Space, Transform, components
from fsmkit.testing import drive

CORNER = ["...", "##.", "##.", "##."]


def field_on(rows: Any, goals: Any, **options: Any) -> FlowField:
    return Grid(rows, compiled=False, **options).field(goals)


def walker(
    field: Any, speed: Any = 1.0, start: Any = (0.0, 0.0), **options: Any
) -> tuple[Fsm, Transform, FollowField]:
    body = Transform(start)
    fsm = Fsm("Walker", on_unhandled="ignore")
    go, there = fsm.add_state("Go"), fsm.add_state("There")
    way = go.add_action(FollowField(body, field, speed, **options))
    go.add_transition(FINISHED, there)
    go.add_transition(FAILED, fsm.add_state("Lost"))
    return fsm, body, way


def test_it_goes_around_corners_within_one_update_and_ends_exactly_at_the_goal() -> None:
    fsm, body, way = walker(field_on(CORNER, [(2, 3)]), 1.5)
    fsm.start()
    seen = []
    for _ in range(4):
        fsm.update(1.0)
        seen.append((body.position, way.leg, fsm.current_state.name))
    assert seen == [
        ((1.5, 0.0), ((1, 0), (2, 0)), "Go"), ((2.0, 1.0), ((2, 1), (2, 2)), "Go"),
        ((2.0, 2.5), ((2, 2), (2, 3)), "Go"), ((2.0, 3.0), (), "There"),
    ]  # fmt: skip


def test_positions_are_in_the_units_of_the_map() -> None:
    field = field_on(CORNER, [(2, 3)], tile_size=(10.0, -20.0), origin=(100.0, 50.0))
    fsm, body, way = walker(field, 10.0, start=(104.0, 41.0))
    fsm.start()
    assert way.waits_for == f"{math.hypot(6.0, 9.0) + 70.0:.1f} units to go"
    fsm.update(100.0)
    assert (body.position, way.blocked) == ((120.0, -10.0), False)


def test_from_beside_the_centre_it_goes_straight_to_the_centre_of_the_next_tile() -> None:
    fsm, body, _ = walker(field_on(["...."], [(3, 0)]), 5.0, start=(0.0, 0.4))
    fsm.start()
    fsm.update(math.hypot(1.0, 0.4) / 5.0)
    assert body.position == (1.0, 0.0)


def test_on_the_goal_it_goes_to_the_centre_and_at_the_centre_it_finishes_on_enter() -> None:
    fsm, body, _ = walker(field_on(["..."], [(1, 0)]), 1.0, start=(1.25, 0.0))
    fsm.start()
    fsm.update(0.125)
    assert (body.position, fsm.current_state.name) == ((1.125, 0.0), "Go")
    fsm.update(0.125)
    assert (body.position, fsm.current_state.name) == ((1.0, 0.0), "There")
    fsm.start("Go")
    assert fsm.current_state.name == "There"


def test_it_goes_to_the_nearest_of_several_goals() -> None:
    field = field_on(["........"], {(0, 0): 5.0, (7, 0): 0.0})
    for start, end in [((1.0, 0.0), (0.0, 0.0)), ((2.0, 0.0), (7.0, 0.0))]:
        fsm, body, _ = walker(field, 1.0, start=start)
        fsm.start()
        fsm.update(10.0)
        assert body.position == end


@pytest.mark.parametrize(
    ("rows", "start"), [(["..#."], (0.0, 0.0)), (["...."], (-5.0, 0.0)), (["...."], (0.0, 9.0))]
)
def test_where_there_is_no_way_it_says_so_and_fails_there(rows: Any, start: Any) -> None:
    fsm, body, way = walker(field_on(rows, [(3, 0)]), 1.0, start, blocked_event="BLOCKED")
    assert drive(fsm, [fsm.start]) == [
        "enter Go", "event BLOCKED: ignored", "FollowField failed", "event FAILED: changed",
        "FollowField entered", "FollowField left", "leave Go", "enter Lost",
    ]  # fmt: skip
    assert (body.position, way.blocked, way.remaining) == (start, True, 0.0)


def test_a_transition_for_the_blocked_event_wins() -> None:
    fsm, _, way = walker(None, 1.0, blocked_event="BLOCKED")
    fsm.states["Go"].add_transition("BLOCKED", fsm.add_state("Stuck"))
    fsm.start()
    assert (fsm.current_state.name, way.finished) == ("Stuck", False)


def test_without_a_blocked_event_it_fails_and_tells_that_it_is_blocked() -> None:
    fsm, _, way = walker(field_on(["..#."], [(3, 0)]))
    fsm.start()
    assert (fsm.current_state.name, fsm.event_data) == ("Lost", "the way is blocked")
    assert (way.blocked, way._may_fail_(bool)) == (True, None)


def test_a_way_that_closes_while_it_walks_ends_it_there() -> None:
    field = field_on(["....."], [(4, 0)])
    fsm, body, way = walker(field, 1.0, blocked_event="BLOCKED")
    fsm.start()
    fsm.update(1.25)
    field.grid.set_cost((3, 0), 0)
    fsm.update(1.0)
    assert (body.position, fsm.current_state.name) == ((1.25, 0.0), "Lost")
    assert way.blocked


def test_a_field_that_changes_is_followed_from_the_tile_it_is_on() -> None:
    field = field_on(["....", ".##.", "...."], [(3, 0)], neighbours=4)
    fsm, body, way = walker(field, 1.0, start=(0.0, 0.0))
    fsm.start()
    fsm.update(0.25)
    field.grid.set_cost((2, 0), 0)  # the way above is closed: around below
    fsm.update(0.0)
    assert way.leg == ((0, 0), (0, 1))
    fsm.update(100.0)
    assert (body.position, fsm.current_state.name) == ((3.0, 0.0), "There")


def test_a_change_elsewhere_does_not_turn_it_off_its_leg() -> None:
    field = field_on(["....", "....", "...."], [(3, 2)])
    fsm, _, way = walker(field, 1.0)
    fsm.start()
    fsm.update(0.9)
    leg = way.leg
    field.grid.set_cost((0, 2), 7)
    fsm.update(0.0)
    assert way.leg == leg == ((0, 0), (1, 1))


def test_moved_by_something_else_it_goes_on_from_there() -> None:
    fsm, body, way = walker(field_on(["......"], [(0, 0)]), 1.0, start=(2.0, 0.0))
    fsm.start()
    fsm.update(0.5)
    body.position = (5.0, 0.0)
    fsm.update(1.0)
    assert (body.position, way.leg) == ((4.0, 0.0), ((4, 0), (3, 0)))


def test_from_a_wall_it_steps_out() -> None:
    fsm, body, _ = walker(field_on(["#..."], [(3, 0)]), 1.0)
    fsm.start()
    fsm.update(3.0)
    assert (body.position, fsm.current_state.name) == ((3.0, 0.0), "There")


def test_the_field_may_be_a_function_that_is_called_in_every_update() -> None:
    grid = Grid(["......"], compiled=False)
    fields = {"left": grid.field([(0, 0)]), "right": grid.field([(5, 0)])}
    mood = {"now": "right"}
    fsm, body, way = walker(lambda: fields[mood["now"]], 1.0, start=(2.0, 0.0))
    fsm.start()
    fsm.update(1.5)
    mood["now"] = "left"
    fsm.update(1.0)
    assert body.position == (2.5, 0.0)  # from (3.5, 0), which lies on the tile (4, 0), to (3, 0)
    assert way.finishes is None
    fsm.update(9.0)
    assert (body.position, fsm.current_state.name) == ((0.0, 0.0), "There")


def test_a_function_that_returns_something_else_is_reported() -> None:
    fsm, _, _ = walker(lambda: "home")
    with pytest.raises(TypeError, match="FollowField: field must be a flow field"):
        fsm.start()


def test_it_uses_the_time_and_the_space_it_is_given() -> None:
    slow = TimeReference("slow", 0.5)
    fsm, body, _ = walker(field_on(["...."], [(3, 0)]), 2.0, time=slow, space=Space.SELF)
    body.parent = Transform((10.0, 10.0))
    body.local_position = (0.0, 0.0)
    fsm.start()
    fsm.update(1.0)
    assert (body.local_position, body.position) == ((1.0, 0.0), (11.0, 10.0))


def test_the_time_left_over_is_passed_on() -> None:
    there, back = field_on(["...."], [(2, 0)]), field_on(["...."], [(0, 0)])
    body = Transform((0.0, 0.0))
    fsm = Fsm("Walker", carry_time=True)
    fsm.add_state("Go").add_action(
        Sequence(FollowField(body, there, 1.0), FollowField(body, back, 1.0))
    )
    fsm.start()
    fsm.update(3.5)
    assert body.position == (0.5, 0.0)


def test_a_further_axis_stays_as_it_is() -> None:
    fsm, body, _ = walker(field_on(["..."], [(2, 0)]), 1.0, start=(0.0, 0.0, 7.5))
    fsm.start()
    fsm.update(1.5)
    assert body.position == (1.5, 0.0, 7.5)


class Point(NamedTuple):
    x: float
    y: float


class Body:
    def __init__(self, position: Any) -> None:
        self.position = position


@every("position", [(0.0, 0.0), [0.0, 0.0], Point(0.0, 0.0), np.zeros(2), np.zeros(2, np.float32)])
@every("dt", [1 / 60, 0.3, 20.0])
def test_positions_of_any_kind_end_exactly_at_the_goal(position: Any, dt: float) -> None:
    body = Body(position)
    fsm = Fsm("Walker")
    way = fsm.add_state("Go").add_action(FollowField(body, field_on(CORNER, [(2, 3)]), 3.0))
    fsm.start()
    drive(fsm, [dt] * math.ceil(5.0 / 3.0 / dt + 1e-3))
    assert (way.finished, components(body.position)) == (True, (2.0, 3.0))
    assert type(body.position) is type(position)


@pytest.mark.parametrize("speed", [-1.0, math.inf, math.nan])
def test_an_invalid_speed_is_refused(speed: float) -> None:
    field = field_on(["..."], [(2, 0)])
    with pytest.raises(ValueError, match="FollowField"):
        FollowField(Transform(), field, speed)
    fsm, _, _ = walker(field, lambda: speed)
    with pytest.raises(ValueError, match="FollowField"):
        fsm.start()


def test_at_speed_0_it_stays_and_finishes_only_at_the_goal() -> None:
    fsm, body, way = walker(field_on(["..."], [(2, 0)]), 0.0)
    fsm.start()
    fsm.update(99.0)
    assert (body.position, way.finished, way.finishes) == ((0.0, 0.0), False, None)


def test_a_snapshot_goes_on_where_it_was() -> None:
    field = field_on(CORNER, [(2, 3)])
    fsm, body, _ = walker(field, 1.0)
    fsm.start()
    fsm.update(1.75)
    saved = json.loads(json.dumps(snapshot(fsm)))
    again, other, way = walker(field, 1.0, start=body.position)
    restore(again, saved)
    assert way.leg == ((1, 0), (2, 0))
    for machine in (fsm, again):
        machine.update(2.0)
    assert other.position == body.position == (2.0, 1.75)


@pytest.mark.slow
@given(st.integers(0, 10**6), st.floats(0.1, 30.0), st.lists(st.floats(0.0, 3.0), max_size=15))
def test_it_is_always_as_far_along_the_way_as_time_and_speed_say(
    seed: int, speed: float, steps: list[float]
) -> None:
    rng = random.Random(seed)
    rows = [rng.choices((0, 1, 1, 3), k=6) for _ in range(6)]
    rows[0][0] = 1
    field = field_on(rows, [(5, rng.randrange(6))], diagonals=rng.choice([*Diagonals]))
    path = field.path((0, 0))
    length = sum(math.dist(a, b) for a, b in zip(path, [*path][1:], strict=False))
    fsm, body, way = walker(field, speed)
    fsm.start()
    gone = 0.0
    for dt in steps:
        fsm.update(dt)
        gone += speed * dt
        assert way.remaining == pytest.approx(max(0.0, length - gone), abs=1e-6)
    if path.reachable and gone > length:
        assert (body.position, way.blocked) == (path[-1], False)
        assert fsm.current_state.name == "There"
