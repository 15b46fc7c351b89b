"""Crowds on a card that numba simulates, compared with those on the CPU: all bits are the same."""

import math
import sys
from collections.abc import Callable
from importlib import util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fsmkit.crowd import (
    Cells,
    Crowd,
    CrowdError,
    CrowdFsm,
)


def loaded(name: str) -> Any:
    spec = util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


Pair: Any = loaded("pairs").Pair
programs = loaded("programs")
light, heavy, fill = programs.light, programs.heavy, programs.fill
SPECIAL, WHOLE = programs.SPECIAL, programs.WHOLE

SIZE = 60


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
    monkeypatch.setattr("fsmkit.crowd.cuda.engine.cuda.current_context", Context)
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


@pytest.mark.slow
def test_numbers_of_the_loop_rows_and_draws_in_helpers() -> None:
    pair = Pair(programs.wanderers(), SIZE, seed=11, exact=False)
    pair.both(fill)
    pair.both(lambda crowd: setattr(crowd.world, "row", np.array([0.25, -1.0, 3.0])))
    pair.both(lambda crowd: crowd.start("Out"))
    for _ in range(4):
        pair.both(lambda crowd: crowd.update(0.1))
    assert min(pair.both(lambda crowd: crowd.count()).values()) > 0
    assert {inner[1] for each in pair.failures for inner in each[3] or [each]} >= {
        "the row or the column is outside the table",
    }


@pytest.mark.slow
def test_agents_that_are_born_and_die() -> None:
    pair = Pair(programs.living(), SIZE, seed=4)
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
@pytest.mark.parametrize("for_", [None, "Patrol"])
def test_neighbours_are_counted(for_: str | None) -> None:
    pair = Pair(light(), SIZE, start="Patrol")
    pair.both(fill)
    pair.both(lambda crowd: Cells(crowd, "x", size=1.5).count(into="n", for_=for_) and None)
    for _ in range(3):
        pair.both(lambda crowd: crowd.update(0.2))
    assert pair.failures == []
    assert len(set(pair.card.read("n").tolist())) > 2


def test_an_empty_crowd() -> None:
    pair = Pair(light(), 0)
    pair.both(lambda crowd: crowd.start("Patrol"))
    pair.both(lambda crowd: crowd.update(0.1))
    assert pair.both(lambda crowd: crowd.send_event("HOME")) == 0


@pytest.mark.slow
@pytest.mark.parametrize("divisor", range(len(SPECIAL)))
def test_quotients_and_remainders_are_those_of_python(divisor: int) -> None:
    pair = Pair(programs.rests(), len(SPECIAL), start="Once")
    pair.both(lambda crowd: crowd.write("x", SPECIAL))
    pair.both(lambda crowd: crowd.write("y", SPECIAL))
    whole = (WHOLE * 2)[: len(SPECIAL)]
    pair.both(lambda crowd: crowd.write("n", whole))
    pair.both(lambda crowd: crowd.write("m", [number // 2 for number in whole]))
    pair.both(lambda crowd: setattr(crowd.world, "player", SPECIAL[divisor]))
    pair.both(lambda crowd: setattr(crowd.world, "k", WHOLE[divisor % len(WHOLE)]))
    pair.both(lambda crowd: crowd.update(0.1))
