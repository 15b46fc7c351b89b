"""Compiled functions take the same paths as in Python: branches, returns, variables, helpers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, random, uniform

LIMIT = 2.0
FUNCTIONS: list[Callable[..., Any]] = []


@define
class Npc:
    x: float = 0.0
    y: float = 0.0
    n: int = 0
    told: int = 0


@define
class World:
    level: float = 0.5


class Event:
    GO = "GO"


def tried(function: Callable[..., Any]) -> Callable[..., Any]:
    FUNCTIONS.append(function)
    return function


@tried
def returns_early(npc: Any, world: Any) -> Any:
    """Statements after a return are not executed."""
    if npc.x > LIMIT:
        npc.told += 1
        return "GO"
    if npc.y > LIMIT:
        return None
    npc.told += 2
    if npc.n == 1:
        return Event.GO
    npc.told += 4
    return None


@tried
def returns_in_the_middle_of_a_branch(npc: Any, world: Any) -> Any:
    if npc.x > 0.0:
        if npc.y > 0.0:
            if npc.n > 1:
                return "GO"
            npc.told += 1
        elif npc.n == 0:
            npc.told += 2
        npc.told += 4
    else:
        over = 8  # the name of a variable that compiled code could take
        npc.told += over
    npc.told += 16
    return None


@tried
def returns_one_of_two(npc: Any, world: Any) -> Any:
    return "GO" if npc.x > 0.0 else Event.GO if npc.y > 0.0 and npc.n > 0 else None


@tried
def has_variables(npc: Any, world: Any) -> Any:
    if npc.x > 0.0:
        kind = 1
        size = npc.y
    elif npc.n > 1:
        kind, size = 2, 0.25
    else:
        kind = size = 3
    npc_x: float = size * 2.0  # a name that a column has
    npc.x, npc.y = npc.y, npc_x
    npc.told += kind


def npc(npc: Any, world: Any) -> Any:
    """A function, its parameter and its variables with the names of columns and of the loop."""
    x = npc.x + 1.0
    state = npc.n
    i = x * world.level
    npc.x = i
    npc.n = state + 1


FUNCTIONS.append(npc)


@tried
def draws(npc: Any, world: Any) -> Any:
    draw0 = 0.5
    if random(npc) < draw0:
        npc.x = uniform(npc, npc.y, random(npc))
    elif random(npc) < 0.5:
        npc.told += 1
    npc.y = random(npc) - random(npc)


def nearness(npc: Any, world: Any) -> Any:
    """Reads fields, and calls another one that does."""
    npc_x = npc.x * 3.0
    if npc.n > 0:
        if npc_x > 1.0:
            return distance(npc.x, npc.y) + npc.x
        scale = 0.5
    else:
        scale = inverse(npc.y - 1.0)
    return scale * shifted(npc, world) - npc_x


def distance(x: Any, y: Any) -> Any:
    return math.sqrt(x * x + y * y)


def shifted(npc: Any, world: Any) -> Any:
    return npc.y + world.level


def inverse(x: Any) -> Any:
    """Changes its parameter; raises for 0."""
    x = x * 2.0
    if 1.0 / x > 1e300:
        return 0
    return 1.0 / x


@tried
def calls(npc: Any, world: Any) -> Any:
    npc.y = nearness(npc, world)
    if inverse(npc.x + 4.0) > 0.25:
        return "GO"
    npc.told += clipped(npc.n, 1)
    return None


def clipped(n: Any, most: Any) -> Any:
    return min(n, most)


def share_of(own: Any, npc: Any) -> Any:
    return own.share * npc.x + own.sum


@tried
def has_own_values(npc: Any, world: Any, own: Any) -> Any:
    own.sum += share_of(own, npc)
    own.count += 1
    own.field -= own.shared * own.endless
    if own.count > 2:
        own.count = 0
        return own.event
    return None


def has_other_own_values(npc: Any, world: Any, own: Any) -> Any:
    npc.y += share_of(own, npc)


SWEPT: list[Callable[..., Any]] = [
    returns_early, returns_in_the_middle_of_a_branch, returns_one_of_two, has_variables, npc
]  # fmt: skip
"""Functions that neither draw random numbers nor call others, and some more."""


def swept(function: Callable[..., Any]) -> Callable[..., Any]:
    SWEPT.append(function)
    return function


@swept
def counts(npc: Any, world: Any, own: Any) -> Any:
    own.sum += own.share * npc.x
    own.count += 1
    own.field -= own.shared * own.endless
    if own.count > 2:
        own.count = 0
        return own.event
    return None


@swept
def fails_at_times(npc: Any, world: Any) -> Any:
    """Values written before an error stay."""
    npc.told += 1
    way = math.sqrt(npc.x * npc.y)
    npc.told += 2
    if (npc.n > 0 and 1.0 / (npc.n - 1) > way) or way > 3.0:
        npc.y = 7.0 / way if way < 2.0 else npc.y / (npc.y - 1.0)
        npc.told += 4
        return "GO"
    npc.told = npc.told * 3_000_000_000
    return None


@swept
def goes_on_behind_branches(npc: Any, world: Any) -> Any:
    kind: float = 2
    if npc.x > 0.0:
        size = npc.x
        if npc.n == 1:
            kind = size + 0.5
        elif npc.n == 2:
            return "GO" if 0.5 < size < 2.0 else None
        npc.told += 1
    elif npc.y > 0.0:
        return None
    else:
        size = abs(-npc.y)
    npc.x = min(size, kind, 1.5) - max(-size, 0.25)
    npc.told += abs(npc.n - 2)
    return None


def is_light(npc: Any, world: Any, own: Any) -> Any:
    npc.y += own.share * npc.x + own.sum


def machine(functions: Sequence[Callable[..., Any]], second: Callable[..., Any]) -> CrowdFsm:
    """Make a state for each function, followed by another function."""
    built = CrowdFsm("Npc", Npc, World)
    done = built.add_state("Done")
    own: dict[str, Any] = {
        "parameters": {"share": 0.25, "field": "y", "shared": "world.level", "endless": 1e308},
        "memory": {"sum": 0.0, "count": 0},
        "events": {"event": "GO"},
    }
    for function in (*functions, lambda npc, world: "GO" if npc.x > 1.0 else None):
        state = built.add_state(function.__name__)
        state.add_action(CrowdAction(on_update=function, **own))
        state.add_action(
            CrowdAction(on_update=second, parameters={"share": 2.0}, memory={"sum": 1.0})
        )
        state.add_transition("GO", done)
    return built


def course(state: str, engine: Any, built: CrowdFsm) -> list[list[Any]]:
    """Run agents that start in a state; return their columns and errors."""
    size = 60
    crowd = Crowd(built, size, engine=engine, seed=3)
    crowd["x"] = np.linspace(-4.0, 4.0, size)
    crowd["y"] = np.sin(np.arange(size) * 1.7) * 3.0
    crowd["n"] = np.arange(size) % 3
    crowd["y"][[5, 9]] = 1.0
    crowd.start(state)
    told: list[list[Any]] = []
    for _ in range(4):
        try:
            crowd.update(0.1)
        except (ArithmeticError, ExceptionGroup) as error:
            told.append([str(each) for each in getattr(error, "exceptions", [error])])
            told.append([each.__notes__ for each in getattr(error, "exceptions", [error])])
        told += [column.tolist() for column in crowd._store.arrays().values()]
    return told


@pytest.mark.slow
def test_compiled_functions_do_what_the_functions_do() -> None:
    assert_same(machine(FUNCTIONS, has_other_own_values))


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps")
def test_swept_functions_do_what_the_functions_do() -> None:
    built = machine(SWEPT, is_light)
    assert "def sweep" in Crowd(built, 1).source
    assert_same(built)


def assert_same(built: CrowdFsm) -> None:
    """Check that both engines do the same, in every state."""
    for state in built.states:
        interpreted, compiled = (course(state, each, built) for each in ("python", "compiled"))
        assert repr((state, compiled)) == repr((state, interpreted))


@pytest.mark.slow
def test_names_of_the_loop_are_not_those_of_columns() -> None:
    @define
    class Entered:
        at: float = 0.0

    @define
    class SharedWithTheSameName:
        at: float = 2.0

    SharedWithTheSameName.__name__ = "Entered"

    def go_on(entered: Any, world: Any, own: Any) -> Any:
        at = entered.at + world.at
        entered.at = at + own.at

    built = CrowdFsm("Entered", Entered, SharedWithTheSameName)
    for state in ("Entered", "entered", "S", "STAY"):
        built.add_state(state).add_action(CrowdAction(on_update=go_on, memory={"at": 1.0}))
    crowd = Crowd(built, 2, start="STAY")
    crowd.update(0.1)
    assert crowd["at"].tolist() == [3.0, 3.0]
    assert crowd.time_in_state.tolist() == [0.1, 0.1]
