"""Functions that cannot be compiled. The docstring of each is what is said of the line `# here`."""

from __future__ import annotations

import inspect
import math
import random as standard_random
from collections.abc import Callable
from enum import Enum, IntEnum, IntFlag
from functools import wraps
from typing import Any

import numpy
import pytest
from attrs import define
from every import every

from fsmkit.crowd import (
    Crowd,
    CrowdAction,
    CrowdFsm,
    CrowdGuard,
    SubsetError,
    exponential,
    normal,
    random,
)

PRICES = [1.0, 2.0]
SPEEDS = (1.0, 2.0)
MATRIX = ((1.0, 2.0), (3.0, 4.0))
RAGGED = ((1.0,), (3.0, 4.0))
WAYS = numpy.zeros(3)
NAME = "Bob"
FUNCTIONS: list[Callable[..., Any]] = []


class Colour(Enum):
    RED = 1


class Place(IntEnum):
    HOME = 1


class Marks(IntFlag):
    HOT = 1


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
def loops_over_a_list(npc: Any, world: Any) -> Any:
    """PRICES is a list, which may change. Make it a tuple, or a Table of the world."""
    for price in PRICES:  # here
        npc.x += price


@refused
def reads_a_list(npc: Any, world: Any) -> Any:
    """PRICES is a list, which may change. Make it a tuple, or a Table of the world."""
    npc.x = PRICES[0]  # here


@refused
def is_in_a_list(npc: Any, world: Any) -> Any:
    """PRICES is a list, which may change. Make it a tuple, or a Table of the world."""
    npc.alive = npc.x in PRICES  # here


@refused
def reads_an_array(npc: Any, world: Any) -> Any:
    """WAYS is an array of numpy, which may change. Make it a Table of the world."""
    npc.x = WAYS[npc.health]  # here


@refused
def loops_as_often_as_a_field_says(npc: Any, world: Any) -> Any:
    """Range(npc.health) is not constant, but loops are unrolled when they are compiled. Loop over a
    constant range, and leave it with `break`."""
    for _ in range(npc.health):  # here
        npc.x += 1.0


@refused
def loops_over_others(npc: Any, world: Any) -> Any:
    """A loop over world.player cannot be compiled, as that is not constant. Loop over a constant
    range or tuple; let Cells or Places write quantities of neighbours."""
    for other in world.player:  # here
        npc.x += other.x


@refused
def loops_without_end(npc: Any, world: Any) -> Any:
    """A loop cannot be compiled. Write `for _ in range(10):`, and leave it with `break`."""
    while npc.x > 0.0:  # here
        npc.x -= 1.0


@refused
def loops_too_long(npc: Any, world: Any) -> Any:
    """The loop has 101 iterations, and is unrolled when it is compiled. 100 are possible."""
    for i in range(101):  # here
        npc.x += i


@refused
def loops_in_loops_too_long(npc: Any, world: Any) -> Any:
    """The loops have more than 100 iterations together, and are unrolled when they are compiled.
    Use fewer."""
    for i in range(10):
        for j in range(10):  # here
            npc.x += i * j


@refused
def loops_with_the_agent(npc: Any, world: Any) -> Any:
    """'npc' is a parameter. Use a variable of another name."""
    for npc in range(2):  # noqa: PLR1704  # here
        world.player += npc


@refused
def has_two_kinds_after_a_loop(npc: Any, world: Any) -> Any:
    """'size' has one kind where a loop or an iteration ends early, and another kind elsewhere. Make
    it a float everywhere: write 0.0 for 0."""
    size = 0
    for i in range(3):
        if npc.x > i:
            break
        size = 0.5
    npc.x = size  # here


@refused
def matches_a_class(npc: Any, world: Any) -> Any:
    """`case int()` is not a pattern for numbers. Match numbers, with | and _."""
    match npc.health:
        case int():  # here
            npc.x = 1.0


@refused
def matches_a_text(npc: Any, world: Any) -> Any:
    """'left' is not a number. Columns hold numbers: give each str a number, or make it a state."""
    match npc.health:
        case "left":  # here
            npc.x = 1.0


@refused
def matches_true_with_a_number(npc: Any, world: Any) -> Any:
    """`case True` is for fields that are bool. Write 1."""
    match npc.health:
        case True:  # here
            npc.x = 1.0


@refused
def reads_beyond_what_is_constant(npc: Any, world: Any) -> Any:
    """MATRIX[npc.health] is not a number. Write 2 indices."""
    npc.x = MATRIX[npc.health]  # here


@refused
def reads_a_ragged_tuple(npc: Any, world: Any) -> Any:
    """RAGGED[npc.health][0] does not read a number for every index. A constant tuple has numbers,
    or tuples of numbers that are equally long."""
    npc.x = RAGGED[npc.health][0]  # here


@refused
def reads_with_a_fraction(npc: Any, world: Any) -> Any:
    """Npc.x is a float and cannot be a row or column. Write int(...)."""
    npc.x = SPEEDS[npc.x]  # here


@refused
def is_among_fractions(npc: Any, world: Any) -> Any:
    """`npc.x in (npc.x, 1.0)` looks for a float among other floats. Write `x == a or x == b`."""
    npc.alive = npc.x in (npc.x, 1.0)  # here


@refused
def is_in_an_enum(npc: Any, world: Any) -> Any:
    """Place is a class, whose members depend on the version of Python. Name its members: `x in (A,
    B)`."""
    npc.alive = npc.health in Place  # here


@refused
def makes_a_member(npc: Any, world: Any) -> Any:
    """Place() makes a member, but fields hold plain numbers. Write the number itself."""
    npc.health = Place(npc.health)  # here


@refused
def takes_a_length(npc: Any, world: Any) -> Any:
    """Len() works only on constants. Put the number into the world."""
    npc.health = len(npc.health)  # here


@refused
def reads_a_list_of_its_own(npc: Any, world: Any) -> Any:
    """[1, 2] is a list. Write a tuple: (1, 2)[...]."""
    npc.health = [1, 2][npc.health]  # here


@refused
def reads_a_slice(npc: Any, world: Any) -> Any:
    """A slice cannot be compiled. Use arithmetic, comparisons, conditions, math, fields and local
    numbers."""
    npc.x = SPEEDS[npc.health :][0]  # here


@refused
def matches_a_dictionary(npc: Any, world: Any) -> Any:
    """`case {'a': 1}` is not a pattern for numbers. Match numbers, with | and _."""
    match npc.health:
        case {"a": 1}:  # here
            npc.x = 1.0


@refused
def is_in_nan(npc: Any, world: Any) -> Any:
    """Nan is equal to nothing. Write math.isnan(...)."""
    npc.alive = npc.x in (math.nan, 1.0)  # here


@refused
def is_in_a_field(npc: Any, world: Any) -> Any:
    """`npc.x in npc.health`: npc.health is not constant. Write `x in (1, 2)`, or compare numbers
    with < <= > >= == !=."""
    npc.alive = npc.x in npc.health  # here


@refused
def is_nothing(npc: Any, world: Any) -> Any:
    """`is` cannot be compiled. Compare numbers with < <= > >= == !=."""
    npc.alive = npc.health is Colour.RED  # here


@refused
def takes_a_plain_enum(npc: Any, world: Any) -> Any:
    """'Colour.RED' is a member of an Enum. Make that an IntEnum, whose members are numbers."""
    npc.health = Colour.RED  # here


@refused
def takes_a_flag(npc: Any, world: Any) -> Any:
    """'Marks.HOT' is a member of a Flag. Write Marks.HOT.value."""
    npc.health = Marks.HOT  # here


@refused
def writes_its_id(npc: Any, world: Any) -> Any:
    """Npc.id is read-only: the crowd maintains it. For a value of your own, add a field of another
    name."""
    npc.id = 3  # here


@refused
def writes_the_time(npc: Any, world: Any) -> Any:
    """World.time is read-only: the crowd maintains it. For a value of your own, add a field of
    another name."""
    world.time = 0.0  # here


@refused
def writes_its_time_in_state(npc: Any, world: Any) -> Any:
    """Npc.time_in_state is read-only: the crowd maintains it. For a value of your own, add a field
    of another name."""
    npc.time_in_state += 1.0  # here


@refused
def counts(npc: Any, world: Any) -> Any:
    """World.count() is a method. Count between two updates, and read the number as a field:
    crowd.count() for all agents, Cells(...).count(into=...) for agents nearby, Places(...) for
    those at the same place."""
    npc.health = world.count("Ill")  # here


@refused
def adds_another(npc: Any, world: Any) -> Any:
    """World.add() is a method. Call spawn(agent, ...) of fsmkit.crowd in a function of an
    action, or crowd.add() between two updates."""
    world.add(1)  # here


@refused
def spawns(npc: Any, world: Any) -> Any:
    """Npc.spawn() is a method. Call spawn(agent, ...) of fsmkit.crowd in a function of an
    action, or crowd.add() between two updates."""
    npc.spawn(x=1.0)  # here


@refused
def removes_itself(npc: Any, world: Any) -> Any:
    """World.remove() is a method. Go to a state that was added with retire=True, or call
    crowd.remove() between two updates."""
    world.remove(npc)  # here


@refused
def looks_for_neighbours(npc: Any, world: Any) -> Any:
    """World.nearest() is a method. A function sees no other agent. Cells(...) and Places(...) write
    quantities of neighbours into fields between two updates: read those."""
    npc.x = world.nearest(npc)  # here


@refused
def rolls_too_late(npc: Any, world: Any) -> Any:
    """Rolls_and_fails() draws, and may raise after something else in the same line may. Call it
    into a variable first."""
    npc.x = 1.0 / npc.x + rolls_and_fails(npc)  # here


@refused
def calls_perhaps(npc: Any, world: Any) -> Any:
    """Rolls_and_fails() is drawn only in some cases within this expression. Draw it into a variable
    first."""
    npc.x = rolls_and_fails(npc) if npc.alive else 0.0  # here


def rolls_and_fails(npc: Any) -> Any:
    return 1.0 / random(npc)


@refused
def rolls_around_nothing(npc: Any, world: Any) -> Any:
    """Normal() has 1 arguments. Pass 3."""
    npc.x = normal(npc)  # type: ignore[call-arg]  # here


@refused
def rolls_for_the_world(npc: Any, world: Any) -> Any:
    """Exponential() takes the agent first. Write exponential(npc, mean)."""
    npc.x = exponential(world, 1.0)  # here


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
    """'NAME' is not a number but 'Bob'. Numbers from outside are constants; values that change
    belong in fields of the world."""
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
def calls_the_time(npc: Any, world: Any) -> Any:
    """World.time is not a function. Leave out the parentheses."""
    npc.x = world.time()  # here


@refused
def calls_its_id(npc: Any, world: Any) -> Any:
    """Npc.id is not a function. Leave out the parentheses."""
    npc.x = npc.id()  # here


@refused
def calls_a_field(npc: Any, world: Any) -> Any:
    """Npc.x is not a function. Leave out the parentheses."""
    npc.x = npc.x()  # here


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


@every("function", FUNCTIONS)
def test_what_cannot_be_compiled_is_reported(function: Callable[..., Any]) -> None:
    assert small(message_for(function)) == small(told(function))


@pytest.mark.parametrize("inner", [writes, half], ids=lambda function: function.__name__)
def test_so_is_what_is_called(inner: Callable[..., Any]) -> None:
    def calls_with_agent(npc: Any, world: Any) -> Any:
        npc.x = inner(npc)

    def calls_with_number(npc: Any, world: Any) -> Any:
        npc.x = inner(npc.x)

    function = calls_with_number if inner is half else calls_with_agent
    assert small(message_for(function)) == small(told(inner))


def rolls(npc: Any) -> Any:
    return random(npc)


def rolls_as_a_guard(npc: Any, world: Any) -> Any:
    return rolls(npc) > 0.5


def test_a_guard_draws_nothing_even_if_an_action_calls_the_same_function() -> None:
    def draws(npc: Any, world: Any) -> Any:
        npc.x = rolls(npc)

    machine = CrowdFsm("Npc", Npc, World)
    walk = machine.add_state("Walk")
    walk.add_action(CrowdAction(on_update=draws))
    Crowd(machine, 1)
    walk.add_transition("HIT", walk, when=CrowdGuard(rolls_as_a_guard))
    with pytest.raises(
        SubsetError, match=r"rolls\(\) draws random numbers, but a guard only answers"
    ):
        Crowd(machine, 1)


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
    """DICE.normal() would depend on the order of the agents. Use normal(agent, mean, deviation) of
    fsmkit.crowd."""
    npc.x = DICE.normal()  # here


def shuffles(npc: Any, world: Any) -> Any:
    """Standard_random.gauss() would depend on the order of the agents. Use normal(agent, mean,
    deviation) of fsmkit.crowd."""
    npc.x = standard_random.gauss(0.0, 1.0)  # here


def waits_at_random(npc: Any, world: Any) -> Any:
    """Standard_random.expovariate() would depend on the order of the agents. Use exponential(agent,
    mean) of fsmkit.crowd."""
    npc.x = standard_random.expovariate(1.0)  # here


def takes_a_root_of_numpy(npc: Any, world: Any) -> Any:
    """Numpy.sqrt() cannot be compiled. Write math.sqrt()."""
    npc.x = numpy.sqrt(npc.x)  # here


def takes_a_cube_root_of_numpy(npc: Any, world: Any) -> Any:
    """Numpy.cbrt() cannot be compiled. These can be called: functions of math, abs, min, max,
    round, int, float, bool, random, uniform, normal, exponential, and functions of your own made of
    these."""
    npc.x = numpy.cbrt(npc.x)  # here


def calls_what_cannot_be_read(npc: Any, world: Any) -> Any:
    """UNREADABLE() cannot be called here. The source of <lambda>() cannot be read, so it cannot be
    compiled. Put it into a file, as a `def`, or make the crowd with engine='python'."""
    npc.x = UNREADABLE(npc.x)  # here


async def waits(npc: Any, world: Any) -> Any:  # here
    """An `async def` cannot be compiled, as nothing awaits it. Write `def`."""


DICE = numpy.random.default_rng(1)
UNREADABLE = eval("lambda x: x * 2.0")


@every(
    "function",
    [
        takes_a_root,
        takes_a_root_of_math,
        takes_a_square_of_math,
        rolls_numpys_dice,
        rolls_with_a_generator,
        shuffles,
        waits_at_random,
        takes_a_root_of_numpy,
        takes_a_cube_root_of_numpy,
        calls_what_cannot_be_read,
        waits,
    ],
)
def test_what_looks_like_a_function_to_call_is_reported(function: Callable[..., Any]) -> None:
    assert small(message_for(function)) == small(told(function))


def test_the_way_through_the_compiler_is_left_out_of_the_traceback() -> None:
    machine = CrowdFsm("Npc", Npc, World)
    machine.add_state("Walk").add_action(CrowdAction(on_update=takes_a_root_of_numpy))
    with pytest.raises(SubsetError) as caught:
        Crowd(machine, 1)
    names = [entry.name for entry in caught.traceback]
    assert names == [
        "test_the_way_through_the_compiler_is_left_out_of_the_traceback",
        "__init__",
        "plan",
        "plan",
    ]
