"""Crowds on a card that numba simulates, beside those in the processor: all bits are the same."""

import math
import sys
from collections.abc import Callable
from importlib import util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from attrs import define, field

from fsmkit.crowd import (
    Cells,
    Crowd,
    CrowdAction,
    CrowdError,
    CrowdFsm,
    CrowdGuard,
    Table,
    normal,
    random,
    spawn,
    uniform,
)

spec = util.spec_from_file_location("pairs", Path(__file__).with_name("pairs.py"))
assert spec is not None
assert spec.loader is not None
pairs = util.module_from_spec(spec)
sys.modules["pairs"] = pairs
spec.loader.exec_module(pairs)
Pair: Any = pairs.Pair

SIZE = 60


@define
class Npc:
    x: float = 0.0
    y: float = 1.0
    n: int = 3
    m: int = 7
    ok: bool = False
    yes: bool = True


@define
class World:
    player: float = 0.5
    k: int = 2
    on: bool = True
    heights: Table[float] = field(factory=Table)
    steps: Table[int] = field(factory=Table)
    walls: Table[bool] = field(factory=Table)
    row: Table[float] = field(factory=Table)


def see(npc, world):
    npc.x += npc.y * world.dt
    if abs(npc.x - world.player) < 2.0:
        return "SEE"
    return None


def lose(npc, world, own):
    own.seconds += world.dt
    if own.seconds > own.most:
        own.seconds = 0.0
        return "LOSE"
    return None


def light() -> CrowdFsm:
    machine = CrowdFsm("Light", Npc, World)
    patrol, chase = machine.add_state("Patrol"), machine.add_state("Chase")
    patrol.add_action(CrowdAction(on_update=see))
    chase.add_action(
        CrowdAction(on_update=lose, memory={"seconds": 0.0}, parameters={"most": 0.25})
    )
    patrol.add_transition("SEE", chase)
    chase.add_transition("LOSE", patrol)
    machine.add_global_transition("HOME", patrol)
    return machine


def height(npc, world):
    if world.walls[npc.n, npc.m]:
        return world.heights[npc.n, npc.m] + world.steps[npc.m, npc.n]
    return -1.5


def pace(npc, world, left):
    row = left * 2.0 + npc.x
    changed = row / npc.y
    return changed if changed < 3.0 else row


def everything(npc, world, own):
    own.calls += 1
    npc.x += pace(npc, world, npc.y) * world.dt
    npc.y = math.sqrt(abs(npc.x)) + math.copysign(npc.y, npc.x) + math.radians(npc.x) * npc.y
    npc.n = (npc.n * 3 - world.k + int(npc.x)) % 11 + (npc.x > 0.0) + (npc.y > 1.0)
    npc.m = abs(npc.m - npc.n) // 2 + math.floor(npc.x) - math.ceil(npc.y) + round(npc.x)
    npc.m += (npc.ok & npc.yes) + (npc.n ^ 3) + math.trunc(math.degrees(npc.y))
    npc.ok = not npc.yes or (npc.x < world.player and world.on)
    npc.yes = math.isfinite(npc.x) and not math.isnan(npc.y) and not math.isinf(npc.y)
    if npc.x % 2.0 < 1.0:
        npc.x = npc.x // 0.3 + npc.x * npc.y - npc.n * npc.x + float(npc.n) / 3.0 + npc.y / -4.0
        return "GO"
    npc.x = min(npc.x, npc.y, 5) + max(npc.n, 2.5)
    if own.calls > 3:
        own.calls = 0
        return "FAR"
    return None


def throw(npc, world):
    npc.x = uniform(npc, -3.0, 3.0) * npc.y + random(npc)
    npc.y = height(npc, world)


def leave(npc, world):
    npc.n = npc.n - 1
    npc.m = npc.m * npc.n


def again(npc, world):
    return "GO"


def is_near(npc, world):
    return npc.x / world.player < 1.0


def heavy() -> CrowdFsm:
    machine = CrowdFsm("Heavy", Npc, World, max_transitions=6)
    patrol, chase, endless = (machine.add_state(name) for name in ("Patrol", "Chase", "End less"))
    patrol.add_action(CrowdAction(on_update=everything, on_exit=leave, memory={"calls": 0}))
    chase.add_action(CrowdAction(on_enter=throw, on_update=everything, memory={"calls": 2}))
    endless.add_action(CrowdAction(on_enter=again))
    patrol.add_transition("GO", chase, when=CrowdGuard(is_near))
    patrol.add_transition("GO", patrol)
    patrol.add_transition("FAR", endless)
    chase.add_transition("GO", patrol)
    chase.add_transition("FAR", patrol)
    endless.add_transition("GO", endless)
    return machine


def fill(crowd: Crowd) -> None:
    rng = np.random.default_rng(3)
    size, world = len(crowd), crowd.world
    crowd.write("x", rng.uniform(-9.0, 9.0, size))
    crowd.write("y", rng.uniform(-2.0, 2.0, size))
    crowd.write("n", rng.integers(0, 4, size))
    crowd.write("m", rng.integers(-2, 4, size))
    crowd.write("ok", rng.integers(0, 2, size) > 0)
    world.heights = rng.uniform(-1.0, 1.0, (4, 4))
    world.steps = rng.integers(-5, 5, (4, 4)).astype("int16")
    world.walls = rng.integers(0, 2, (4, 4)) > 0


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.long)])
def test_a_light_machine(dtype: str) -> None:
    pair = Pair(light(), SIZE, seed=5, dtype=dtype)
    pair.both(fill)
    pair.both(lambda crowd: crowd.start("Patrol"))
    for step in range(6):
        pair.both(lambda crowd, at=step: setattr(crowd.world, "player", float(at)))
        pair.both(lambda crowd: crowd.update(0.1))
    assert pair.both(lambda crowd: crowd.send_event("HOME", list(range(0, SIZE, 3)))) > 0
    assert pair.failures == []
    assert min(pair.both(lambda crowd: crowd.count()).values()) > 0


@pytest.mark.slow  # it takes long to compile
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.long)])
def test_a_machine_with_everything_and_its_errors(dtype: str) -> None:
    pair = Pair(heavy(), SIZE, seed=2**40 + 7, dtype=dtype)
    pair.both(fill)
    pair.both(lambda crowd: crowd.write("n", 2**62, agents=[0]))
    pair.both(lambda crowd: crowd.start("Patrol"))
    for step in range(5):
        pair.both(lambda crowd, at=step: setattr(crowd.world, "player", at % 3))
        pair.both(lambda crowd, at=step: setattr(crowd.world, "on", at % 2 > 0))
        pair.both(lambda crowd: crowd.update(0.1))
        pair.both(lambda crowd: crowd.send_event("GO", where=list(range(0, SIZE, 3))))
    shown = {inner[0] for each in pair.failures for inner in each[3] or [each]}
    assert shown >= {"ZeroDivisionError", "IndexError", "TransitionLoopError", "OverflowError"}
    assert {"Chase", "End less"} <= {k for k, n in pair.both(lambda c: c.count()).items() if n}


@pytest.mark.slow
def test_a_table_is_copied_again_when_its_numbers_were_changed() -> None:
    pair = Pair(heavy(), SIZE, seed=2)
    pair.both(fill)
    pair.both(lambda crowd: crowd.write("n", 1))
    pair.both(lambda crowd: crowd.write("m", 1))
    pair.both(lambda crowd: crowd.world.walls.fill(True))
    for value in (1.0, 2.0, math.nan):
        for crowd in (pair.here, pair.card):
            crowd.world.heights[1, 1] = value
        pair.both(lambda crowd: crowd.start("Chase"))
        assert np.array_equal(
            pair.card.read("y"), np.full(SIZE, value + pair.card.world.steps[1, 1]), equal_nan=True
        )
    pair.both(lambda crowd: setattr(crowd.world, "heights", np.zeros((0, 5))))
    pair.both(lambda crowd: crowd.start("Chase"))
    assert len(pair.failures) == 1


@pytest.mark.parametrize(
    ("machine", "event"), [(light, "HOME"), pytest.param(heavy, "FAR", marks=pytest.mark.slow)]
)
def test_agents_are_added_removed_promoted_and_saved(
    machine: Callable[[], CrowdFsm], event: str, tmp_path: Path
) -> None:
    pair = Pair(machine(), SIZE, seed=1)
    pair.both(fill)
    pair.both(lambda crowd: crowd.start("Patrol"))
    assert pair.both(lambda crowd: crowd.remove([0, 1, 5])) == 3
    pair.both(lambda crowd: crowd.update(0.1))
    assert pair.both(lambda crowd: crowd.remove([7])) == 1
    added = pair.both(lambda crowd: crowd.add(4, start="Patrol", x=[0.5, 1.0, 1.5, 2.0]))
    assert added == range(SIZE - 4, SIZE)
    for crowd in (pair.here, pair.card):
        fsm = crowd.fsm(7)
        fsm.context.agent.x = 0.125
        crowd.put(8, fsm)
        crowd.save(tmp_path / f"{crowd is pair.card}.npz")
    pair.both(lambda crowd: crowd.send_event(event, where=crowd.where("Patrol")))
    for name, target in (("False", "cuda"), ("True", "cpu")):
        path = tmp_path / f"{name}.npz"
        loaded = Crowd.load(machine(), path, target=target)  # type: ignore[arg-type]
        before = Crowd.load(machine(), path, engine="python")
        assert loaded.read("x").tolist() == before.read("x").tolist()


def test_states_ids_and_times_are_copies() -> None:
    pair = Pair(light(), 5)
    pair.both(lambda crowd: crowd.start("Chase", where=[1, 2]))
    pair.both(lambda crowd: crowd.update(0.5))
    states, ids = pair.card.states, pair.card.ids
    assert states.tolist() == [-1, 0, 0, -1, -1]
    assert ids.tolist() == [0, 1, 2, 3, 4]
    assert not states.flags.writeable
    pair.both(lambda crowd: crowd.start("Chase"))
    assert states.tolist() == [-1, 0, 0, -1, -1]
    assert pair.card.time_in_state.tolist() == [0.0] * 5
    assert pair.card.where("Chase").all()


def test_columns_are_read_and_written_by_calls() -> None:
    crowd = Crowd(light(), 5, target="cuda")
    crowd.write("x", [0.0, 1.0, 2.0, 3.0, 4.0])
    crowd.write("x", 9.0, agents=[-1])
    crowd.update(0.0)
    crowd.write("x", [7.0, 8.0], agents=slice(0, 2))
    crowd.update(0.0)
    assert crowd.read("x").tolist() == [7.0, 8.0, 2.0, 3.0, 9.0]
    assert crowd.read("x", agents=[4, 0]).tolist() == [9.0, 7.0]
    assert crowd.read("x", agents=crowd.read("x") > 7.5).tolist() == [8.0, 9.0]
    assert crowd.read("x", agents=[]).tolist() == []


@pytest.mark.parametrize("use", [lambda c: c["x"], lambda c: c[3], lambda c: c.__setitem__("x", 1)])
def test_live_columns_are_refused_with_the_way_out(use: Any) -> None:
    with pytest.raises(CrowdError) as raised:
        use(Crowd(light(), 5, target="cuda"))
    assert str(raised.value) == (
        "<Crowd of 5 agents of 'Light'> has its columns on a card. Read a copy with "
        "crowd.read('x'), write with crowd.write('x', values), and take crowd.fsm(index) for one "
        "agent."
    )


def test_only_what_was_changed_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = Crowd(light(), SIZE, target="cuda", start="Patrol")
    crowd.update(0.1)
    crowd.read("x")
    asked: list[str] = []
    columns = crowd._store._on_card  # type: ignore[attr-defined]
    for name, column in columns.items():
        kept = column.copy_to_host
        monkeypatch.setattr(
            column, "copy_to_host", lambda *a, n=name, k=kept: (asked.append(n), k(*a))[1]
        )
    crowd.read("x")
    crowd.count()
    crowd.count()
    assert asked == ["state"]


def test_a_card_without_room_is_refused_and_nothing_is_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Context:
        def get_memory_info(self) -> Any:
            return SimpleNamespace(free=8_000)

    crowd = Crowd(light(), 100, target="cuda", start="Patrol")
    crowd.update(0.1)
    monkeypatch.setattr("fsmkit.crowd.cuda.packages.cuda.current_context", Context)
    with pytest.raises(CrowdError) as raised:
        crowd.add(1_000_000)
    assert str(raised.value) == (
        "Crowd of 'Light': not enough memory on the card for 1,000,100 agents: they need 59 MB, "
        "and it has 0. Use fewer."
    )
    assert len(crowd) == 100
    with pytest.raises(CrowdError, match="not enough memory on the card for 1,000 agents"):
        Crowd(light(), 1_000, target="cuda")
    crowd.add(1)
    crowd.update(0.1)


def test_a_sweep_is_refused() -> None:
    with pytest.raises(CrowdError, match="must be compiled for processors for a sweep"):
        Crowd(light(), 1, target="cuda").sweep({}, dt=0.1, steps=1)


SPEEDS = (0.5, 1.5, -2.0)


def drawn(npc, world):
    return random(npc) * npc.x + SPEEDS[npc.n]


def wander(npc, world):
    for lane in range(2):
        npc.x += lane * world.row[npc.m]
    match npc.n:
        case 1:
            npc.n = 2
        case 2:
            npc.n = npc.id & 3
        case _:
            npc.n = 1
    npc.y += drawn(npc, world) + normal(npc, 0.0, 1.0)
    if npc.n in (1, 3) and world.time > 0.1 and npc.time_in_state > 0.05:
        return "GO"
    return None


@pytest.mark.slow
def test_numbers_of_the_loop_rows_and_draws_in_helpers() -> None:
    machine = CrowdFsm("Wanderers", Npc, World)
    out, home = machine.add_state("Out"), machine.add_state("Home")
    out.add_action(CrowdAction(on_update=wander))
    home.add_action(CrowdAction(on_enter=wander, on_update=wander))
    out.add_transition("GO", home)
    home.add_transition("GO", out)
    pair = Pair(machine, SIZE, seed=11, exact=False)
    pair.both(fill)
    pair.both(lambda crowd: setattr(crowd.world, "row", np.array([0.25, -1.0, 3.0])))
    pair.both(lambda crowd: crowd.start("Out"))
    for _ in range(4):
        pair.both(lambda crowd: crowd.update(0.1))
    assert min(pair.both(lambda crowd: crowd.count()).values()) > 0
    assert {inner[1] for each in pair.failures for inner in each[3] or [each]} >= {
        "the row or the column is outside the table",
    }


def live(npc, world):
    npc.x += random(npc) * npc.y
    if npc.x > 4.0:
        npc.x = 1.0
        spawn(npc, start="Young", x=npc.x / npc.n)
        spawn(npc, n=npc.n + 1)
    return "DIE" if npc.x < -4.0 else None


def grow(npc, world):
    npc.n += 1
    return "GROW" if npc.n > 4 else None


@pytest.mark.slow
def test_agents_that_are_born_and_die() -> None:
    machine = CrowdFsm("Living", Npc, World, on_unhandled="ignore")
    old, young = machine.add_state("Old"), machine.add_state("Young")
    dead = machine.add_state("Dead", retire=True)
    old.add_action(CrowdAction(on_update=live))
    young.add_action(CrowdAction(on_enter=live, on_update=grow))
    young.add_transition("GROW", old)
    old.add_transition("DIE", dead)
    pair = Pair(machine, SIZE, seed=4)
    pair.both(fill)
    pair.both(lambda crowd: crowd.write("n", 1, agents=crowd.read("n") == 0))
    pair.both(lambda crowd: crowd.start("Old"))
    sizes = [len(pair.card)]
    for _ in range(4):
        pair.both(lambda crowd: crowd.update(0.5))
        sizes.append(len(pair.card))
    assert pair.card.ids[-1] > SIZE
    assert len(set(sizes)) > 2
    assert pair.card.ids.tolist() != list(range(len(pair.card)))


@pytest.mark.slow
def test_neighbours_are_counted() -> None:
    pair = Pair(light(), SIZE, start="Patrol")
    pair.both(fill)
    pair.both(lambda crowd: Cells(crowd, "x", size=1.5).count(into="n") and None)
    for _ in range(3):
        pair.both(lambda crowd: crowd.update(0.2))
    assert pair.failures == []
    assert len(set(pair.card.read("n").tolist())) > 2


def test_an_empty_crowd() -> None:
    pair = Pair(light(), 0)
    pair.both(lambda crowd: crowd.start("Patrol"))
    pair.both(lambda crowd: crowd.update(0.1))
    assert pair.both(lambda crowd: crowd.send_event("HOME")) == 0


def divide(npc, world):
    npc.x = npc.x // world.player
    npc.n = npc.n // world.k


def take_rest(npc, world):
    npc.y = npc.y % world.player
    npc.m = npc.m % world.k


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 7.5, -7.5, 1e300, 5e-324, math.inf, -math.inf, math.nan]
WHOLE = [0, 1, -1, 3, -3, 7, 2**63 - 1, -(2**63)]


@pytest.mark.slow
@pytest.mark.parametrize("divisor", range(len(SPECIAL)))
def test_quotients_and_remainders_are_those_of_python(divisor: int) -> None:
    machine = CrowdFsm("Rests", Npc, World)
    state = machine.add_state("Once")
    state.add_action(CrowdAction(on_update=divide))
    state.add_action(CrowdAction(on_update=take_rest))
    pair = Pair(machine, len(SPECIAL), start="Once")
    pair.both(lambda crowd: crowd.write("x", SPECIAL))
    pair.both(lambda crowd: crowd.write("y", SPECIAL))
    whole = (WHOLE * 2)[: len(SPECIAL)]
    pair.both(lambda crowd: crowd.write("n", whole))
    pair.both(lambda crowd: crowd.write("m", [number // 2 for number in whole]))
    pair.both(lambda crowd: setattr(crowd.world, "player", SPECIAL[divisor]))
    pair.both(lambda crowd: setattr(crowd.world, "k", WHOLE[divisor % len(WHOLE)]))
    pair.both(lambda crowd: crowd.update(0.1))
