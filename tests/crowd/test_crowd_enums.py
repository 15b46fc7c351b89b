"""Members of an IntEnum: constants, defaults, annotations, and values that users write."""

from __future__ import annotations

from enum import Enum, IntEnum, IntFlag
from typing import Any

import pytest
from attrs import define, field, make_class

from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm

ENGINES = ("python", "compiled")


class Place(IntEnum):
    HOME = 0
    WORK = 1
    BAR = 2


class Colour(Enum):
    RED = 1


class Marks(IntFlag):
    HOT = 1


@define
class Person:
    place: Place = Place.HOME
    goal: int = Place.BAR
    weight: float = Place.WORK
    told: int = 0


@define
class Town:
    shut: Place = Place.BAR


def walk(person: Any, town: Any, own: Any) -> Any:
    own.steps += 1
    if person.place == town.shut:
        person.place = Place.HOME
        return "SHUT"
    if person.place < person.goal:
        person.place = Place.WORK if person.place == Place.HOME else own.last
    person.told += person.place * 10 + Place.WORK.value + place_of(person) + own.steps
    return None


def place_of(person: Any, least: Any = Place.WORK) -> Any:
    return max(person.place, least)


def machine() -> CrowdFsm:
    built = CrowdFsm("Person", Person, Town)
    only = built.add_state("Only")
    only.add_action(
        CrowdAction(on_update=walk, parameters={"last": Place.BAR}, memory={"steps": Place.HOME})
    )
    only.add_transition("SHUT", only)
    return built


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_members_are_whole_numbers(engine: Any) -> None:
    crowd = Crowd(machine(), 4, start="Only", engine=engine)
    assert {name: str(crowd[name].dtype) for name in ("place", "goal", "weight")} == {
        "place": "int64", "goal": "int64", "weight": "float64",
    }  # fmt: skip
    crowd["place"][:2] = Place.WORK
    row: Any = crowd[3]
    row.place = Place.BAR
    crowd.add(1, start="Only", place=Place.WORK, goal=Place.WORK)
    crowd.update(1.0)
    assert crowd["place"].tolist() == [2, 2, 1, 0, 1]
    assert crowd["told"].tolist() == [24, 24, 13, 0, 13]
    crowd.world.shut = Place.WORK
    crowd.update(1.0)
    assert crowd["place"].tolist() == [2, 2, 0, 1, 0]


def test_a_machine_of_its_own_takes_and_keeps_plain_numbers() -> None:
    crowd = Crowd(machine(), 1, start="Only", engine="python")
    fsm = crowd.fsm(0)
    fsm.context.agent.place = Place.WORK
    fsm.update(1.0)
    assert fsm.context.agent == Person(2, 2, 1.0, 24)  # type: ignore[arg-type]
    assert fsm.context.saved()["agent"] == {"place": 2, "goal": 2, "weight": 1.0, "told": 24}
    crowd.put(0, fsm)
    assert crowd["place"].tolist() == [2]


@pytest.mark.parametrize(("kind", "name"), [(Colour, "Colour"), (Marks, "Marks")])
def test_other_enums_are_not_columns(kind: Any, name: str) -> None:
    odd = make_class("Odd", {"field": field(type=kind, default=1)})
    with pytest.raises(CrowdError, match=f"Odd.field must be annotated with .*, got {name}"):
        CrowdFsm("Odd", odd)


def test_a_member_of_another_enum_is_refused_as_a_value() -> None:
    crowd = Crowd(machine(), 1, start="Only", engine="python")
    row: Any = crowd[0]
    with pytest.raises(TypeError, match="must be int, got <Colour.RED: 1>"):
        row.place = Colour.RED


def test_events_in_a_match_and_in_a_loop_are_known() -> None:
    def go(person: Any, town: Any) -> Any:
        for place in Place:
            match person.place:
                case Place.HOME:
                    return "IN"
                case _ if person.told == place:
                    return "OUT"
        return None

    assert CrowdAction(on_update=go).sends == ("IN", "OUT")
