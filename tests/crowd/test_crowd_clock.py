"""`world.time`, `agent.time_in_state` and `agent.id`, with and without fields of these names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, CrowdGuard

ENGINES = ("python", "compiled")


@define
class Npc:
    entered: float = -1.0
    updated: float = -1.0
    left: float = -1.0
    at: float = -1.0
    own_id: int = -1


def enter(npc: Any, world: Any) -> None:
    npc.entered = npc.time_in_state
    npc.own_id = npc.id


def update(npc: Any, world: Any) -> Any:
    npc.updated, npc.at = npc.time_in_state, world.time
    return "GO"


def leave(npc: Any, world: Any) -> None:
    npc.left = npc.time_in_state


def is_time(npc: Any, world: Any) -> Any:
    return npc.time_in_state >= 0.5 and world.time < 10.0 and npc.id != 1


def machine() -> CrowdFsm:
    built = CrowdFsm("Npc", Npc)
    one, other = built.add_state("One"), built.add_state("Other")
    for state, target in ((one, other), (other, one)):
        state.add_action(CrowdAction(enter, update, leave))
        state.add_transition("GO", target, when=CrowdGuard(is_time))
    return built


def columns(crowd: Crowd) -> dict[str, list[Any]]:
    return {name: crowd[name].tolist() for name in ("entered", "updated", "left", "at", "own_id")}


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_time_in_state_is_zero_on_enter_and_that_of_the_old_state_on_exit(engine: Any) -> None:
    crowd = Crowd(machine(), 3, start="One", engine=engine)
    crowd.update(0.25)
    crowd.remove([0])
    crowd.update(0.25)
    assert columns(crowd) == {
        "entered": [0.0, 0.0], "updated": [0.5, 0.5], "left": [-1.0, 0.5], "at": [0.5, 0.5],
        "own_id": [1, 2],
    }  # fmt: skip
    assert crowd.count() == {"One": 1, "Other": 1}
    crowd.add(1, start="Other")
    crowd.update(0.25)
    assert crowd["own_id"].tolist() == [1, 2, 3]
    assert crowd["updated"].tolist() == crowd.time_in_state.tolist() == [0.75, 0.25, 0.25]


def test_a_machine_of_its_own_has_the_same_clock() -> None:
    crowd = Crowd(machine(), 3, start="One", engine="python")
    crowd.update(0.1)
    fsm = crowd.fsm(2)
    for _ in range(7):
        crowd.update(0.1)
        fsm.update(0.1)
        agent = fsm.context.agent
        now = (agent.entered, agent.updated, agent.left, agent.at, agent.own_id)
        assert now == tuple(column[2] for column in columns(crowd).values())


def sees(npc: Any, world: Any, own: Any) -> None:
    npc.entered, npc.at = own.age, own.now
    npc.own_id = own.number


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_parameters_may_name_them(engine: Any) -> None:
    built = CrowdFsm("Npc", Npc)
    given = {"age": "time_in_state", "now": "world.time", "number": "id"}
    built.add_state("Only").add_action(CrowdAction(on_update=sees, parameters=given))
    crowd = Crowd(built, 2, start="Only", engine=engine)
    crowd.update(0.5)
    assert columns(crowd)["own_id"] == [0, 1]
    assert (crowd["entered"].tolist(), crowd["at"].tolist()) == ([0.5, 0.5], [0.5, 0.5])


@define
class Own:
    id: float = 2.5
    time_in_state: int = 7


@define
class World:
    time: int = 100


def counts(own: Any, world: Any) -> None:
    own.id += world.time
    own.time_in_state += 1


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_fields_of_these_names_come_first(engine: Any) -> None:
    built = CrowdFsm("Own", Own, World)
    built.add_state("Only").add_action(CrowdAction(on_update=counts))
    crowd = Crowd(built, 2, start="Only", engine=engine)
    fsm = crowd.fsm(1)
    crowd.update(0.5)
    fsm.update(0.5)
    assert (crowd["id"].tolist(), crowd["time_in_state"].tolist()) == ([102.5, 102.5], [8, 8])
    assert fsm.context.agent == Own(102.5, 8)
    row: Any = crowd[0]
    row.id = 1.0
    assert crowd["id"].tolist() == [1.0, 102.5]


def write_id(npc: Any, world: Any) -> None:
    npc.id = 3


def write_time(npc: Any, world: Any) -> None:
    world.time = 3.0


@pytest.mark.parametrize(("function", "name"), [(write_id, "agent.id"), (write_time, "world.time")])
def test_they_cannot_be_written(function: Callable[..., Any], name: str) -> None:
    built = CrowdFsm("Npc", Npc)
    built.add_state("Only").add_action(CrowdAction(on_update=function))
    crowd = Crowd(built, 1, start="Only", engine="python")
    for machine in (crowd, crowd.fsm(0)):
        with pytest.raises(AttributeError, match=f"{name} cannot be written: the crowd"):
            machine.update(0.5)


def test_agents_show_them_one_by_one() -> None:
    crowd = Crowd(machine(), 3, engine="python")
    crowd.start("One", [0, 2])
    crowd.update(0.25)
    crowd.remove([0])
    rows: list[Any] = [crowd[0], crowd[1]]
    assert [(row.id, row.time_in_state) for row in rows] == [(1, 0.0), (2, 0.25)]
    with pytest.raises(AttributeError, match=r"agent\.time_in_state cannot be written"):
        rows[0].time_in_state = 1.0
