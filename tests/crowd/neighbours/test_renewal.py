"""When neighbours are renewed, what is refused, and how it fits with the rest of a crowd."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define
from every import every

from fsmkit.crowd import Cells, Crowd, CrowdAction, CrowdError, CrowdFsm, Places, spawn


@define
class Person:
    x: float = 0.0
    y: float = 0.0
    lane: int = 0
    place: int = 0
    worn: bool = False
    near: int = 0
    near_ill: int = 0
    share: float = 0.0
    gap: float = 0.0
    total: int = 0
    Ill: bool = False
    seen: int = 0


@define
class World:
    dt: float = 0.0


def walk(person: Person, world: World) -> str | None:
    person.seen = person.seen * 10 + person.near_ill
    person.x += 1.0 * world.dt
    return "CAUGHT" if person.near_ill > 0 else None


def bear(person: Person, world: World) -> str:
    spawn(person, start="Young", x=person.x + 1.0)
    spawn(person, start="Young", x=person.x + 1.5)
    return "DIE"


def build() -> CrowdFsm:
    machine = CrowdFsm("Person", Person, World)
    well, sick, gone = (machine.add_state(name) for name in ("Well", "Sick", "Gone"))
    well.add_action(CrowdAction(on_update=walk))
    well.add_transition("CAUGHT", sick)
    well.add_transition("GO", gone)
    return machine


MACHINE = build()


def crowd_at(*x: float, engine: Any = "python", **options: Any) -> Crowd:
    crowd = Crowd(MACHINE, len(x), start="Well", engine=engine, **options)
    crowd["x"] = list(x)
    return crowd


# When


@pytest.mark.slow
def test_it_is_written_at_once_and_before_each_step() -> None:
    crowd = crowd_at(0.0, 1.0, 2.0, 3.0)
    crowd.start("Sick", where=[0])
    cells = Cells(crowd, "x", size=1.5)
    cells.count(into="near_ill", where="Sick")
    assert crowd["near_ill"].tolist() == [0, 1, 0, 0]
    crowd.update(0.0)
    assert crowd.states.tolist() == [1, 1, 0, 0]
    assert crowd["near_ill"].tolist() == [0, 1, 0, 0]  # of before the step
    crowd.update(0.0, steps=2)
    assert crowd.states.tolist() == [1, 1, 1, 1]
    assert crowd["seen"].tolist() == [0, 1, 1, 1]


def test_the_same_quantity_may_be_declared_again_and_is_written_at_once() -> None:
    crowd = crowd_at(0.0, 1.0, 2.0)
    cells = Cells(crowd, "x", size=1.5)
    found = []
    for x in (2.0, 9.0, 1.0):
        crowd["x"][2] = x
        cells.count(into="near")
        cells.mean("x", into="share", otherwise=math.nan)
        cells.nearest(distance="gap", values={"x": "y"}, otherwise=float("nan"))
        found.append((crowd["near"].tolist(), crowd["gap"].tolist()))
    assert found == [
        ([1, 2, 1], [1.0, 1.0, 1.0]),
        ([1, 1, 0], [1.0, 1.0, math.inf]),
        ([2, 2, 2], [1.0, 0.0, 0.0]),
    ]
    [declared] = crowd.neighbours.declarations
    assert declared.written == ("near", "share", "gap", "y")


def test_what_was_closed_is_gone_when_something_else_is_declared() -> None:
    crowd = crowd_at(0.0, 1.0, 2.0)
    crowd.start("Sick", where=[0])
    cells = Cells(crowd, "x", size=1.5)
    cells.count(into="near")
    cells.close()
    cells.close()
    cells.count(into="near", where="Sick")
    crowd["x"] = [0.0, 0.0, 0.0]
    crowd.update(0.0)
    assert crowd["near"].tolist() == [0, 1, 1]
    [declared] = crowd.neighbours.declarations
    assert declared.written == ("near",)


@pytest.mark.slow
def test_another_object_may_declare_the_same_quantity() -> None:
    crowd = crowd_at(0.0, 1.0, 2.0)
    first = Cells(crowd, "x", size=1.5)
    first.count(into="near")
    Places(crowd, "place").count(into="total")
    crowd["x"][2] = 9.0
    second = Cells(crowd, "x", size=1.5)
    second.count(into="near")
    assert crowd["near"].tolist() == [1, 1, 0]
    second.close()  # it declared nothing of its own
    second.count(into="seen")
    assert [each.written for each in crowd.neighbours.declarations] == [
        ("near",), ("total",), ("seen",),
    ]  # fmt: skip
    first.close()
    assert [each.written for each in crowd.neighbours.declarations] == [("total",), ("seen",)]


@pytest.mark.parametrize(
    "declare",
    [
        lambda crowd, cells: cells.count(into="near", where="Sick"),
        lambda crowd, cells: cells.count(into="near", within=1.0),
        lambda crowd, cells: cells.sum("total", into="near"),
        lambda crowd, cells: cells.nearest(id="near"),
        lambda crowd, cells: Cells(crowd, "x", size=2.0).count(into="near"),
        lambda crowd, cells: Cells(crowd, "y", size=1.5).count(into="near"),
        lambda crowd, cells: Cells(crowd, "x", size=1.5, around=9.0).count(into="near"),
        lambda crowd, cells: Places(crowd, "place").count(into="near"),
    ],
)
def test_another_quantity_into_the_same_field_is_refused(declare: Any) -> None:
    crowd = crowd_at(0.0, 1.0, 2.0)
    cells = Cells(crowd, "x", size=1.5)
    cells.count(into="near")
    crowd["near"] = [7, 8, 9]
    with pytest.raises(CrowdError, match="'near' is written by"):
        declare(crowd, cells)
    assert crowd["near"].tolist() == [7, 8, 9]
    assert [each.written for each in crowd.neighbours.declarations] == [("near",)]


def test_events_and_starts_do_not_renew_it() -> None:
    crowd = crowd_at(0.0, 1.0)
    Cells(crowd, "x", size=1.5).count(into="near")
    crowd["x"] = [0.0, 9.0]
    crowd.send_event("GO")
    crowd.start("Well")
    assert crowd["near"].tolist() == [1, 1]
    crowd.update(0.0)
    assert crowd["near"].tolist() == [0, 0]


@pytest.mark.slow
def test_what_is_declared_later_sees_what_was_declared_before() -> None:
    crowd = crowd_at(0.0, 1.0, 2.0)
    Cells(crowd, "x", size=1.5).count(into="near")
    Places(crowd, "place").sum("near", into="total")
    assert crowd["total"].tolist() == [3, 2, 3]
    crowd["x"] = [0.0, 0.0, 9.0]
    crowd.update(0.0)
    assert crowd["total"].tolist() == [1, 1, 2]


def test_a_field_may_be_read_and_written_by_the_same_quantity() -> None:
    crowd = crowd_at(0.0, 1.0, 2.0)
    crowd["near"] = [1, 10, 100]
    Cells(crowd, "x", size=1.5).sum("near", into="near")
    assert crowd["near"].tolist() == [10, 101, 10]


def test_agents_may_be_added_and_removed() -> None:
    crowd = crowd_at(0.0, 1.0, 2.0)
    Cells(crowd, "x", size=1.5).nearest(distance="gap", id="near")
    crowd.add(2, x=[3.0, 3.5], start="Well")
    assert crowd["near"].tolist() == [1, 0, 1, 0, 0]  # the new ones see in the next step
    crowd.update(0.0)
    assert crowd["near"].tolist() == [1, 0, 1, 4, 3]
    crowd.remove([0, 3])
    crowd.update(0.0)
    assert crowd["near"].tolist() == [2, 1, 2]  # ids
    crowd.remove([0, 1, 2])
    crowd.update(0.0)
    assert len(crowd) == 0


@pytest.mark.slow
def test_rows_of_removed_agents_belong_to_nobody() -> None:
    for engine in ("python", "compiled"):
        crowd = crowd_at(*map(float, range(40)), engine=engine)
        crowd["place"] = np.arange(40) // 4
        Cells(crowd, "x", size=1.5).nearest(distance="gap", id="near", ahead=True)
        Places(crowd, "place").count(into="near_ill")
        crowd.remove([3, 20])
        crowd.update(0.0)
        left = [i for i in range(40) if i not in {3, 20}]
        assert crowd["near"].tolist() == [i + 1 if i + 1 in left else -1 for i in left]
        assert crowd["near_ill"].tolist() == [2 if i // 4 in {0, 5} else 3 for i in left]


def test_newborn_agents_are_seen_in_the_next_step_and_dead_ones_no_longer() -> None:
    machine = CrowdFsm("Person", Person, World)
    young, old = machine.add_state("Young"), machine.add_state("Old")
    dead = machine.add_state("Dead", retire=True)
    old.add_action(CrowdAction(on_update=bear))
    old.add_transition("DIE", dead)
    assert young is not old
    crowd = Crowd(machine, 20, start="Young", engine="python")
    crowd["x"] = np.arange(20) * 2.0
    crowd.start("Old", where=[4])
    Cells(crowd, "x", size=1.0).count(into="near")
    Cells(crowd, "x", size=2.0).nearest(id="seen", ahead=True)
    crowd.update(1.0)
    assert crowd.ids.tolist() == [0, 1, 2, 3, *range(5, 22)]
    assert crowd["near"].tolist() == [0] * 21
    crowd.update(1.0)
    assert crowd["near"].tolist() == [0, 0, 0, 0, 2, *[0] * 14, 2, 2]
    assert crowd["seen"].tolist() == [1, 2, 3, -1, *range(6, 20), -1, 21, 5]


@pytest.mark.slow
def test_a_saved_crowd_continues_with_what_was_declared(tmp_path: Path) -> None:
    crowd = crowd_at(0.0, 1.0)
    Cells(crowd, "x", size=1.5).count(into="near", where=["Well", "Sick"])
    Places(crowd, "place").share("Sick", into="share", otherwise=math.nan)
    crowd.save(tmp_path / "crowd.npz")
    again = Crowd.load(MACHINE, tmp_path / "crowd.npz", engine="python")
    assert again["near"].tolist() == [1, 1]
    assert again.neighbours.declarations == crowd.neighbours.declarations
    again["x"] = [0.0, 9.0]
    assert again["near"].tolist() == [1, 1]
    again.update(0.0)
    assert again["near"].tolist() == [0, 0]
    Cells(again, "x", size=1.5).count(into="near", where=["Well", "Sick"])
    assert again.neighbours.declarations == crowd.neighbours.declarations


@pytest.mark.parametrize(
    "neighbours",
    [
        [1],
        [{"type": "Choice"}],
        [{"type": "Elsewhere"}],
        [{"type": "AtPlaces", "name": "Places('x')"}],
        [{"type": "AtPlaces", "name": "Places('nowhere')", "place": "nowhere"}],
    ],
)
def test_a_file_with_other_declarations_is_damaged(tmp_path: Path, neighbours: Any) -> None:
    path = tmp_path / "crowd.npz"
    crowd_at(0.0, 1.0).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    heading = json.loads(str(arrays["heading"])) | {"neighbours": neighbours}
    np.savez(path, **{**arrays, "heading": np.array(json.dumps(heading))})
    with pytest.raises(CrowdError, match="is not a crowd, or is damaged"):
        Crowd.load(MACHINE, path, engine="python")


def test_a_promoted_agent_has_what_was_written() -> None:
    crowd = crowd_at(0.0, 1.0)
    crowd.start("Sick", where=[0])
    Cells(crowd, "x", size=1.5).count(into="near_ill", where="Sick")
    fsm = crowd.fsm(1)
    fsm.update(0.0)
    assert fsm.current_state is not None
    assert fsm.current_state.name == "Sick"
    crowd.put(1, fsm)
    crowd.update(0.0)
    assert crowd["near_ill"].tolist() == [1, 1]


def test_small_floats_are_rounded_when_they_are_stored() -> None:
    crowd = crowd_at(0.1, 0.8, dtype="float32")
    Cells(crowd, "x", size=1.5).nearest(distance="gap")
    x = crowd["x"].astype(float)
    assert crowd["gap"].dtype == np.float32
    assert crowd["gap"].tolist() == [np.float32(x[1] - x[0])] * 2


@pytest.mark.slow
def test_both_engines_take_the_same_course() -> None:
    courses = []
    for engine in ("python", "compiled"):
        crowd = crowd_at(*(i * i % 37 / 4 for i in range(40)), engine=engine)
        crowd["place"] = np.arange(40) % 7
        crowd.start("Sick", where=[3])
        Cells(crowd, "x", "y", size=0.5, around=(9.0, None)).count(into="near_ill", where="Sick")
        Places(crowd, "place").share("Sick", into="share")
        course = []
        for _ in range(6):
            crowd.update(0.1)
            course.append((crowd.states.tolist(), crowd["seen"].tolist(), crowd["share"].tolist()))
        courses.append(course)
    assert courses[0] == courses[1]
    assert courses[0][0] != courses[0][-1]


@pytest.mark.slow
def test_closed_ones_are_no_longer_written() -> None:
    crowd = crowd_at(0.0, 1.0)
    cells = Cells(crowd, "x", size=1.5)
    cells.count(into="near")
    cells.close()
    cells.close()
    crowd["x"] = [0.0, 9.0]
    crowd.update(0.0)
    assert crowd["near"].tolist() == [1, 1]
    Places(crowd, "place").count(into="near_ill", where="Sick")
    Cells(crowd, "x", size=1.5).count(into="near")
    assert crowd["near"].tolist() == [0, 0]


def test_whoever_is_not_running_has_a_place_but_no_state() -> None:
    crowd = crowd_at(0.0, 1.0)
    crowd.add(1, x=0.5)
    cells = Cells(crowd, "x", size=1.5)
    cells.count(into="near")
    cells.count(into="near_ill", where=["Well", "Sick", "Gone"])
    assert crowd["near"].tolist() == [2, 2, 2]
    assert crowd["near_ill"].tolist() == [1, 1, 2]


def test_a_state_is_given_as_itself_by_name_or_with_others() -> None:
    crowd = crowd_at(0.0, 1.0, 1.2)
    crowd.start("Sick", where=[1])
    crowd.start("Gone", where=[2])
    cells = Cells(crowd, "x", size=1.5)
    cells.count(into="near_ill", where=MACHINE.states["Sick"])
    cells.count(into="near", where=("Sick", MACHINE.states["Gone"]))
    assert crowd["near_ill"].tolist() == [1, 0, 1]
    assert crowd["near"].tolist() == [2, 1, 1]


# The world


@pytest.mark.slow
def test_far_away_agents_do_not_take_memory() -> None:
    far = [0.0, 0.5, 1e15, 1e15 + 0.5, -1e300, 1e300, 1e300, 3e7, 3e7 + 0.25]
    for engine in ("python", "compiled"):
        crowd = crowd_at(*far, engine=engine)
        crowd["y"] = np.arange(9) * 1e7
        Cells(crowd, "x", "y", size=1.0).count(into="near")
        assert crowd["near"].tolist() == [0] * 9
        crowd["y"] = 0.0
        crowd.update(0.0)
        assert crowd["near"].tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]


@pytest.mark.slow
def test_many_at_one_spot_are_all_near() -> None:
    crowd = crowd_at(*[0.25] * 5_000, engine="compiled")
    crowd["lane"] = np.arange(5_000)
    cells = Cells(crowd, "x", "y", size=1.0)
    cells.count(into="near")
    cells.sum("lane", into="total")
    assert set(crowd["near"].tolist()) == {4_999}
    assert (crowd["total"] == 4_999 * 2_500 - np.arange(5_000)).all()


# What is refused


@pytest.mark.slow
def test_agents_without_places_are_refused_instead_of_never_ending() -> None:
    crowd = crowd_at(*[0.0] * 30_000, engine="compiled")
    cells = Cells(crowd, "x", size=1.0)
    message = refused(lambda: cells.count(into="near"))
    assert message == (
        "Cells('x', size=1.0): the agents are too close together: each has to be compared "
        "with about 30,000 others. Give them their places before you declare what they see, "
        "or use a smaller size."
    )
    crowd["x"] = np.arange(30_000)
    cells.count(into="near")
    assert crowd["near"].sum() == 2 * 29_999


def refused(work: Any) -> str:
    with pytest.raises(CrowdError) as caught:
        work()
    return str(caught.value)


def test_values_that_are_not_finite_are_refused_before_anything_is_written() -> None:
    crowd = crowd_at(0.0, 1.0, 2.0)
    cells = Cells(crowd, "x", size=1.5)
    cells.count(into="near")
    cells.mean("gap", into="share")
    crowd.remove([0])
    crowd["x"] = [math.nan, math.inf]
    crowd["near"] = 77
    expected = (
        "'x' of agent 1: Cells('x', size=1.5) has it as a coordinate, so it must be finite, got "
        "nan, and 1 more. Look for it with crowd.ids and the column."
    )
    assert refused(lambda: crowd.update(1.0)) == expected
    assert (crowd.time, crowd["near"].tolist()) == (0.0, [77, 77])
    crowd["x"] = 0.0
    crowd["gap"] = [0.0, math.inf]
    assert refused(lambda: crowd.update(1.0)) == (
        "'gap' of agent 2: Cells('x', size=1.5) adds it up, so it must be finite, got inf. Look "
        "for it with crowd.ids and the column."
    )
    assert (crowd.time, crowd["near"].tolist()) == (0.0, [77, 77])
    crowd["gap"] = 0.0
    crowd.update(1.0)
    assert crowd["near"].tolist() == [1, 1]


def test_whole_numbers_that_may_not_fit_are_refused() -> None:
    crowd = crowd_at(0.0, 1.0)
    crowd["lane"] = [2**62, -(2**63)]
    assert refused(lambda: Cells(crowd, "x", size=1.0).sum("lane", into="total")) == (
        "Cells('x', size=1.0): the sum of 'lane' may not fit into 64 bits, with 2 agents and "
        "values up to 9223372036854775808. Make it a field of floats."
    )
    Cells(crowd, "x", size=1.0).least("lane", into="total", otherwise=0)
    assert crowd["total"].tolist() == [-(2**63), 2**62]


def test_a_field_is_written_by_one_declaration() -> None:
    crowd = crowd_at(0.0, 1.0)
    cells = Cells(crowd, "x", size=1.0)
    cells.count(into="near")
    message = (
        "'near' is written by Cells('x', size=1.0) already. Use another field, or close() "
        "that one first."
    )
    assert refused(lambda: cells.count(into="near", where="Sick")) == message
    assert refused(lambda: Places(crowd, "place").count(into="near")) == message
    assert refused(lambda: cells.nearest(distance="gap", values={"x": "gap"})) == (
        "'gap' must be written once, got 2 times."
    )


@every(
    ("work", "message"),
    [
        (
            lambda crowd: Cells(crowd, "x", "hight", size=1.0),
            (
                "Cells('x', 'hight', size=1.0): a coordinate: Person has no field "
                "'hight'. Its fields: "
                "x, y, lane, place, worn, near, near_ill, share, gap, total, Ill, seen. Add "
                "`hight: float = 0.0` to Person."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "worn", size=1.0),
            "Cells('worn', size=1.0): a coordinate: Person.worn must be float or int, got bool.",
        ),
        (
            lambda crowd: Cells(crowd, size=1.0),
            "Cells(size=1.0) must have 1, 2 or 3 coordinates, got 0.",
        ),
        (
            lambda crowd: Cells(crowd, "x", "x", size=1.0),
            "Cells('x', 'x', size=1.0): the coordinates must be different fields.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=0),
            "Cells('x', size=0): size must be a number >= 1e-100 and <= 1e+100, got 0.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=math.nan),
            "Cells('x', size=nan): size must be a number >= 1e-100 and <= 1e+100, got nan.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size="2"),
            "Cells('x', size='2'): size must be a number >= 1e-100 and <= 1e+100, got '2'.",
        ),
        (
            lambda crowd: Cells(crowd, "x", "y", size=1.0, around=(3.0,)),
            (
                "Cells('x', 'y', size=1.0, around=(3.0,)): around must be a number, or "
                "one for each of "
                "the 2 coordinates, got (3.0,)."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0, around=-3.0),
            (
                "Cells('x', size=1.0, around=-3.0): around must be a number >= 1e-100 and <= "
                "1e+100, got -3.0."
            ),
        ),
        (
            lambda crowd: Cells("crowd", "x", size=1.0),
            "Cells('x', size=1.0): its crowd must be a Crowd, got 'crowd'.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).count(into="ner"),
            (
                "Cells('x', size=1.0): into: Person has no field 'ner'. Its fields: x, y, "
                "lane, place, "
                "worn, near, near_ill, share, gap, total, Ill, seen. Add `ner: int = 0` to Person."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).count(into="worn"),
            "Cells('x', size=1.0): into: Person.worn must be int or float, got bool.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).mean("y", into="near"),
            "Cells('x', size=1.0): into: Person.near must be float, got int.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).count(into="near", within=1.5),
            "Cells('x', size=1.0): within must be at most its size, got 1.5.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).count(into="near", where="Il"),
            (
                "Cells('x', size=1.0): where must be a state, several of them, or a boolean "
                "field, got 'Il'. The states: Well, Sick, Gone. Its boolean fields: worn, "
                "Ill."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).count(into="near", where="gap"),
            "Cells('x', size=1.0): where: Person.gap must be bool, got float.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).count(into="near", where=[]),
            "Cells('x', size=1.0): where must name at least one state, got [].",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).count(into="near", where=3),
            (
                "Cells('x', size=1.0): where must be a state, several of them, or a boolean "
                "field, got 3. The states: Well, Sick, Gone. Its boolean fields: worn, Ill."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).share("Il", into="gap"),
            (
                "Cells('x', size=1.0): of must be a state, several of them, or a boolean "
                "field, got 'Il'. The states: Well, Sick, Gone. Its boolean fields: worn, "
                "Ill."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).share("gap", into="gap"),
            "Cells('x', size=1.0): of: Person.gap must be bool, got float.",
        ),
        (
            lambda crowd: Places(crowd, "lane").share([], into="gap"),
            "Places('lane'): of must name at least one state, got [].",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0, around=9.0).mean("x", into="gap"),
            (
                "Cells('x', size=1.0, around=9.0): the mean of 'x' has no meaning where the "
                "world wraps. Use offset(), the mean offset to agents nearby."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).least("lane", into="near"),
            (
                "Cells('x', size=1.0): otherwise, what 'near' is if no agent is near, must be "
                "int, got inf."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", "y", size=1.0).offset(into="gap"),
            (
                "Cells('x', 'y', size=1.0): into must name a field for each of its 2 "
                "coordinates, got "
                "'gap'."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", "y", size=1.0).nearest(distance="gap", ahead=True),
            (
                "Cells('x', 'y', size=1.0): ahead=True and behind=True need a line, with one "
                "coordinate, and exclude each other."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).nearest(),
            "Cells('x', size=1.0): nearest() must have distance=, id= or values=, got none.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).nearest(values={"x": "near"}),
            "Cells('x', size=1.0): values: Person.near must be float, got int.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).nearest(values=["xy"]),
            (
                "Cells('x', size=1.0): values must map fields of the nearest to fields that "
                "are written, got ['xy']."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).nearest(distance=3),
            "Cells('x', size=1.0): distance must be the name of a field, got 3.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).mean("y", into="gap", otherwise="no"),
            "Cells('x', size=1.0): otherwise must be float, got 'no'.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).offset(into=3),
            "Cells('x', size=1.0): into must be the name of a field, got 3.",
        ),
        (
            lambda crowd: Cells(crowd, "x", "y", size=1.0).offset(into=3),
            (
                "Cells('x', 'y', size=1.0): into must name a field for each of its 2 coordinates, "
                "got 3."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).count(into="x"),
            (
                "Cells('x', size=1.0): into: 'x' holds the positions of agents and cannot be "
                "written. Use another field."
            ),
        ),
        (
            lambda crowd: Places(crowd, "place").count(into="place"),
            (
                "Places('place'): into: 'place' holds the positions of agents and cannot be "
                "written. Use another field."
            ),
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).mean(3, into="gap"),
            "Cells('x', size=1.0): the mean must be the name of a field, got 3.",
        ),
        (
            lambda crowd: Cells(crowd, "x", size=1.0).nearest(id="gap"),
            "Cells('x', size=1.0): id: Person.gap must be int, got float.",
        ),
        (
            lambda crowd: Places(crowd, "x"),
            "Places('x'): a place: Person.x must be int, got float.",
        ),
    ],
)
def test_mistakes_are_named(work: Any, message: str) -> None:
    crowd = crowd_at(0.0, 1.0)
    before = {name: crowd[name].tolist() for name in Person.__slots__ if name[0] != "_"}
    assert refused(lambda: work(crowd)) == message
    assert not crowd.neighbours.declarations
    assert {name: crowd[name].tolist() for name in before} == before


def test_a_name_of_a_state_and_a_field_is_ambiguous() -> None:
    machine = CrowdFsm("Person", Person)
    machine.add_state("Ill")
    crowd = Crowd(machine, 1, engine="python", start="Ill")
    cells = Cells(crowd, "x", size=1.0)
    assert refused(lambda: cells.count(into="near", where="Ill")) == (
        "Cells('x', size=1.0): 'Ill' is both a state and a field of Person. Pass the state "
        "itself, or a list of states."
    )
    cells.count(into="near", where=["Ill"])


def test_more_choices_than_there_are_bits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmkit.crowd.neighbours.query.MAX_CHOICES", 1)
    crowd = crowd_at(0.0, 1.0)
    cells = Cells(crowd, "x", size=1.0)
    cells.count(into="near_ill", where="Sick")
    cells.count(into="near", where="Well")
    assert refused(lambda: crowd.update(0.0)) == (
        "Cells('x', size=1.0) must have at most 1 different `where`, got more. Declare the "
        "others on another Cells or Places."
    )
