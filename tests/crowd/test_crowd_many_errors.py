"""Many agents fail in one step: the first are shown, all are counted, and it takes no time."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

import numpy as np
import pytest
from attrs import define, field, make_class

from fsmkit import TransitionLoopError
from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, spawn
from fsmkit.crowd.engine import compiled

SIZE = 60
MAX_RAISED = 7


@define
class Npc:
    x: float = 0.0
    y: float = 1.0
    n: int = 0


def share(npc: Any, world: Any) -> Any:
    npc.n += 1
    if npc.x == 2.0:
        return "AROUND"
    npc.y = 1.0 / npc.x
    npc.n += 2
    return "GO" if npc.x == 3.0 else None


def arrive(npc: Any, world: Any) -> Any:
    npc.n += 4
    return "AROUND" if npc.x == 2.0 else None


def leave(npc: Any, world: Any) -> None:
    npc.n += 8
    npc.y = halved(npc.x - 1.0)


def halved(number: Any) -> Any:
    return 1.0 / number


def machine() -> CrowdFsm:
    """Agents with 0 fail in an update, those with 1 when leaving, and those with 2 never stop."""
    built = CrowdFsm("Npc", Npc, max_transitions=5)
    here, there = built.add_state("Here"), built.add_state("There")
    here.add_action(CrowdAction(on_enter=arrive, on_update=share, on_exit=leave))
    there.add_action(CrowdAction(on_enter=arrive))
    for state, other in ((here, there), (there, here)):
        state.add_transition("GO", other)
        state.add_transition("AROUND", other)
    return built


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Have few agents count as many: a loop is left seven times, and a thread has twenty."""
    monkeypatch.setattr(compiled, "MAX_RAISED", MAX_RAISED)
    monkeypatch.setattr(compiled, "MIN_AGENTS_PER_THREAD", SIZE // 3)
    threads: int = request.param
    return threads


@pytest.mark.slow
@pytest.mark.parametrize("fields", [20, 70])
def test_agents_with_many_fields_are_counted_too(
    fields: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "MAX_RAISED", 2)
    wide = make_class("Wide", {f"f{i}": field(type=float, default=0.0) for i in range(fields)})

    def divide(agent: Any, world: Any) -> None:
        agent.f0 = 1.0 / agent.f1

    built = CrowdFsm("Wide", wide)
    built.add_state("Here").add_action(CrowdAction(on_update=divide))
    crowd = Crowd(built, 9, start="Here")
    crowd["f1"][4] = 2.0
    with pytest.raises(ExceptionGroup, match="8 agents failed; of these, 2 are shown"):
        crowd.update(0.1)
    assert crowd["f0"].tolist() == [0.0] * 4 + [0.5] + [0.0] * 4


def course(x: Any, **options: Any) -> list[Any]:
    """Return all columns and all errors of a crowd, step by step."""
    crowd = Crowd(machine(), len(x), **options)
    crowd.start("Here", np.arange(len(x)) % 11 > 0)  # the others have not started
    crowd["x"] = x
    told: list[Any] = []
    for step in (
        lambda: crowd.update(0.25),
        lambda: crowd.send_event("GO", where=np.arange(len(x)) % 7 > 0),
        lambda: crowd.update(0.25),
        lambda: crowd.start("Here"),
    ):
        try:
            told.append(step())
        except Exception as error:
            each = getattr(error, "exceptions", [error])
            told += [str(error), *[(str(e), getattr(e, "__notes__", [])) for e in each]]
        told += [(name, column.tobytes()) for name, column in crowd._store.arrays().items()]
    return told


FAILING = {
    "all": np.zeros(SIZE),
    "all when leaving": np.ones(SIZE),
    "few": np.where(np.arange(SIZE) % 20 == 3, 0.0, 5.0),
    "half": np.arange(SIZE) % 2.0,
    "as many as a loop is left for": np.where(np.arange(1, SIZE + 1) <= MAX_RAISED, 0.0, 5.0),
    "one more": np.where(np.arange(1, SIZE + 1) <= MAX_RAISED + 1, 0.0, 5.0),
    "some, and others never stop": np.arange(SIZE) % 4.0,
    "those that never stop come last": np.repeat([0.0, 3.0, 2.0], SIZE // 3),
    "none": np.full(SIZE, 5.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("who", FAILING)
def test_many_errors_are_those_of_the_functions(who: str, threads: int) -> None:
    expected = repr(course(FAILING[who], engine="python"))
    assert repr(course(FAILING[who], parallel=threads)) == expected.replace(
        "float division by zero", "division by zero"
    )


@pytest.mark.slow
def test_all_failing_agents_are_counted_and_the_others_updated() -> None:
    crowd = Crowd(machine(), 5_000, start="Here")
    crowd["x"][10:] = np.arange(4_990) % 2
    with pytest.raises(ExceptionGroup, match="2,505 agents failed; of these, 5 are shown") as told:
        crowd.update(0.25)
    assert [error.__notes__[0].split(", ")[1] for error in told.value.exceptions] == [
        f"agent {number}" for number in range(5)
    ]
    assert np.bincount(crowd["n"]).tolist() == [0, 0, 0, 0, 0, 2505, 0, 2495]


@pytest.mark.slow
def test_a_loop_is_not_left_for_each_of_many_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ExceptionGroup):
        Crowd(machine(), 5_000, start="Here").update(0.25)  # compiles both loops
    crowd = Crowd(machine(), 5_000, start="Here")
    module: Any = crowd._engine._module  # type: ignore[union-attr]
    entered: list[str] = []

    def record(name: str) -> None:
        loop = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: (entered.append(name), loop(*given))[1])

    record("update")
    record("update_counting")
    with pytest.raises(ExceptionGroup, match="5,000 agents failed"):
        crowd.update(0.25)
    assert entered == ["update"] * compiled.MAX_RAISED + ["update_counting"]


def bear(npc: Any, world: Any) -> Any:
    npc.n += 1
    spawn(npc, start="Young", x=npc.x, n=100)
    npc.y = 1.0 / npc.x
    spawn(npc, start="Young", n=200)


@pytest.mark.slow
@pytest.mark.parametrize("who", ["all", "half", "few", "none"])
def test_births_before_an_error_count_however_many_errors_there_are(
    who: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.crowd.engine.report.ROOM", 4)
    built = CrowdFsm("Npc", Npc)
    built.add_state("Old").add_action(CrowdAction(on_update=bear))
    built.add_state("Young").add_action(CrowdAction(on_enter=arrive))
    told = []
    for options in ({"engine": "python"}, {"parallel": threads}):
        crowd = Crowd(built, SIZE, start="Old", **options)  # type: ignore[arg-type]
        crowd["x"] = FAILING[who]
        told.append([])
        for _ in range(2):
            try:
                crowd.update(0.25)
            except Exception as error:
                told[-1].append(str(error).replace("float division", "division"))
            told[-1] += [(name, each.tolist()) for name, each in crowd._store.arrays().items()]
    assert told[0] == told[1]


@pytest.mark.slow
def test_the_first_agent_in_an_endless_chain_is_found_after_many_errors() -> None:
    crowd = Crowd(machine(), 2_000, start="Here")
    crowd["x"][1_700:] = 2.0
    with pytest.raises(ExceptionGroup) as told:
        crowd.update(0.25)
    [endless] = [e for e in told.value.exceptions if isinstance(e, TransitionLoopError)]
    assert str(endless).startswith("Crowd of 'Npc', agent 1700: more than 5 state changes")
    assert "So did 299 other agents" in str(endless)
    assert str(told.value).startswith("2,000 agents failed; of these, 5 are shown")


@pytest.mark.slow
def test_a_crowd_that_has_failed_does_not_stay_in_memory() -> None:
    crowd = Crowd(machine(), 1_000, start="Here")
    with pytest.raises(ExceptionGroup):
        crowd.update(0.25)
    crowd["x"] = np.arange(1.0, 1_001.0)
    with pytest.raises(ZeroDivisionError):
        crowd.send_event("GO", where=[0])
    columns = [ref(column) for column in crowd._store.arrays().values()]
    del crowd
    gc.collect()
    assert [column() for column in columns] == [None] * len(columns)
