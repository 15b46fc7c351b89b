"""Loops, `match`, `in`, tables, IntEnums, draws and the clock: the same for machines and crowds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
from attrs import define, field

from fsmkit.crowd import (
    Crowd,
    CrowdAction,
    CrowdFsm,
    CrowdGuard,
    Table,
    exponential,
    normal,
    random,
    uniform,
)

SPEEDS = (0.5, 1.25, -2.0)
MIXED = (1, 2.5, True)
WHOLE = (3, 1, 4)
FLAGS = (True, False, True)
MATRIX = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
DEEP = (((1, 2), (3, 4)), ((5, 6), (7, 8)))
PAIRS = ((1, 0.5), (2, 0.25))
FUNCTIONS: list[Callable[..., Any]] = []


class Place(IntEnum):
    HOME = 0
    WORK = 1
    PARK = 2


@define
class Npc:
    x: float = 0.0
    y: float = 0.0
    n: int = 0
    place: Place = Place.HOME
    told: int = 0
    flag: bool = False


@define
class World:
    level: float = 0.5
    shares: Table[float] = field(factory=Table)
    steps: Table[int] = (1, 2, 3)  # type: ignore[assignment]
    open: Table[bool] = field(factory=Table)
    map: Table[float] = field(factory=Table)


def tried(function: Callable[..., Any]) -> Callable[..., Any]:
    FUNCTIONS.append(function)
    return function


@tried
def goes_round(npc: Any, world: Any) -> Any:
    total = 0
    for i in range(4):
        total += i * npc.n
        npc.y += i / 3
    for x in (0.5, 1, npc_limit):
        total = total + x * npc.x
    npc.x = total
    npc.told += i


npc_limit = 2.5


@tried
def skips_and_leaves(npc: Any, world: Any) -> Any:
    for i in range(5):
        if npc.n == i:
            npc.told += 1
            continue
        if npc.x > i + 2:
            npc.told += 100
            break
        npc.told += 10 * i
    else:
        npc.told += 10_000
    npc.told += 1_000_000


@tried
def leaves_within_branches(npc: Any, world: Any) -> Any:
    found = -1
    for i in range(3):
        if npc.x > i:
            if npc.y > i:
                if npc.n == i:
                    continue
                found = i
                break
            npc.told += 1
        elif npc.n > 1:
            return "GO"
        npc.told += 4
    npc.told += 100 * found
    return None


@tried
def returns_from_a_loop(npc: Any, world: Any) -> Any:
    for limit in SPEEDS:
        if npc.x > limit:
            npc.told += 1
            return "GO"
        npc.told += 2
    npc.told += 4
    return None


@tried
def loops_within_loops(npc: Any, world: Any) -> Any:
    for row in MATRIX:
        for i, value in enumerate(row):
            if value > 4.5 + npc.n:
                break
            if i == npc.n:
                continue
            npc.y += value * npc.x
        else:
            npc.told += 1
            continue
        npc.told += 16
        if npc.x < -2.0:
            break
    for a in range(3):
        for b in range(a):
            if a * b == npc.n:
                return "GO"
            npc.told += 256 * b
    return None


@tried
def assigns_its_variable(npc: Any, world: Any) -> Any:
    for i in range(3):
        if npc.n == i:
            i = i + 10  # noqa: PLW2901
        npc.told += i
    npc.told += i
    for place in Place:
        npc.x += place * place.value
    for a, b in PAIRS:
        npc.y += a * b
    for _ in ():
        npc.y = 0.0
    for k in reversed(range(3)):
        npc.told = npc.told * 3 + k
    for p, (q, r) in zip(WHOLE, enumerate(SPEEDS, start=1), strict=True):
        npc.y += p * q * r


@tried
def has_kinds_that_change(npc: Any, world: Any) -> Any:
    size = 0
    for i in range(3):
        if npc.x > i:
            if npc.y > 0.0:
                continue
            size = 1
        else:
            size = 2
    npc.told += size
    total = 1
    for step in (1, 0.5):
        total = total * step
    npc.x = total


@tried
def matches(npc: Any, world: Any) -> Any:
    match npc.place:
        case Place.HOME:
            npc.told += 1
        case Place.WORK | 7 if npc.x > 0.0:
            npc.told += 2
            return "GO"
        case Place.WORK:
            npc.told += 4
        case 2 | -2:
            npc.told += 8
        case other if other > 100:
            npc.told += 16
        case _:
            npc.told += 32
    match npc.n % 3:
        case 0:
            npc.y += 0.5
        case 1 | 2 as rest:
            npc.y += rest
    return None


@tried
def matches_several(npc: Any, world: Any) -> Any:
    match npc.flag:
        case True:
            npc.told += 64
        case False:
            npc.told += 128
    match npc.x > 0.0, npc.n:
        case (True, 0) | (False, 1):
            npc.told += 256
        case True, n:
            npc.told += 512 * n
        case _:
            npc.told += 1024
    match npc.x:
        case 0.5 | 1:
            npc.told += 2048


@tried
def matches_in_a_loop(npc: Any, world: Any) -> Any:
    for i in range(4):
        match npc.n + i:
            case 0:
                continue
            case 3:
                npc.told += 1
            case 4:
                break
            case 5:
                return "GO"
        npc.told += 16
    npc.told += 256
    return None


@tried
def asks_for_members(npc: Any, world: Any) -> Any:
    npc.told += npc.n in (0, 2)
    npc.told += 2 * (npc.n not in WHOLE)
    npc.told += 4 * (npc.x in (0.5, 1, -1.0))
    npc.told += 8 * (npc.place in (Place.WORK, Place.PARK))
    npc.told += 16 * (npc.n in range(1, 3))
    npc.told += 32 * (npc.x in range(-1, 2))
    npc.told += 64 * (npc.n in [npc.told & 1, 2])
    npc.told += 128 * (npc.n in {1, 2})
    if npc.place in (npc.n, 1.5) and npc.flag not in (False, 2):
        return "GO"
    return None


@tried
def looks_up_constants(npc: Any, world: Any) -> Any:
    npc.x = SPEEDS[npc.place] + MATRIX[npc.n & 1][npc.place] * SPEEDS[-1]
    npc.y = max(SPEEDS) + sum(MATRIX[1]) + len(WHOLE) + MIXED[npc.place] / 3
    npc.told += WHOLE[npc.n - 3] + DEEP[1][npc.flag][0] + DEEP[npc.n & 1][1][npc.flag]
    npc.flag = FLAGS[npc.place]
    a, b, c = WHOLE
    npc.told += a * b - c


@tried
def looks_up_constants_outside_them(npc: Any, world: Any) -> Any:
    npc.told += 1
    npc.x = SPEEDS[npc.told - 3]
    npc.told += 1
    npc.x = MATRIX[npc.told - 9][npc.told - 7]


@tried
def looks_up_tables(npc: Any, world: Any) -> Any:
    npc.x = world.shares[npc.place] * world.map[npc.place, 0]
    npc.told += world.steps[npc.n] + world.open[npc.place]
    npc.y = world.shares[npc.told & 3]  # has three


def shock(npc: Any, scale: Any) -> Any:
    """Draws in some cases only."""
    if npc.x > 0.0:
        return scale * normal(npc, 0.0, 1.0)
    if npc.n == 1:
        for _ in range(2):
            if random(npc) < 0.5:
                return uniform(npc, -1.0, 1.0)
    return scale


def shocks(npc: Any) -> Any:
    first = shock(npc, 2.0)
    return first + shock(npc, random(npc))


def may_fail(npc: Any, x: Any) -> Any:
    if x == 1:
        return 1 / (x - 1)
    return 1.0 / (random(npc) + x)


@tried
def draws(npc: Any, world: Any) -> Any:
    npc.y = normal(npc, npc.x, 2) + exponential(npc, 3.0)
    npc.x += random(npc) + shock(npc, 0.25) * random(npc)
    npc.x += shocks(npc) - random(npc)
    for _ in range(2):
        if shock(npc, 1) > 0.5 and npc.n == 2:
            npc.told += 1
    npc.x += may_fail(npc, npc.n)


@tried
def knows_the_time(npc: Any, world: Any) -> Any:
    npc.x += world.time * 2.0 + npc.time_in_state
    npc.told += npc.id * 3
    npc.y = age(npc, world)
    if npc.time_in_state > 0.35:
        return "GO"
    return None


def age(npc: Any, world: Any) -> Any:
    return world.time - npc.time_in_state + npc.id


@tried
def divides(npc: Any, world: Any) -> Any:
    npc.told += 1
    if npc.place == Place.HOME:
        npc.x = 1.0 / (npc.x - npc.x)
    elif npc.place == Place.WORK:
        npc.n = npc.n % (npc.n - npc.n)
    else:
        npc.n = npc.n // (npc.n - npc.n)


def comes(npc: Any, world: Any) -> Any:
    npc.told += 1 if npc.time_in_state == 0.0 else 7
    npc.y += world.time


def goes(npc: Any, world: Any) -> Any:
    npc.x += npc.time_in_state * 1000.0


def is_long(npc: Any, world: Any) -> Any:
    for i in range(2):
        if npc.id == i:
            return npc.place in (Place.HOME, Place.WORK)
    match npc.n:
        case 1:
            return npc.time_in_state > 0.1
    return world.time > 0.15 and world.open[0]


GUARDED = [knows_the_time, matches_in_a_loop]


def machine(functions: Sequence[Callable[..., Any]], guard: Any = is_long) -> CrowdFsm:
    built = CrowdFsm("Npc", Npc, World)
    done = built.add_state("Done")
    done.add_action(CrowdAction(comes))
    for function in functions:
        state = built.add_state(function.__name__)
        state.add_action(CrowdAction(comes, function, goes))
        is_guarded = guard is not None and function in GUARDED
        state.add_transition("GO", done, when=CrowdGuard(guard) if is_guarded else None)
    return built


SIZE = 27


def given(crowd: Any) -> None:
    crowd.world.shares = np.array([0.1, 0.2, 0.7])
    crowd.world.open = (True, False, True)
    crowd.world.map = np.array([[1.5], [2.5], [3.5]], np.float32)


def filled(built: CrowdFsm, state: str, engine: Any, dtype: Any = "float64") -> Crowd:
    crowd = Crowd(built, SIZE + 2, engine=engine, seed=3, dtype=dtype)
    crowd.remove([1, 4])
    given(crowd)
    crowd["x"] = np.linspace(-4.0, 4.0, SIZE)
    crowd["y"] = np.sin(np.arange(SIZE) * 1.7) * 3.0
    crowd["n"] = np.arange(SIZE) % 3
    crowd["place"] = np.arange(SIZE) // 3 % 3
    crowd["flag"] = np.arange(SIZE) % 5 > 2
    crowd["x"][[5, 9]] = 0.5
    crowd.start(state)
    return crowd


def course(crowd: Crowd) -> list[Any]:
    """Return the columns and errors of some steps."""
    told: list[Any] = []
    for step in range(4):
        try:
            if step == 2:
                crowd.send_event("GO")
            else:
                crowd.update(0.1 + step / 100)
        except Exception as error:
            raised = getattr(error, "exceptions", [error])
            told.append([str(error), *((type(e), str(e), e.__notes__) for e in raised)])
        told.append({name: column.tolist() for name, column in crowd._store.arrays().items()})
    return told


@pytest.mark.slow
def test_compiled_functions_do_what_the_functions_do() -> None:
    assert_same(machine(FUNCTIONS), "float64")


@pytest.mark.long
def test_so_they_do_with_columns_of_32_bits() -> None:
    assert_same(machine([draws, knows_the_time, looks_up_tables]), "float32")


SWEPT = [
    skips_and_leaves, leaves_within_branches, returns_from_a_loop, assigns_its_variable,
    asks_for_members, matches,
]  # fmt: skip


@pytest.mark.long
@pytest.mark.usefixtures("always_sweeps")
def test_swept_functions_do_what_the_functions_do() -> None:
    built = machine(SWEPT, guard=None)
    assert "def sweep" in Crowd(built, 1).source
    assert_same(built, "float64")


def assert_same(built: CrowdFsm, dtype: Any) -> None:
    """Check that both engines do the same, in every state."""
    for state in built.states:
        interpreted, compiled = (
            course(filled(built, state, engine, dtype)) for engine in ("python", "compiled")
        )
        assert repr((state, compiled)) == repr((state, interpreted))


NEVER_FAILS = [
    each for each in FUNCTIONS
    if each not in (looks_up_constants_outside_them, looks_up_tables, divides, draws)
]  # fmt: skip


@pytest.mark.parametrize("function", NEVER_FAILS, ids=lambda function: function.__name__)
def test_interpreted_functions_do_what_machines_of_their_own_do(
    function: Callable[..., Any],
) -> None:
    built = machine([function])
    crowd = filled(built, function.__name__, "python")
    machines = [crowd.fsm(i) for i in range(SIZE)]
    for step in range(4):
        if step == 2:
            crowd.send_event("GO")
        else:
            crowd.update(0.1)
        for i, fsm in enumerate(machines):
            if step == 2:
                fsm.send_event("GO")
            else:
                fsm.update(0.1)
            agent = fsm.context.agent
            assert fsm.current_state is not None
            alone = (fsm.current_state.name, agent.x, agent.y, agent.n, agent.told, agent.flag)
            row: Any = crowd[i]
            state = list(built.states)[crowd.states[i]]
            assert repr(alone) == repr((state, row.x, row.y, row.n, row.told, row.flag))
