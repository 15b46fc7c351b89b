"""What a beginner gets to read: where it is, what it is, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm, SubsetError, random


@define
class Npc:
    x: float = 0.0
    hits: int = 0


@define
class World:
    player: float = 0.0


def misspelt(npc: Any, world: Any) -> Any:
    npc.z = 1.0


def loops(npc: Any, world: Any) -> Any:
    for _ in range(3):
        npc.x += 1.0


def lists(npc: Any, world: Any) -> Any:
    path = [1.0, 2.0]  # noqa: F841


def prints(npc: Any, world: Any) -> Any:
    print(npc.x)


def writes_world(npc: Any, world: Any) -> Any:
    world.player = 3.0


def returns_number(npc: Any, world: Any) -> Any:
    return npc.x


def powers(npc: Any, world: Any) -> Any:
    npc.x = npc.x**2


def hypots(npc: Any, world: Any) -> Any:
    npc.x = math.hypot(npc.x, 1.0)


def float_in_int(npc: Any, world: Any) -> Any:
    npc.hits = npc.x


def texts(npc: Any, world: Any) -> Any:
    npc.x = "far"


def unbound(npc: Any, world: Any) -> Any:
    if npc.x > 1.0:
        way = 2.0
    npc.x = way


def draws(npc: Any, world: Any) -> Any:
    if npc.x > 0.0 and random(npc) < 0.5:
        npc.x = 0.0


def three(npc: Any) -> Any:
    pass


MESSAGES: dict[Callable[..., Any], tuple[int, str]] = {
    misspelt: (1, "the agents have no field 'z'. There are: x, hits."),
    loops: (1, "a loop cannot be compiled. What can be: if and else, assignments and return."),
    lists: (
        1,
        (
            "a list cannot be compiled. What can be: arithmetic, comparisons, conditions, math, "
            "fields and local numbers."
        ),
    ),
    prints: (
        1,
        (
            "compiled code prints nothing. To print, or to stop in a debugger, make the crowd with "
            "engine='python'."
        ),
    ),
    writes_world: (
        1,
        (
            "world.player cannot be written here. What all agents share would depend on their "
            "order: change it from outside, between two updates."
        ),
    ),
    returns_number: (
        1,
        "`return npc.x` returns no event. Return the name of an event, a text, or None.",
    ),
    powers: (1, "powers are rounded otherwise in compiled code. Write x * x."),
    hypots: (
        1,
        "math.hypot is rounded otherwise in compiled code. Write math.sqrt(x * x + y * y).",
    ),
    float_in_int: (
        1,
        (
            "npc.hits is of the kind int, and this is float. Write int(...), or make it a field of "
            "the kind float."
        ),
    ),
    texts: (
        1,
        "'far' is no number. Columns hold numbers: give each text a number, or make it a state.",
    ),
    unbound: (
        3,
        (
            "there is no 'way' here, or not on every way. Check the spelling, or give it a value "
            "first."
        ),
    ),
    draws: (
        1,
        "random() is drawn or not, within one expression. Draw it into a variable first.",
    ),
}


def crowd_that(function: Callable[..., Any]) -> Crowd:
    machine = CrowdFsm("Npc", Npc, World)
    machine.add_state("Lives").add_action(CrowdAction(on_update=function))
    return Crowd(machine, 3)


@pytest.mark.parametrize("function", MESSAGES, ids=lambda function: function.__name__)
def test_what_cannot_be_compiled_is_refused_with_its_place(function: Any) -> None:
    line, message = MESSAGES[function]
    place = f"{__file__}:{function.__code__.co_firstlineno + line}, {function.__name__}()"
    with pytest.raises(SubsetError) as caught:
        crowd_that(function)
    assert str(caught.value) == f"{place}: {message}"


def test_a_function_without_source_is_refused() -> None:
    namespace: dict[str, Any] = {}
    exec("def nowhere(npc, world):\n    npc.x = 1.0", namespace)
    with pytest.raises(SubsetError) as caught:
        crowd_that(namespace["nowhere"])
    assert str(caught.value) == (
        "The source of nowhere() cannot be read, so it cannot be compiled. Put it into a file, as "
        "a `def`, or make the crowd with engine='python'."
    )


def test_a_function_with_too_few_parameters_is_refused() -> None:
    with pytest.raises(CrowdError, match=r"three\(npc: 'Any'\).*It takes two parameters"):
        CrowdAction(on_update=three)


def test_fields_without_a_default_or_of_another_kind_are_refused() -> None:
    @define
    class NoDefault:
        x: float

    @define
    class Text:
        name: str = ""

    for record, message in {
        NoDefault: "x has no default. Give it one, which every agent begins with: `x: float = 0.0`",
        Text: "name is annotated with str. A column holds float, int or bool",
        dict: "are described by an attrs class, not by <class 'dict'>. Write `@define` above",
    }.items():
        with pytest.raises(CrowdError) as caught:
            CrowdFsm("Npc", record)
        assert message in str(caught.value)
