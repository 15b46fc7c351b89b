"""The place where a function has raised: the user's innermost line, the same with both engines."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, SubsetError
from fsmkit.crowd.library import Move, SendEventWhen

ENGINES = ["python", "compiled"]


@define
class Npc:
    x: float = 0.0
    y: float = 1.0
    health: int = 3


@define
class World:
    level: float = 2.0


def crowd_with(action: Any, engine: Any = "compiled") -> Crowd:
    machine = CrowdFsm("Npc", Npc, World)
    work, done = machine.add_state("Work"), machine.add_state("Done")
    work.add_action(action)
    work.add_transition("GO", done)
    return Crowd(machine, 2, start="Work", engine=engine)


def place_of(function: Callable[..., Any], line: int) -> str:
    """Return the note about a line of a function, counted from its `def`."""
    code = function.__code__
    return (
        f"Crowd of 'Npc', agent 0, state 'Work', {code.co_name}(), "
        f"{code.co_filename}:{code.co_firstlineno + line}"
    )


def is_near(npc: Any, world: Any) -> Any:
    distance = npc.x
    return 1.0 / distance < world.level


def root(number: Any) -> Any:
    if number > 5.0:
        return number
    rest = number - 1.0
    return math.sqrt(rest)


def doubled_root(number: Any) -> Any:
    kept = root(number + 0.5) * 2.0
    return kept + root(number)


def calls_one_that_raises(npc: Any, world: Any) -> None:
    npc.y = root(npc.x)


def calls_one_that_calls_one(npc: Any, world: Any) -> None:
    npc.y = doubled_root(npc.x + 0.75)


def raises_after_a_call(npc: Any, world: Any) -> None:
    npc.y = root(npc.y) / npc.x


def raises_after_an_early_return(npc: Any, world: Any) -> None:
    npc.y = root(npc.y + 9.0) / npc.x


def raises_in_another_line(npc: Any, world: Any) -> None:
    npc.y = root(npc.y)
    npc.x = 1.0 / npc.x


FAULTY: dict[str, tuple[Callable[..., Any], Callable[..., Any], int]] = {
    "what is called": (calls_one_that_raises, root, 4),
    "what that calls": (calls_one_that_calls_one, root, 4),
    "the caller, after it": (raises_after_a_call, raises_after_a_call, 1),
    "the caller, after an early return": (
        raises_after_an_early_return, raises_after_an_early_return, 1,
    ),
    "the caller, a line later": (raises_in_another_line, raises_in_another_line, 2),
}  # fmt: skip
"""Case -> the function, the one that raises, and the line in that."""


def note(action: Any, engine: Any) -> Any:
    crowd = crowd_with(action, engine)
    crowd["x"][1] = 9.0
    with pytest.raises((ZeroDivisionError, ValueError)) as caught:
        crowd.update(0.1)
    return caught.value.__notes__


@pytest.mark.parametrize("engine", ["python", pytest.param("compiled", marks=pytest.mark.slow)])
@pytest.mark.parametrize("what", FAULTY)
def test_the_innermost_line_is_reported(what: str, engine: Any) -> None:
    function, raises, line = FAULTY[what]
    assert note(CrowdAction(on_update=function), engine) == [place_of(raises, line)]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_so_is_that_of_a_predicate(engine: Any) -> None:
    assert note(SendEventWhen(is_near, "GO"), engine) == [place_of(is_near, 2)]


def test_of_the_users_functions_only() -> None:
    def counts(npc: Any, world: Any) -> None:
        npc.health = half(npc.health)

    def half(number: Any) -> Any:
        return number / 2

    crowd = crowd_with(CrowdAction(on_update=counts), "python")
    with pytest.raises(ExceptionGroup) as caught:
        crowd.update(0.1)
    assert caught.value.exceptions[0].__notes__ == [place_of(counts, 1)]


def test_what_is_not_an_event_is_refused_where_functions_are_called_as_they_are() -> None:
    def sees(npc: Any, world: Any) -> Any:
        return npc.y > 0.0

    crowd = crowd_with(CrowdAction(on_update=sees), "python")
    message = r"sees\(\) must return an event, got True\. Return the name of an event"
    with pytest.raises(TypeError, match=message):
        crowd.fsm(0).update(0.1)
    crowd.remove([1])
    with pytest.raises(TypeError, match=message) as caught:
        crowd.update(0.1)
    assert caught.value.__notes__ == [place_of(sees, 0)]


@pytest.mark.slow
def test_a_function_that_cannot_raise_notes_nothing() -> None:
    def swings(npc: Any, world: Any) -> None:
        npc.y = middle(npc.x, npc.y)

    def middle(one: Any, other: Any) -> Any:
        return (one + other) * 0.5

    source = crowd_with(CrowdAction(on_update=swings)).source
    assert re.findall("notes.0.*|def call_.*", source) == ["def call_middle(one_, other_):"]


def refusal(action: Any) -> str:
    with pytest.raises(SubsetError) as caught:
        crowd_with(action)
    return re.sub(r"/\S*/", "", str(caught.value))


def test_what_a_ready_made_action_cannot_do_is_reported_with_its_place_and_field() -> None:
    assert refusal(Move("health", None, 3.5, 2.0)).partition(", library.py:")[0] == (
        "Fsm 'Npc', state 'Work', actions[0] (Move)"
    )
    assert refusal(Move("health", None, 3.5, 2.0)).endswith(
        "begin_move_from_here(): own.value, the field 'health', must be int, got float. "
        "Make it a field of the kind float."
    )


def test_a_shared_value_behind_a_parameter_is_named() -> None:
    def rises(npc: Any, world: Any, own: Any) -> None:
        own.value = 1.0

    line = rises.__code__.co_firstlineno + 1
    assert refusal(CrowdAction(on_update=rises, parameters={"value": "world.level"})) == (
        f"test_crowd_error_places.py:{line}, rises(): own.value, the field 'world.level', cannot "
        "be written here. Shared values would depend on the order of the agents: change them from "
        "outside, between two updates."
    )


def test_a_predicate_that_cannot_be_compiled_is_reported_with_the_action() -> None:
    def sees(npc: Any, world: Any) -> Any:
        return npc.z > 0.0

    line = sees.__code__.co_firstlineno + 1
    assert refusal(SendEventWhen(sees, "GO")) == (
        "Fsm 'Npc', state 'Work', actions[0] (SendEventWhen), "
        f"test_crowd_error_places.py:{line}, sees(): the agents have no field 'z'. Known fields: "
        "x, y, health."
    )
