"""The map's data over the socket: where everybody is, was, and heads for."""

from __future__ import annotations

import json
import struct
from base64 import b64decode
from collections.abc import Callable, Mapping
from itertools import pairwise
from math import isnan, nan
from types import SimpleNamespace
from typing import Any

import pytest

from actions import FollowWaypoints, MoveTowards, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.pathfinding import Grid
from fsmkit.recording import Recording
from fsmkit.space import Transform

Open = Callable[..., Any]

DT = 1 / 64
WAYS = ("server", "inside")

NEW = {"roll": -1, "states": 0}
"""What a page knows at first."""


def walker(name: str = "Guard", x: float = 0.0) -> Fsm[Any]:
    """A machine that waits for half a second, then walks along the x axis, a unit a second."""
    fsm = Fsm(name, context=Transform((x, 2.0)))
    wait, walk = fsm.add_state("Wait"), fsm.add_state("Walk")
    wait.add_action(TimedWait(0.5))
    wait.add_transition(FINISHED, walk)
    walk.add_action(MoveTowards(fsm.context, (x + 100.0, 2.0), 1.0))
    fsm.start()
    return fsm


def numbers(frame: Mapping[str, Any], axis: str) -> list[float]:
    data = b64decode(frame[axis])
    kind = "d" if frame["bits"] == 64 else "f"
    origin = frame["origin"][axis == "y"]
    return [
        number + origin
        for number in struct.unpack(f"<{len(data) // (frame['bits'] // 8)}{kind}", data)
    ]


def states(answer: Mapping[str, Any], frame: Mapping[str, Any]) -> list[str | None]:
    data = b64decode(frame["states"])
    known = [None, *answer["states"]]
    return [known[number] for number in struct.unpack(f"<{len(data) // 2}H", data)]


def test_a_page_is_told_where_everybody_is_now(inspected: Open) -> None:
    page = inspected(FsmGroup([walker("Ada", 1.0), walker("Ben", 5.0), Fsm("Siren")]))
    page.frame(lambda frame: frame["has_map"])
    answer = page.ask("positions", **NEW, since=0.0)
    now = answer["frames"][-1]
    assert answer["rolls"] == {str(now["roll"]): [2, ["Ada", "Ben"]]}
    assert states(answer, now) in (["Wait", "Wait"], ["Walk", "Walk"])
    assert numbers(now, "y") == [2.0, 2.0]
    one, other = numbers(now, "x")
    assert other - one == 4.0
    known = {"roll": now["roll"], "states": len(answer["states"])}
    again = page.ask("positions", **known, since=now["time"])
    assert (again["rolls"], again["states"]) == ({}, [])
    assert [frame["time"] > now["time"] for frame in again["frames"]] == [True] * len(
        again["frames"]
    )


@pytest.mark.slow
def test_the_past_is_there_before_the_map_is_opened(inspected: Open) -> None:
    fsm = walker()
    page = inspected(fsm)
    page.frame(lambda frame: frame["clock"] > 4.0)
    answer = page.ask("positions", **NEW, since=0.0, until=3.0)
    times = [frame["time"] for frame in answer["frames"]]
    assert times == sorted(times)
    assert all(later - one <= 0.52 for one, later in pairwise(times))
    assert 2.4 < times[-1] <= 3.0
    last = answer["frames"][-1]
    assert numbers(last, "x")[0] == pytest.approx(times[-1] - 0.5, abs=2 * DT)
    assert states(answer, last) == ["Walk"]
    assert states(answer, answer["frames"][0]) == ["Wait"]
    assert answer["courses"] == []
    before = page.ask("positions", **NEW, since=-9.0, until=-1.0)
    assert before["frames"] == []
    assert 0.0 <= before["begun"] <= 2 * DT


def test_what_actions_head_for_is_told_for_now(inspected: Open) -> None:
    fsm = Fsm("Guard", context=Transform((0.0, 0.0)))
    corners = [(0.0, 0.0), (90.0, 0.0), (90.0, nan)]
    fsm.add_state("Patrol").add_action(FollowWaypoints(fsm.context, corners[:2], 0.0))
    fsm.start()
    page = inspected(fsm)
    [course] = page.ask("positions", **NEW, since=0.0)["courses"]
    assert course == {"machine": 0, "kind": "way", "points": [[0.0, 0.0], [90.0, 0.0], [0.0, 0.0]]}


def test_the_tiles_are_those_that_the_machine_knows(inspected: Open) -> None:
    yard = SimpleNamespace(grid=Grid(["..", "##"], compiled=False))
    hall = SimpleNamespace(grid=Grid(["."], compiled=False), body=Transform())
    group = FsmGroup([Fsm("Yard", context=yard), Fsm("Hall", context=hall), Fsm("Siren")])
    page = inspected(group)
    found = {name: page.ask("tiles", machine=name)["tiles"] for name in ("Yard", "Hall", "Siren")}
    assert {name: (each["number"], each["columns"]) for name, each in found.items()} == {
        "Yard": (1, 2), "Hall": (2, 1), "Siren": (1, 2),
    }  # fmt: skip
    yard.grid.set_cost((0, 0), 0.0)
    assert page.ask("positions", **NEW, since=0.0)["grounds"] == {"1": 1, "2": 0}
    hall.grid = Grid(["...."], compiled=False)
    other = page.ask("tiles", machine="Hall", number=2, version=0)["tiles"]
    assert (other["number"], other["columns"]) == (3, 4)
    assert page.ask("tiles", machine="Hall", number=3, version=0)["tiles"] == {"number": 3}
    assert page.ask("tiles", machine="Nobody")["error"].startswith("'Nobody' is not")


@pytest.mark.slow
def test_there_is_no_map_if_nobody_has_a_position(inspected: Open) -> None:
    fsm = Fsm("Siren", context=SimpleNamespace(position=None))
    fsm.add_state("Quiet")
    fsm.start()
    page = inspected(fsm)
    assert not page.frame(lambda frame: frame["clock"] > 1.0)["has_map"]
    fsm.context.position = (nan, 1.0)
    assert not page.frame(lambda frame: frame["clock"] > 2.0)["has_map"]
    fsm.context.position = (1.0, 1.0)
    page.frame(lambda frame: frame["has_map"])


def test_odd_numbers_stay_valid_messages(inspected: Open) -> None:
    fsm = Fsm("Ghost", context=SimpleNamespace(position=(nan, float("inf"))))
    fsm.add_state("Haunt").add_action(TimedWait(99.0))
    fsm.start()
    page = inspected(fsm)
    for position in ((nan, 1.0), (1e300, -1e300), (10**400, 1.0), "here", None, (1.0, 2.0, 3.0)):
        fsm.context.position = position
        answer = page.ask("positions", **NEW, since=0.0)
        json.dumps(answer, allow_nan=False)
        assert len(numbers(answer["frames"][-1], "x")) == 1
    assert [numbers(answer["frames"][-1], axis) for axis in "xy"] == [[1.0], [2.0]]


@pytest.mark.slow
def test_a_replayed_recording_has_a_map_and_one_alone_has_none(shown: Open) -> None:
    fsm = walker()
    fsm.stop()
    with Recording(fsm) as recording:
        fsm.start()
        for _ in range(128):
            fsm.update(DT)
    page = shown(recording, build=lambda: stopped(walker()))
    page.frame(lambda frame: frame["has_map"])
    for time in (2.0, 1.0):
        page.ask("seek", time=time)
        page.frame(lambda frame, time=time: frame["clock"] == time and not frame["seeking"])
        answer = page.ask("positions", **NEW, since=0.0)
        [now] = answer["frames"]
        assert now["time"] == pytest.approx(time, abs=DT)
        assert numbers(now, "x")[0] == pytest.approx(time - 0.5, abs=3 * DT)
    assert page.ask("tiles", machine="Guard")["tiles"] is None
    alone = shown(recording)
    assert not alone.frame()["has_map"]
    assert "holds no positions" in alone.ask("positions", **NEW, since=0.0)["error"]


def stopped(fsm: Fsm[Any]) -> Fsm[Any]:
    fsm.stop()
    return fsm


@pytest.mark.slow
def test_a_crowd_is_where_its_coordinates_say(inspected: Open) -> None:
    pytest.importorskip("numba")
    page = inspected(crowd(5))
    page.frame(lambda frame: frame["has_map"])
    name = page.ask("agent", index=3)["machine"]
    answer = page.ask("positions", **NEW, since=0.0)
    now = answer["frames"][-1]
    assert answer["rolls"] == {"5": [5, None]}
    assert (now["bits"], answer["agents"]) == (32, {name: 3})
    assert numbers(now, "x") == pytest.approx([1e7, 1e7 + 1.0, 1e7 + 2.0, 1e7 + 3.0, 1e7 + 4.0])
    assert isnan(numbers(now, "y")[4])
    assert states(answer, now) == ["Swim"] * 4 + [None]
    past = page.ask("positions", **NEW, since=0.0, until=0.0)
    assert (len(past["frames"]), past["agents"]) == (0, {})
    assert page.ask("tiles", machine="Fish")["tiles"] is None


@pytest.mark.slow
def test_a_crowd_without_coordinates_has_no_map(inspected: Open) -> None:
    pytest.importorskip("numba")
    page = inspected(crowd(2, of="Plain"))
    assert not page.frame()["has_map"]
    assert page.ask("positions", **NEW, since=0.0)["frames"][0]["x"] == ""


def crowd(size: int, of: str = "Fish") -> Any:
    from attrs import define

    from fsmkit.crowd import Crowd, CrowdFsm

    @define
    class Fish:
        x: float = 0.0
        y: float = 0.0

    @define
    class Plain:
        x: float = 0.0

    machine = CrowdFsm("Fish", {"Fish": Fish, "Plain": Plain}[of])
    machine.add_state("Swim")
    made = Crowd(machine, size, engine="python")
    made["x"][:] = [1e7 + index for index in range(size)]
    if of == "Fish":
        made["y"][4] = nan
        made.start("Swim", [0, 1, 2, 3])
    return made
