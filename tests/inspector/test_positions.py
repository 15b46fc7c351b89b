"""Where machines are, what they head for, and the tiles below them, as the map is told."""

from __future__ import annotations

import sys
from array import array
from functools import partial
from math import inf, isnan, nan
from types import SimpleNamespace
from typing import Any

import pytest

from actions import (
    Flee,
    FollowField,
    FollowPath,
    FollowWaypoints,
    Move,
    MoveBy,
    MoveTowards,
    PathMode,
    RunFsm,
    Sequence,
    TimedWait,
)
from fsmkit import Fsm, FsmAction
from fsmkit.inspector.reading.positions import (
    MachinePositions,
    PositionFrame,
    RollCall,
    courses_of,
)
from fsmkit.inspector.reading.world_map import (
    DOWN,
    LONGEST,
    MOST_UNASKED,
    PositionJournal,
    WorldMap,
    tiles_of,
)
from fsmkit.pathfinding import Grid
from fsmkit.space import Space, Transform


def machine(context: object = None, *actions: FsmAction[Any], name: str = "Guard") -> Fsm[Any]:
    fsm = Fsm(name, context=context)
    fsm.add_state("Patrol").add_action(TimedWait(99.0))
    for action in actions:
        fsm.states["Patrol"].add_action(action)
    fsm.start()
    return fsm


def positions_of(*machines: Fsm[Any]) -> MachinePositions:
    return MachinePositions(lambda: machines, lambda fsm: fsm.name)


def read(*machines: Fsm[Any]) -> list[tuple[str, float, float]]:
    """Return who is where."""
    frame = positions_of(*machines).read(0.0)
    assert frame.roll.names is not None
    return [*zip(frame.roll.names, frame.x, frame.y, strict=True)]


def raising() -> object:
    def position(_self: object) -> tuple[float, float]:
        raise RuntimeError("not on the map")

    return type("Raising", (), {"position": property(position)})()


# Where they are


def test_a_machine_is_where_its_context_is() -> None:
    assert read(machine(Transform((1.0, 2.0)))) == [("Guard", 1.0, 2.0)]
    assert read(machine({"position": [3, 4]})) == [("Guard", 3.0, 4.0)]
    assert read(machine(SimpleNamespace(position=(5, 6, 7)))) == [("Guard", 5.0, 6.0)]


def test_else_where_the_first_thing_is_that_one_of_its_actions_moves() -> None:
    cart = Transform((1.0, 2.0))
    inner = machine(None, Move(cart, None, (9.0, 9.0), 1.0), name="Legs")
    inner.stop()
    context = SimpleNamespace(player=Transform((5.0, 5.0)), horse=Transform((6.0, 6.0)))
    assert read(machine(context, RunFsm(inner))) == [("Guard", 1.0, 2.0)]


def test_else_where_the_one_thing_in_its_context_is() -> None:
    one = SimpleNamespace(name="Ada", body=Transform((1.0, 2.0)), lead=(9.0, 9.0))
    two = SimpleNamespace(body=Transform(), player=Transform())
    assert read(machine(one), machine(two)) == [("Guard", 1.0, 2.0)]


def test_a_thing_in_a_context_is_the_place_of_one_machine() -> None:
    town = SimpleNamespace(cart=Transform((1.0, 2.0)))
    drives = Move(town.cart, None, (9.0, 9.0), 1.0)
    assert read(machine(town, name="Gate"), machine(town, name="Night")) == [("Gate", 1.0, 2.0)]
    assert read(machine(town, name="Gate"), machine(town, drives)) == [("Guard", 1.0, 2.0)]


@pytest.mark.parametrize(
    "context",
    [None, 3, "door", SimpleNamespace(position="12"), SimpleNamespace(position=0.5), raising(),
     SimpleNamespace(position={1: 2}), SimpleNamespace(position=(1.0,)), {"position": b"12"}],
)  # fmt: skip
def test_what_is_no_position_is_nowhere(context: object) -> None:
    assert read(machine(context)) == []


def test_a_position_may_come_and_go() -> None:
    context = SimpleNamespace(position=None)
    positions = positions_of(machine(context))
    assert isnan(positions.read(0.0).x[0])
    assert not positions.has_any
    for position in ((1.0, 2.0), (nan, 2.0), (inf, 2.0), (1e300, -1e300), (10**400, 0), "no"):
        context.position = position
        there = positions.read(0.0)
        assert len(there.x) == 1
    assert positions.has_any


def test_a_context_that_is_replaced_takes_the_machine_along() -> None:
    fsm = machine(Transform((1.0, 1.0)))
    positions = positions_of(fsm)
    positions.read(0.0)
    fsm.context = Transform((2.0, 2.0))
    assert [*positions.read(0.0).x] == [2.0]
    fsm.context = None
    assert [*positions.read(0.0).x] == []


def test_a_machine_that_gets_a_position_later_is_found() -> None:
    fsm = machine()
    positions = positions_of(fsm)
    assert [*positions.read(0.0).x] == []
    fsm.context = Transform((3.0, 3.0))
    assert [*positions.read(0.0).x] == [3.0]


def test_states_have_numbers_and_who_is_not_running_has_none() -> None:
    one, other = machine(Transform()), machine(Transform(), name="Cook")
    positions = positions_of(one, other)
    other.stop()
    assert [*positions.read(0.0).states] == [1, 0]
    assert positions.numbers.names == ["Patrol"]


def test_who_joins_and_leaves_makes_another_roll() -> None:
    machines = [machine(Transform(), name=name) for name in ("Ada", "Ben")]
    present = tuple(machines)
    positions = MachinePositions(lambda: present, lambda fsm: fsm.name)
    first = positions.read(0.0).roll
    assert positions.read(0.0).roll is first
    present = (machines[1],)
    second = positions.read(0.0).roll
    assert (first.names, second.names) == (("Ada", "Ben"), ("Ben",))
    assert second.number != first.number


# What they head for


def courses(fsm: Fsm[Any]) -> list[tuple[str, tuple[tuple[float, float], ...]]]:
    return [(each["kind"], each["points"]) for each in courses_of(fsm)]


def test_the_way_ahead_is_a_course() -> None:
    body = Transform((0.0, 0.0))
    corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0)]
    around = machine(None, FollowWaypoints(body, corners, 2.0))
    assert courses(around) == [("way", ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 0.0)))]
    along = machine(None, FollowPath(Transform((1.0, 0.0)), corners, 1.0))
    along.update(1.0)
    assert courses(along) == [("way", ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0)))]
    grid = Grid(["..", ".."], compiled=False, neighbours=4)
    herd = machine(None, FollowField(Transform((0.0, 0.0)), grid.field([(1, 1)]), 1.0))
    herd.update(0.5)
    [(kind, points)] = courses(herd)
    assert (kind, points[0], points[-1]) == ("way", (0.5, 0.0), (1.0, 1.0))
    assert courses(machine(None, Move(Transform(), None, (8.0, 0.0), 1.0))) == [
        ("way", ((0.0, 0.0), (8.0, 0.0)))
    ]
    assert courses(machine(None, MoveBy(Transform((1.0, 1.0)), (1.0, 0.0), 1.0))) == [
        ("way", ((1.0, 1.0), (2.0, 1.0)))
    ]


def test_a_ping_pong_goes_back_as_it_came() -> None:
    fsm = machine(
        None,
        FollowWaypoints(
            Transform((0.0, 0.0)), [(0.0, 0.0), (4.0, 0.0)], 2.0, mode=PathMode.PING_PONG
        ),
    )
    fsm.update(3.0)
    assert courses(fsm) == [("way", ((2.0, 0.0), (0.0, 0.0)))]


def test_a_target_is_a_course_and_a_function_is_not_called() -> None:
    cat, mouse = Transform((0.0, 0.0)), Transform((3.0, 4.0))
    line = ("target", ((0.0, 0.0), (3.0, 4.0)))
    assert courses(machine(None, MoveTowards(cat, mouse, 1.0), Flee(cat, mouse, 0.0))) == [line]
    called: list[object] = []

    def target() -> tuple[float, float]:
        called.append(True)
        return 1.0, 1.0

    fsm = machine(None, MoveTowards(cat, target, 0.0))
    called.clear()
    assert courses(fsm) == []
    assert called == []


def test_only_what_is_under_way_has_a_course() -> None:
    cat = Transform((0.0, 0.0))
    done, later = MoveBy(cat, (1.0, 0.0), 1.0), MoveBy(cat, (0.0, 1.0), 1.0)
    fsm = machine(None, Sequence(done, later))
    assert courses(fsm) == [("way", ((0.0, 0.0), (1.0, 0.0)))]
    fsm.update(1.0)
    fsm.update(0.5)
    assert courses(fsm)[-1][1][-1] == (1.0, 1.0)
    fsm.stop()
    assert courses(fsm) == []


def test_positions_of_another_space_are_not_drawn() -> None:
    rider = Transform((0.0, 0.0), parent=Transform((9.0, 9.0)))
    fsm = machine(None, Move(rider, None, (1.0, 0.0), 1.0, space=Space.SELF))
    assert courses(fsm) == []


def test_an_action_of_ones_own_says_its_way() -> None:
    class Fly(FsmAction[Any]):
        transform = Transform((0.0, 0.0))

        def __init__(self, way: object) -> None:
            self._way_ = way

    assert courses(machine(None, Fly([(1, 2), Transform((3.0, 4.0))]))) == [
        ("way", ((0.0, 0.0), (1.0, 2.0), (3.0, 4.0)))
    ]
    for odd in (None, 5, ["x"], [(nan, 1.0)], [(1.0, 2.0), None]):
        assert courses(machine(None, Fly(odd))) == []


# The past


def frame(time: float, count: int = 1) -> PositionFrame:
    xs = array("d", [time] * count)
    return PositionFrame(time, RollCall(1, None, count), xs, xs, array("H", [1] * count))


def test_the_last_minutes_are_kept() -> None:
    journal = PositionJournal()
    kept: list[float] = []
    for tick in range(int(LONGEST * 4) + 400):
        if journal.is_due(tick / 4):
            journal.keep(frame(tick / 4))
            kept.append(tick / 4)
    assert kept[:4] == [0.0, 0.5, 1.0, 1.5]
    assert journal.begun == kept[-1] - LONGEST
    last = [each.time for each in journal.between(kept[-1] - 2.0, kept[-1])]
    assert last == [kept[-1] - 1.5, kept[-1] - 1.0, kept[-1] - 0.5]
    then = journal.at(200.2)
    assert then is not None
    assert then.time == 200.0
    assert journal.at(3.0) is None


def test_of_many_fewer_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmkit.inspector.reading.world_map.LARGEST_REWIND", 18_000)
    journal = PositionJournal()
    for tick in range(1_000):
        if journal.is_due(tick / 10):
            journal.keep(frame(tick / 10, count=100))
    assert [each.time for each in journal.between(-1.0, 1e9)] == [80.0 + 2 * n for n in range(10)]


def test_an_answer_holds_so_many_positions_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmkit.inspector.reading.world_map.MOST_POINTS", 5)
    journal = PositionJournal()
    for time in range(10):
        journal.keep(frame(float(time), count=2))
    assert [each.time for each in journal.between(-1.0, 99.0)] == [8.0, 9.0]


def test_of_very_many_machines_the_past_begins_when_the_map_is_opened() -> None:
    machines = tuple(machine(Transform(), name=f"Bee {n}") for n in range(MOST_UNASKED + 1))
    world = WorldMap(positions_of(*machines))
    world.after_update(1.0)
    assert world.journal.begun is None
    assert world.is_shown  # it can be opened
    world.positions(1.0, -1, 0, 0.0)
    world.after_update(2.0)
    assert world.journal.begun == 2.0


# Tiles


def tiles(*machines: Fsm[Any]) -> Any:
    return WorldMap(positions_of(*machines), lambda: machines).tiles(None)


def test_the_grid_is_found_in_contexts_and_in_actions() -> None:
    grid = Grid(["..#", "..."], compiled=False, tile_size=(2.0, 4.0), origin=(1.0, 2.0))
    town = SimpleNamespace(grid=grid)
    walker = FollowField(Transform(), grid.field([(0, 0)]), 1.0)
    for found in (
        tiles(machine(town)),
        tiles(machine(SimpleNamespace(town=town))),
        tiles(machine(None), machine(None, walker)),
    ):
        assert found["costs"] == "AQEAAQEB"
        del found["costs"]
        assert found == {
            "number": 1, "version": 0, "columns": 3, "rows": 2,
            "left": 1.0, "top": 2.0, "width": 2.0, "height": 4.0,
        }  # fmt: skip
    assert tiles(machine(None, TimedWait(1.0))) is None


def test_costs_are_shades_and_a_huge_map_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = Grid([[1.0, 2.0, 9.0, 0.0]], compiled=False)
    assert tiles_of(grid)["costs"] == "AWXJAA=="  # 1, 101, 201, and 0 for the wall
    monkeypatch.setattr("fsmkit.inspector.reading.world_map.MOST_TILES", 3)
    assert tiles_of(grid)["costs"] is None


def test_a_change_of_the_grid_is_told() -> None:
    grid = Grid(["..", ".."], compiled=False)
    fsm = machine(SimpleNamespace(grid=grid, body=Transform()))
    world = WorldMap(positions_of(fsm), partial(tuple, [fsm]))
    world.tiles(fsm)
    grid.set_cost((0, 0), 0.0)
    assert world.positions(0.0, -1, 0, 0.0)["grounds"] == {1: 1}


def test_the_y_axis_points_down_where_an_engine_has_it_so(monkeypatch: pytest.MonkeyPatch) -> None:
    world = WorldMap(positions_of(machine(Transform())))
    for name in DOWN:
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert world.positions(0.0, -1, 0, 0.0)["up"]
    monkeypatch.setitem(sys.modules, "pygame", pytest)
    assert not world.positions(0.0, -1, 0, 0.0)["up"]
