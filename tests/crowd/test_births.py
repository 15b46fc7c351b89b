"""Births and deaths: agents that spawn others, and states in which they are removed.

"compiled" is the text of the loops here, run as plain Python; see test_population.py for the rest.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from attrs import define

from fsmkit import FsmState, UnknownStateError
from fsmkit.checking import check
from fsmkit.crowd import (
    Crowd,
    CrowdAction,
    CrowdError,
    CrowdFsm,
    CrowdGuard,
    SubsetError,
    random,
    spawn,
)

ENGINES: list[Any] = ["python", "compiled"]

pytestmark = pytest.mark.usefixtures("not_compiled")


@define
class Cell:
    size: float = 0.5
    n: int = 0
    young: bool = False


@define
class World:
    room: int = 100


YOUNG = "Young"


def divide(cell: Cell, world: World) -> str | None:
    cell.size += world.dt  # type: ignore[attr-defined]
    if cell.size >= 1.0:
        cell.size /= 2
        spawn(cell, start="Young", size=cell.size, n=cell.n + 1)
        spawn(cell, young=True)
    return "DIE" if cell.n > 1 else None


def note(cell: Cell, world: World) -> None:
    cell.n += 10


def build(*functions: Callable[..., Any], **options: Any) -> CrowdFsm:
    machine = CrowdFsm("Cell", Cell, World, on_unhandled="ignore", **options)
    grow, young = machine.add_state("Grow"), machine.add_state(YOUNG)
    dead = machine.add_state("Dead", retire=True)
    grow.add_action(CrowdAction(on_update=functions[0] if functions else divide))
    young.add_action(CrowdAction(on_enter=functions[1] if functions[1:] else note))
    for state in (grow, young):
        state.add_transition("DIE", dead)
    young.add_transition("GROW", grow)
    return machine


def told(crowd: Crowd) -> list[Any]:
    names = [*crowd.machine.states, None]
    return [
        (number, names[state], *rest)
        for number, state, *rest in zip(
            crowd.ids.tolist(), crowd.states.tolist(),
            crowd["size"].tolist(), crowd["n"].tolist(), crowd["young"].tolist(), strict=True,
        )
    ]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_new_agents_come_last_in_the_order_of_their_parents(engine: Any) -> None:
    crowd = Crowd(build(), 3, start="Grow", engine=engine)
    crowd["size"] = [0.75, 0.25, 0.8125]
    crowd["n"] = [0, 5, 0]
    crowd.update(0.25)
    assert told(crowd) == [
        (0, "Grow", 0.5, 0, False),
        (2, "Grow", 0.53125, 0, False),  # the one with the id 1 is dead
        (3, "Young", 0.5, 11, False),
        (4, "Grow", 0.5, 0, True),
        (5, "Young", 0.53125, 11, False),
        (6, "Grow", 0.5, 0, True),
    ]
    assert crowd.time_in_state.tolist() == [0.25, 0.25, 0.0, 0.0, 0.0, 0.0]
    assert crowd.count() == {"Grow": 4, "Young": 2, "Dead": 0}


@pytest.mark.parametrize("engine", ENGINES)
def test_each_of_several_steps_has_births_and_deaths(engine: Any) -> None:
    one, other = (Crowd(build(), 2, start="Grow", engine=engine) for _ in range(2))
    one.update(0.25, steps=6)
    for _ in range(6):
        other.update(0.25)
    assert told(one) == told(other)
    assert len(one) > 8


@pytest.mark.parametrize("engine", ENGINES)
def test_an_event_and_a_start_end_with_deaths_too(engine: Any) -> None:
    crowd = Crowd(build(), 30, start="Grow", engine=engine)
    assert crowd.send_event("DIE", where=[0, 29]) == 2
    assert crowd.ids.tolist() == list(range(1, 29))
    crowd.start("Dead", where=[0, 1])
    assert crowd.ids.tolist() == list(range(3, 29))
    assert crowd.add(3, start="Dead") == range(26, 26)
    assert crowd.add(2, start="Grow") == range(26, 28)
    assert crowd.ids.tolist() == [*range(3, 29), 33, 34]
    assert crowd.send_event("DIE") == 28
    assert (len(crowd), crowd.count()) == (0, {"Grow": 0, "Young": 0, "Dead": 0})


def bury(cell: Cell, world: World) -> None:
    cell.size = 100.0
    spawn(cell, n=cell.n, size=cell.size)


@pytest.mark.parametrize("engine", ENGINES)
def test_who_dies_has_entered_the_state_and_may_leave_somebody(engine: Any) -> None:
    machine = build()
    machine.states["Dead"].add_action(CrowdAction(on_enter=bury))
    crowd = Crowd(machine, 2, start="Grow", engine=engine)
    crowd["n"] = [7, 0]
    crowd.send_event("DIE", where=[0])
    assert told(crowd) == [(1, "Grow", 0.5, 0, False), (2, "Grow", 100.0, 7, False)]


def leave(cell: Cell, world: World) -> None:
    spawn(cell, start="Dead")
    spawn(cell, n=3)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_may_be_left_with_births_and_still_births_are_removed(engine: Any) -> None:
    machine = build()
    machine.states["Grow"].add_action(CrowdAction(on_exit=leave))
    crowd = Crowd(machine, 1, start="Grow", engine=engine)
    crowd.start("Young")
    assert told(crowd) == [(0, "Young", 0.5, 10, False), (2, "Grow", 0.5, 3, False)]


def breed(cell: Cell, world: World) -> None:
    cell.n += 1
    if cell.n < 4:
        spawn(cell, start="Young", n=cell.n)
        spawn(cell, start="Young", n=cell.n + 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_new_agents_may_spawn_in_the_same_step(engine: Any) -> None:
    crowd = Crowd(build(note, breed), 2, engine=engine)
    crowd.start("Young", where=[1])
    assert [(number, n) for number, _, _, n, _ in told(crowd)] == [
        (0, 0), (1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (6, 4), (7, 5), (8, 4), (9, 5),
    ]  # fmt: skip


def roll(cell: Cell, world: World) -> None:
    cell.size = random(cell)
    if cell.size < 0.5:
        spawn(cell, start="Young", size=random(cell))


def rolled(cell: Cell, world: World) -> None:
    cell.n = int(cell.size * 1000.0)
    cell.size = random(cell)


def test_new_agents_have_random_numbers_of_their_own() -> None:
    crowds = [Crowd(build(roll, rolled), 20, start="Grow", seed=5, engine=e) for e in ENGINES]
    for crowd in crowds:
        crowd.update(0.1)
    one, other = map(told, crowds)
    assert one == other
    assert len({size for _, _, size, _, _ in one}) == len(one) > 25


def fail(cell: Cell, world: World) -> None:
    if cell.size > 0.0:
        spawn(cell, n=1)
        spawn(cell, n=2, size=sqrt(cell.size - 2.0))
        spawn(cell, n=3)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_was_born_before_an_error_stays(engine: Any) -> None:
    crowd = Crowd(build(fail), 4, start="Grow", engine=engine)
    crowd["size"] = [0.0, 1.0, 6.0, 0.0]
    with pytest.raises(ValueError, match="math domain error") as caught:
        crowd.update(0.1)
    assert "agent 1, state 'Grow', fail()" in caught.value.__notes__[0]
    assert crowd["n"].tolist() == [0, 0, 0, 0, 1, 1, 2, 3]
    assert crowd["size"].tolist()[4:] == [0.5, 0.5, 2.0, 0.5]


def again(cell: Cell, world: World) -> None:
    spawn(cell, start="Young")


def thrice(cell: Cell, world: World) -> None:
    spawn(cell, start="Young")
    spawn(cell, start="Young")
    spawn(cell, start="Young")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("function", "living"), [(again, 1 + 21), (thrice, 2 + 2 * (3 + 9 + 27))])
def test_births_without_end_are_stopped(engine: Any, function: Any, living: int) -> None:
    size = 1 if function is again else 2
    crowd = Crowd(build(note, function, max_transitions=20), size, start="Grow", engine=engine)
    with pytest.raises(CrowdError) as caught:
        crowd.start("Young")
    assert re.fullmatch(
        r"Crowd of 'Cell': agents that were born in this step spawned others in the same step, "
        r"without end\. It was stopped after [\d,]+ births\. Let a new agent wait for an update or "
        r"an event before it spawns, or raise max_transitions\.",
        str(caught.value),
    )
    assert len(crowd) == living
    crowd.update(0.1)
    assert len(crowd) == living


def many(cell: Cell, world: World) -> None:
    spawn(cell, n=1)
    spawn(cell, n=2)


@pytest.mark.parametrize("parallel", [1, 3])
def test_a_loop_has_its_births_taken_away_when_there_is_no_room(
    parallel: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.crowd.engine.report.ROOM", 100)
    monkeypatch.setattr("fsmkit.crowd.engine.compiled.MIN_AGENTS_PER_THREAD", 500)
    crowd = Crowd(build(many), 1_000, start="Grow", parallel=parallel)
    crowd["size"] = np.arange(1_000)
    crowd.update(0.1)
    assert crowd.ids.tolist() == list(range(3_000))
    assert crowd["n"].tolist() == [0] * 1_000 + [1, 2] * 1_000


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_float32_rounds_fields_of_new_agents_alike() -> None:
    crowds = [Crowd(build(wide), 3, start="Grow", dtype="float32", engine=e) for e in ENGINES]
    for crowd in crowds:
        crowd.update(0.1)
    assert told(crowds[0]) == told(crowds[1])
    assert crowds[0]["size"].tolist()[3:] == [np.float32(0.1).item(), inf] * 3


def wide(cell: Cell, world: World) -> None:
    spawn(cell, size=0.1)
    spawn(cell, size=1e300)


def as_lambda() -> CrowdFsm:
    return build(lambda cell, world: spawn(cell, start=YOUNG, young=True))


def test_a_lambda_and_a_constant_for_the_state() -> None:
    for engine in ENGINES:
        crowd = Crowd(as_lambda(), 1, start="Grow", engine=engine)
        crowd.update(0.1)
        assert told(crowd)[1] == (1, "Young", 0.5, 10, True)


STATE: FsmState[Any] = build().states["Young"]


def by_state(cell: Cell, world: World) -> None:
    if cell.n == 0:
        spawn(cell, start=STATE)
    else:
        spawn(cell, start=None)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_itself_or_none(engine: Any) -> None:
    crowd = Crowd(build(by_state), 2, start="Grow", engine=engine)
    crowd["n"] = [0, 1]
    crowd.update(0.1)
    assert [state for _, state, *_ in told(crowd)] == ["Grow", "Grow", "Young", "Grow"]


# What is refused


def unknown_field(cell: Cell, world: World) -> None:
    spawn(cell, seize=1.0)


def unknown_state(cell: Cell, world: World) -> None:
    spawn(cell, start="Yuong")


def wrong_kind(cell: Cell, world: World) -> None:
    spawn(cell, n=cell.size)


def no_agent(cell: Cell, world: World) -> None:
    spawn(world)


def by_position(cell: Cell, world: World) -> None:
    spawn(cell, "Young")  # type: ignore[misc]


FIELDS = {"n": 1}


def with_stars(cell: Cell, world: World) -> None:
    spawn(cell, **FIELDS)  # type: ignore[arg-type]


def chosen(cell: Cell, world: World) -> None:
    spawn(cell, start="Young" if cell.n > 1 else "Grow")


def used(cell: Cell, world: World) -> None:
    cell.n = spawn(cell)  # type: ignore[func-returns-value]


def helper(cell: Cell) -> int:
    spawn(cell)
    return 1


def in_helper(cell: Cell, world: World) -> None:
    cell.n = helper(cell)


REFUSED = {
    unknown_field: "Cell has no field 'seize'. Its fields: size, n, young.",
    unknown_state: "there is no state 'Yuong'. The states are: 'Grow', 'Young', 'Dead'.",
    wrong_kind: "n of the new agent must be int, got float. Write int(...), or make it a field of "
    "the kind float.",
    no_agent: "spawn() takes the agent, and the rest by name. Write spawn(cell, start=..., "
    "field=...).",
    by_position: "spawn() takes the agent, and the rest by name. Write spawn(cell, start=..., "
    "field=...).",
    with_stars: "spawn() must be given each field by its name. Write field=value.",
    chosen: "start must be the name of a state, got `'Young' if cell.n > 1 else 'Grow'`. Write the "
    "name itself; where there are several, use if and else.",
    used: "spawn() returns nothing. Write it as a statement of its own.",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda each: each.__name__)
def test_what_cannot_be_compiled_is_refused_with_the_line(function: Any) -> None:
    with pytest.raises(SubsetError) as caught:
        Crowd(build(function), 1)
    line = function.__code__.co_firstlineno + 1
    assert str(caught.value) == f"{__file__}:{line}, {function.__name__}(): {REFUSED[function]}"


def test_helpers_and_guards_cannot_spawn() -> None:
    text = r"spawn\(\) must be called in a function of an action\. Return a number from here"
    with pytest.raises(SubsetError, match=rf"helper\(\): {text}"):
        Crowd(build(in_helper), 1)
    for function in (lambda cell, world: spawn(cell) or True, asked):
        machine = build(note)
        machine.add_global_transition("GO", "Young", when=CrowdGuard(function))
        with pytest.raises(SubsetError, match=r"spawn\(\)"):
            Crowd(machine, 1)
        crowd = Crowd(machine, 1, start="Grow", engine="python")
        with pytest.raises(CrowdError, match=r"spawn\(\) must be called in a function of an"):
            crowd.send_event("GO")
        assert len(crowd) == 1


def asked(cell: Cell, world: World) -> int:
    spawn(cell)
    return 1


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (unknown_field, AttributeError, "Cell has no field 'seize'"),
        (unknown_state, UnknownStateError, "has no state 'Yuong'. Its states: 'Grow', 'Young'"),
        (wrong_kind, TypeError, "'n' must be int, got 0.5."),
    ],
)
def test_functions_that_are_called_as_they_are_refuse_the_same(
    function: Any, error: type[Exception], text: str
) -> None:
    crowd = Crowd(build(function), 2, start="Grow", engine="python")
    with pytest.raises(ExceptionGroup) as caught:
        crowd.update(0.1)
    assert isinstance(caught.value.exceptions[0], error)
    assert text in str(caught.value.exceptions[0])
    assert len(crowd) == 2


def test_spawn_needs_a_step() -> None:
    crowd = Crowd(build(), 1, start="Grow", engine="python")
    with pytest.raises(CrowdError, match=r"spawn\(\) must be called in a function of an action"):
        spawn(crowd[0])


# Machines with such states


def test_a_state_that_retires_agents_is_final_and_is_kept_in_copies() -> None:
    machine = build()
    assert (machine.retiring, machine.copy().retiring) == (("Dead",), ("Dead",))
    assert machine.states["Dead"].final
    machine.remove_state("Dead")
    machine.add_state("Dead")
    assert (machine.retiring, machine.states["Dead"].final) == ((), False)
    with pytest.raises(TypeError, match="state 'X': retire must be True or False, got 1"):
        machine.add_state("X", retire=1)  # type: ignore[arg-type]
    assert "X" not in machine.states


def test_checks_know_where_new_agents_start(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert [finding.code for finding in check(build())] == []


def test_a_machine_by_itself_keeps_who_was_born() -> None:
    machine = build()
    machine.start()
    machine.update(0.75)
    births = machine.context.births
    assert [(each.start, dict(each.fields)) for each in births] == [
        ("Young", {"size": 0.625, "n": 1}),
        (None, {"young": True}),
    ]
    machine.update(0.0)
    assert machine.context.births == []
    machine.send_event("DIE")
    machine.update(1.0)
    assert machine.current_state is machine.states["Dead"]


def test_a_promoted_agent_that_dies_is_removed_once_it_is_back() -> None:
    crowd = Crowd(build(), 30, start="Grow", engine="python")
    fsm = crowd.fsm(4)
    fsm.send_event("DIE")
    crowd.put(4, fsm)
    assert (len(crowd), crowd.count()["Dead"]) == (30, 1)
    crowd.update(0.1)
    assert (len(crowd), crowd.ids[4]) == (29, 5)
