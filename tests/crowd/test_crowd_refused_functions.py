"""Functions that cannot be compiled. The docstring of each is what is said of the line `# here`."""

from __future__ import annotations

import inspect
import math
import random as standard_random
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy
import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, SubsetError, random

PRICES = [1.0, 2.0]
NAME = "Bob"
FUNCTIONS: list[Callable[..., Any]] = []


@define
class Npc:
    x: float = 0.0
    health: int = 3
    alive: bool = True


@define
class World:
    player: float = 0.0


def refused(function: Callable[..., Any]) -> Callable[..., Any]:
    FUNCTIONS.append(function)
    return function


@refused
def misspelt_field(npc: Any, world: Any) -> Any:
    """The agents have no field 'xx'. Known fields: x, health, alive."""
    npc.xx += 1.0  # here


@refused
def misspelt_shared_value(npc: Any, world: Any) -> Any:
    """The world has no field 'playr'. Known fields: dt, player."""
    npc.x = world.playr  # here


@refused
def misspelt_value_of_the_action(npc: Any, world: Any, own: Any) -> Any:
    """The action has no field 'sped'. Known fields: speed, steps."""
    npc.x = own.sped  # here


@refused
def writes_the_world(npc: Any, world: Any) -> Any:
    """World.player cannot be written here. Shared values would depend on the order of the
    agents: change them from outside, between two updates."""
    world.player = npc.x  # here


@refused
def writes_a_constant(npc: Any, world: Any, own: Any) -> Any:
    """Own.speed cannot be written here. It is a constant."""
    own.speed += 1.0  # here


@refused
def loops(npc: Any, world: Any) -> Any:
    """A loop cannot be compiled. Write its steps out; compute values for all agents between two
    updates."""
    for price in PRICES:  # here
        npc.x += price


@refused
def reads_a_list(npc: Any, world: Any) -> Any:
    """An index cannot be compiled. Use arithmetic, comparisons, conditions, math, fields
    and local numbers."""
    npc.x = PRICES[0]  # here


@refused
def stores_a_list(npc: Any, world: Any) -> Any:
    """A list cannot be compiled. Use arithmetic, comparisons, conditions, math, fields
    and local numbers."""
    npc.x = [1.0, 2.0]  # here


@refused
def stores_a_text(npc: Any, world: Any) -> Any:
    """'left' is not a number. Columns hold numbers: give each str a number, or make it a state."""
    npc.x = "left"  # here


@refused
def stores_nothing(npc: Any, world: Any) -> Any:
    """None is not a number. Values are numbers."""
    npc.x = None  # here


@refused
def reads_a_text(npc: Any, world: Any) -> Any:
    """'NAME' is not a number but 'Bob'. Numbers from outside are constants; make values that
    change fields of the world."""
    npc.x = NAME  # here


@refused
def prints(npc: Any, world: Any) -> Any:
    """Compiled code prints nothing. To print, or to stop in a debugger, make the crowd with
    engine='python'."""
    print(npc.x)  # here


@refused
def returns_a_number(npc: Any, world: Any) -> Any:
    """`return npc.x` must return an event. Return the name of an event, a str, or None."""
    return npc.x  # here


@refused
def returns_true(npc: Any, world: Any) -> Any:
    """`return npc.x > 5.0` must return an event. Return the name of an event, a str, or None."""
    return npc.x > 5.0  # here


@refused
def stores_a_fraction(npc: Any, world: Any) -> Any:
    """Npc.health must be int, got float. Write int(...), or make it a field of the
    kind float."""
    npc.health -= 0.5  # here


@refused
def takes_hypot(npc: Any, world: Any) -> Any:
    """Math.hypot is rounded differently in compiled code. Write math.sqrt(x * x + y * y)."""
    npc.x = math.hypot(npc.x, world.player)  # here


@refused
def takes_a_power(npc: Any, world: Any) -> Any:
    """Powers are rounded differently in compiled code. Write x * x."""
    npc.x = npc.x**2  # here


@refused
def rolls_other_dice(npc: Any, world: Any) -> Any:
    """Standard_random.random() would depend on the order of the agents. Use random(agent) or
    uniform(agent, low, high) of fsmkit.crowd."""
    npc.x = standard_random.random()  # here


@refused
def rolls_for_nobody(npc: Any, world: Any) -> Any:
    """Random() takes the agent first. Write random(npc)."""
    npc.x = random()  # type: ignore[call-arg]  # here


@refused
def rolls_perhaps(npc: Any, world: Any) -> Any:
    """Random() is drawn only in some cases within this expression. Draw it into a variable
    first."""
    npc.x = random(npc) if npc.alive else 0.0  # here


@refused
def has_a_value_on_one_way_only(npc: Any, world: Any) -> Any:
    """There is no 'way' here, or not on every path. Check the spelling, or give it a value
    first."""
    if npc.x > 1.0:
        way = 1.0
    npc.x += way  # here


@refused
def hides_a_constant(npc: Any, world: Any) -> Any:
    """There is no 'NAME' here, or not on every path. Check the spelling, or give it a value
    first."""
    if npc.x > 1.0:
        NAME = 1.0  # noqa: N806
    npc.x += NAME  # here


@refused
def rounds_to_cents(npc: Any, world: Any) -> Any:
    """Round() has 2 arguments. Pass 1."""
    npc.x = round(npc.x, 2)  # here


@refused
def catches(npc: Any, world: Any) -> Any:
    """`try` cannot be compiled. Use if and else, assignments and return."""
    try:  # here
        npc.x = 1.0 / npc.x
    except ZeroDivisionError:
        npc.x = 0.0


@refused
def calls_a_method(npc: Any, world: Any) -> Any:
    """Npc.attack() is a method. Write a function that takes the agent."""
    npc.attack()  # here


@refused
def sends_as_other_actions_do(npc: Any, world: Any) -> Any:
    """Npc.send_event() is a method. To send an event, return it."""
    npc.send_event("HIT")  # here


@refused
def calls_what_is_not_there(npc: Any, world: Any) -> Any:
    """There is no function far(). Check the spelling."""
    npc.x = far(npc)  # type: ignore[name-defined]  # noqa: F821  # here


@refused
def forgets_to_assign(npc: Any, world: Any) -> Any:
    """`npc.x + 1.0` has no effect here. A function reads and writes fields, and may return an
    event."""
    npc.x + 1.0  # here


@refused
def has_or_for_a_default(npc: Any, world: Any) -> Any:
    """`and` and `or` of numbers return one of the numbers. Compare them: `a > 0 and b > 0`."""
    npc.x = npc.x or 1.0  # here


@refused
def hands_on_the_agent_as_a_number(npc: Any, world: Any) -> Any:
    """'npc' stands for all of its fields. Name one: npc.FIELD."""
    npc.x = abs(npc)  # here


def writes(npc: Any) -> Any:
    """It writes to a field. Return the value, and assign it where it is called."""
    npc.x = 2.0  # here
    return 1.0


def half(x: Any) -> Any:  # noqa: RET503
    """It must return a number on every path. End it with `return`."""
    if x > 1.0:  # here
        return 0.5


def endless(x: Any) -> Any:
    """It calls itself. Write it without recursion."""
    return endless(x - 1.0)


def rolls(npc: Any) -> Any:
    """Random() must be drawn in a function of an action. Draw it there, and pass it on."""
    return random(npc)  # here


def message_for(function: Callable[..., Any]) -> str:
    machine = CrowdFsm("Npc", Npc, World)
    machine.add_state("Walk").add_action(
        CrowdAction(on_update=function, parameters={"speed": 1.0}, memory={"steps": 0})
    )
    with pytest.raises(SubsetError) as caught:
        Crowd(machine, 1)
    return str(caught.value)


def told(function: Callable[..., Any]) -> str:
    """Return the message that its docstring and its line describe."""
    lines, first = inspect.getsourcelines(function)
    [line] = [first + number for number, text in enumerate(lines) if "# here" in text]
    text = " ".join(str(function.__doc__).split())
    return f"{__file__}:{line}, {function.__name__}(): {text}"


def small(text: str) -> str:
    """Return `text` with a small first letter: docstrings begin with a capital."""
    head, colon, rest = text.partition("(): ")
    return head + colon + rest[:1].lower() + rest[1:]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_what_cannot_be_compiled_is_reported(function: Callable[..., Any]) -> None:
    assert small(message_for(function)) == small(told(function))


@pytest.mark.parametrize("inner", [writes, half, rolls], ids=lambda function: function.__name__)
def test_so_is_what_is_called(inner: Callable[..., Any]) -> None:
    def calls_with_agent(npc: Any, world: Any) -> Any:
        npc.x = inner(npc)

    def calls_with_number(npc: Any, world: Any) -> Any:
        npc.x = inner(npc.x)

    function = calls_with_number if inner is half else calls_with_agent
    assert small(message_for(function)) == small(told(inner))


def test_recursion_is_reported() -> None:
    def calls(npc: Any, world: Any) -> Any:
        npc.x = endless(npc.x)

    assert "endless(): it calls itself. Write it without recursion." in message_for(calls)


def test_what_a_decorator_has_made_is_not_mistaken_for_what_it_wraps() -> None:
    def quietly(function: Any) -> Any:
        @wraps(function)
        def wrapper(npc: Any, world: Any) -> Any:
            return function(npc, world)

        return wrapper

    assert "wrapper(): `return function(npc, world)` must return an event." in message_for(
        quietly(writes_the_world)
    )


def test_a_function_without_a_source_runs_in_python_only() -> None:
    function = eval("lambda npc, world: 'HIT'")
    machine = CrowdFsm("Npc", Npc, World)
    walk, hit = machine.add_state("Walk"), machine.add_state("Hit")
    walk.add_action(CrowdAction(on_update=function))
    walk.add_transition("HIT", hit)
    crowd = Crowd(machine, 1, start="Walk", engine="python")
    crowd.update(0.1)
    assert crowd.count() == {"Walk": 0, "Hit": 1}
    assert message_for(function) == (
        "The source of <lambda>() cannot be read, so it cannot be compiled. Put it into a file, as "
        "a `def`, or make the crowd with engine='python'."
    )


def takes_a_root(npc: Any, world: Any) -> Any:
    """Powers are rounded differently in compiled code. Write math.sqrt(x) for a square root,
    math.exp(y * math.log(x)) for others."""
    npc.x = npc.x**0.5  # here


def takes_a_root_of_math(npc: Any, world: Any) -> Any:
    """Powers are rounded differently in compiled code. Write math.sqrt(x) for a square root,
    math.exp(y * math.log(x)) for others."""
    npc.x = math.pow(npc.x, 1 / 2)  # here


def takes_a_square_of_math(npc: Any, world: Any) -> Any:
    """Powers are rounded differently in compiled code. Write x * x."""
    npc.x = math.pow(npc.x, 2)  # here


def rolls_numpys_dice(npc: Any, world: Any) -> Any:
    """Numpy.random.random() would depend on the order of the agents. Use random(agent) or
    uniform(agent, low, high) of fsmkit.crowd."""
    npc.x = numpy.random.random()  # here


def rolls_with_a_generator(npc: Any, world: Any) -> Any:
    """DICE.normal() would depend on the order of the agents. Use random(agent) or
    uniform(agent, low, high) of fsmkit.crowd."""
    npc.x = DICE.normal()  # here


def shuffles(npc: Any, world: Any) -> Any:
    """Standard_random.gauss() would depend on the order of the agents. Use random(agent) or
    uniform(agent, low, high) of fsmkit.crowd."""
    npc.x = standard_random.gauss(0.0, 1.0)  # here


def takes_a_root_of_numpy(npc: Any, world: Any) -> Any:
    """Numpy.sqrt() cannot be compiled. These can be called: functions of math, abs, min, max,
    round, int, float, bool, random, uniform, and functions of your own that are made of the
    same."""
    npc.x = numpy.sqrt(npc.x)  # here


def calls_what_cannot_be_read(npc: Any, world: Any) -> Any:
    """UNREADABLE() cannot be called here. The source of <lambda>() cannot be read, so it cannot be
    compiled. Put it into a file, as a `def`, or make the crowd with engine='python'."""
    npc.x = UNREADABLE(npc.x)  # here


async def waits(npc: Any, world: Any) -> Any:  # here
    """An `async def` cannot be compiled, as nothing awaits it. Write `def`."""


DICE = numpy.random.default_rng(1)
UNREADABLE = eval("lambda x: x * 2.0")


@pytest.mark.parametrize(
    "function",
    [
        takes_a_root,
        takes_a_root_of_math,
        takes_a_square_of_math,
        rolls_numpys_dice,
        rolls_with_a_generator,
        shuffles,
        takes_a_root_of_numpy,
        calls_what_cannot_be_read,
        waits,
    ],
    ids=lambda function: function.__name__,
)
def test_what_looks_like_a_function_to_call_is_reported(function: Callable[..., Any]) -> None:
    assert small(message_for(function)) == small(told(function))
