"""The Crowd: columns, counts, adding and removing, promotion, files and errors."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define

from fsmkit import FINISHED, Fsm, TransitionLoopError, TransitionOnExitError, UnknownStateError
from fsmkit.checking import check
from fsmkit.crowd import (
    Crowd,
    CrowdAction,
    CrowdError,
    CrowdFsm,
    random,
)
from fsmkit.crowd.randomness import philox
from fsmkit.diagram import to_mermaid

ENGINES = ["python", "compiled"]


@define
class Npc:
    x: float = 0.0
    hits: int = 0
    alive: bool = True


@define
class World:
    player: float = 100.0
    dt: float = 0.0


def see(npc: Npc, world: World) -> str | None:
    return "SAW_PLAYER" if abs(npc.x - world.player) < 5.0 else None


def walk(npc: Npc, world: World, own: Any) -> None:
    npc.x += 1.0 * world.dt
    own.steps += 1


def arrive(npc: Npc, world: World) -> None:
    npc.hits += 1


def build() -> CrowdFsm:
    machine = CrowdFsm("Npc", Npc, World)
    patrol, chase = machine.add_state("Patrol"), machine.add_state("Chase")
    patrol.add_action(CrowdAction(on_update=see))
    patrol.add_action(CrowdAction(on_update=walk, memory={"steps": 0}))
    chase.add_action(CrowdAction(on_enter=arrive))
    patrol.add_transition("SAW_PLAYER", chase)
    machine.add_global_transition("CALM", patrol)
    return machine


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_sample_works(engine: Any) -> None:
    crowd = Crowd(build(), 10, start="Patrol", seed=7, engine=engine)
    crowd["x"][:] = np.arange(10.0)
    crowd.world.player = 12.0
    crowd.update(1 / 60)
    assert crowd.count() == {"Patrol": 8, "Chase": 2}
    assert crowd.where("Chase").tolist() == [False] * 8 + [True] * 2
    assert crowd.states.tolist() == [0] * 8 + [1] * 2
    assert crowd["hits"].tolist() == [0] * 8 + [1] * 2
    crowd.world.player = 100.0
    crowd.update(0.5)
    assert crowd.time_in_state.tolist() == [1 / 60 + 0.5] * 8 + [0.5] * 2
    assert crowd.send_event("CALM", where=[8]) == 1
    assert crowd.send_event("CALM") == 1
    assert crowd.count() == {"Patrol": 10, "Chase": 0}


def test_columns_are_live_and_states_can_only_be_looked_at() -> None:
    crowd = Crowd(build(), 3, start="Patrol", engine="python")
    column = crowd["x"]
    crowd[1].x = 7.0
    crowd["x"] += 1.0
    assert column.tolist() == [1.0, 8.0, 1.0]
    assert (crowd[1].x, crowd[-1].hits, repr(crowd[1])) == (
        8.0, 0, "<Npc 1: x=8.0, hits=0, alive=True>",
    )  # fmt: skip
    with pytest.raises(ValueError, match="read-only"):
        crowd.states[0] = 1
    with pytest.raises(IndexError):
        crowd[3]


def test_several_steps_are_one_call() -> None:
    one, other = (Crowd(build(), 3, start="Patrol", engine="python") for _ in range(2))
    one.update(0.25, steps=4)
    for _ in range(4):
        other.update(0.25)
    assert one["x"].tolist() == other["x"].tolist() == [1.0] * 3


def test_agents_that_were_not_started_do_nothing() -> None:
    crowd = Crowd(build(), 3, engine="python")
    crowd.start("Chase", where=np.array([False, True, False]))
    crowd.update(1.0)
    assert crowd.count() == {"Patrol": 0, "Chase": 1}
    assert crowd.states.tolist() == [-1, 1, -1]
    assert crowd.send_event("CALM") == 1
    assert crowd.time_in_state.tolist() == [0.0, 0.0, 0.0]


def test_agents_come_and_go_and_the_others_keep_their_order() -> None:
    crowd = Crowd(build(), 3, start="Patrol", engine="python")
    crowd["x"] = [1.0, 2.0, 3.0]
    assert crowd.add(2, start="Chase", x=[8.0, 9.0]) == range(3, 5)
    assert crowd.remove([0, 3]) == 2
    assert (crowd["x"].tolist(), crowd["hits"].tolist()) == ([2.0, 3.0, 9.0], [0, 0, 1])
    assert crowd.count() == {"Patrol": 2, "Chase": 1}


def drawn(npc: Npc, world: World) -> None:
    npc.x = random(npc)


def dice() -> CrowdFsm:
    machine = CrowdFsm("Dice", Npc, World)
    machine.add_state("Roll").add_action(CrowdAction(on_update=drawn))
    return machine


def test_random_numbers_do_not_depend_on_the_other_agents() -> None:
    one, other = (Crowd(dice(), 6, start="Roll", seed=3, engine="python") for _ in range(2))
    other.remove([0, 2])
    one.update(1.0)
    other.update(1.0)
    assert other["x"].tolist() == one["x"][[1, 3, 4, 5]].tolist()
    assert len(set(one["x"].tolist())) == 6
    different = Crowd(dice(), 6, start="Roll", seed=4, engine="python")
    different.update(1.0)
    assert not (different["x"] == one["x"]).any()


@pytest.mark.slow
def test_random_numbers_are_even() -> None:
    crowd = Crowd(dice(), 20_000, start="Roll", seed=1)
    sums = []
    for _ in range(10):
        crowd.update(1.0)
        counts, _ = np.histogram(crowd["x"], bins=20, range=(0.0, 1.0))
        sums.append(((counts - 1000) ** 2 / 1000).sum())
    assert 5 < sum(sums) / len(sums) < 35  # chi-square with 19 degrees of freedom
    assert ((crowd["x"] >= 0.0) & (crowd["x"] < 1.0)).all()


def test_the_generator_gives_the_known_answers() -> None:
    """Check the values of the paper's own test suite, Random123."""
    ones = 0xFFFFFFFF
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    assert philox((0,) * 4, (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    assert philox((ones,) * 4, (ones, ones)) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)
    assert philox(pi, (0xA4093822, 0x299F31D0)) == (
        0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1,
    )  # fmt: skip


def test_an_agent_becomes_a_machine_and_comes_back() -> None:
    crowd = Crowd(build(), 4, start="Patrol", engine="python")
    crowd["x"] = [0.0, 1.0, 2.0, 3.0]
    crowd.update(0.5)
    fsm = crowd.fsm(2)
    assert (fsm.current_state.name, fsm.time_in_state, fsm.context.agent.x) == ("Patrol", 0.5, 2.5)
    for each in (fsm, crowd):
        each.update(0.25)
    assert fsm.context.agent == Npc(crowd["x"][2], 0, True)
    assert fsm.states["Patrol"].actions[1].memory == {"steps": 2}
    crowd.world.player = 3.0
    fsm.update(0.25)
    assert fsm.current_state.name == "Chase"
    assert crowd.where("Patrol").all()
    crowd.put(2, fsm)
    assert crowd.where("Chase").tolist() == [False, False, True, False]
    assert (crowd["hits"].tolist(), crowd.time_in_state[2]) == ([0, 0, 1, 0], 0.0)
    with pytest.raises(CrowdError, match="was not made from an agent"):
        crowd.put(0, Fsm("Npc"))


def test_by_itself_the_machine_runs_as_one_agent() -> None:
    machine = build()
    machine.start()
    machine.context.world.player = 0.3
    machine.update(0.5)
    assert (machine.current_state.name, machine.context.agent.hits) == ("Chase", 1)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_number_too_large_for_float32_is_infinite_without_a_word(engine: str) -> None:
    def grow(npc, world):
        npc.x = 1e300

    machine = CrowdFsm("Npc", Npc)
    machine.add_state("Grow").add_action(CrowdAction(on_update=grow))
    crowd = Crowd(machine, 2, start="Grow", dtype="float32", engine=engine)
    fsm = crowd.fsm(1)
    fsm.update(0.1)
    crowd.update(0.1)
    assert crowd["x"].tolist() == [math.inf] * 2
    assert fsm.context.agent.x == math.inf


@pytest.mark.slow
def test_float32_is_only_how_numbers_are_kept() -> None:
    crowds = [Crowd(build(), 50, dtype="float32", engine=engine) for engine in ENGINES]
    for crowd in crowds:
        crowd["x"] = np.linspace(0.0, 97.0, 50)
        crowd.start()
        crowd.update(1 / 60, steps=30)
    assert crowds[0]["x"].tolist() == crowds[1]["x"].tolist()
    assert crowds[0].count() == crowds[1].count()


def invert(npc: Npc, world: World) -> None:
    npc.hits += 1
    npc.x = sqrt(npc.x)
    npc.x = 1.0 / npc.x


def inverting() -> CrowdFsm:
    machine = CrowdFsm("Npc", Npc, World)
    machine.add_state("Work").add_action(CrowdAction(on_update=invert))
    return machine


@pytest.mark.parametrize(
    ("engine", "parallel", "size"),
    [("python", 1, 1_000), ("compiled", 1, 1_000), ("compiled", 3, 200_000)],
)
def test_an_error_names_the_agent_and_the_others_continue(
    engine: Any, parallel: int, size: int
) -> None:
    crowd = Crowd(inverting(), size, start="Work", engine=engine, parallel=parallel)
    late = size - 10
    crowd["x"] = 4.0
    crowd["x"][late] = 0.0
    with pytest.raises(ZeroDivisionError) as caught:
        crowd.update(0.1)
    line = invert.__code__.co_firstlineno + 3
    assert caught.value.__notes__ == [
        f"Crowd of 'Npc', agent {late}, state 'Work', invert(), {__file__}:{line}"
    ]
    assert crowd["x"].sum() == (size - 1) * 0.5
    assert crowd["hits"].sum() == size
    crowd["x"][[3, 5]] = -1.0
    with pytest.raises(ExceptionGroup, match="3 agents failed") as several:
        crowd.update(0.1)
    assert [type(each).__name__ for each in several.value.exceptions] == [
        "ValueError", "ValueError", "ZeroDivisionError",
    ]  # fmt: skip


def on(npc: Npc, world: World) -> str | None:
    return FINISHED if npc.x > 0.0 else None


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_chain_without_end_names_the_agent_and_the_states(engine: Any) -> None:
    machine = CrowdFsm("Npc", Npc, max_transitions=10)
    one, two = machine.add_state("One"), machine.add_state("Two")
    for state, target in ((one, two), (two, one)):
        state.add_action(CrowdAction(on_enter=on))
        state.add_transition(FINISHED, target)
    one.add_transition("GO", two)
    crowd = Crowd(machine, 5, start="One", engine=engine)
    crowd["x"][[2, 4]] = 1.0
    with pytest.raises(TransitionLoopError) as caught:
        crowd.send_event("GO")
    assert str(caught.value) == (
        "Crowd of 'Npc', agent 2: more than 10 state changes within one call. They repeat: "
        "Two -> One -> Two. So did 1 other agent. Let one of them wait for an update or an "
        "event, or raise max_transitions."
    )
    assert crowd.count() == {"One": 2, "Two": 3}


def test_an_event_on_exit_that_leads_on_is_refused() -> None:
    machine = build()
    machine.states["Chase"].add_action(CrowdAction(on_exit=see))
    machine.states["Chase"].add_transition("SAW_PLAYER", "Patrol")
    with pytest.raises(TransitionOnExitError, match=r"actions\[1\] on_exit may send 'SAW_PLAYER'"):
        Crowd(machine, 1)


def test_an_event_that_nobody_handles_is_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    machine = build()
    machine.states["Chase"].add_action(CrowdAction(on_update=see))
    Crowd(machine, 1, engine="python")
    assert caplog.messages == [
        (
            "Fsm 'Npc', state 'Chase', actions[1] on_update may send 'SAW_PLAYER', but has no "
            "transition for it. It knows 'CALM'. Add it with add_transition(), or check the "
            "spelling."
        )
    ]


WRONG = {
    "a size": (lambda: Crowd(build(), -1), "The size of a crowd must be an integer >= 0"),
    "an engine": (lambda: Crowd(build(), 1, engine="gpu"), "engine must be 'compiled' or 'python'"),
    "a dtype": (lambda: Crowd(build(), 1, dtype="int8"), "dtype must be 'float64' or 'float32'"),
    "a seed": (lambda: Crowd(build(), 1, seed=-1), "seed must be an integer >= 0"),
    "a column": (
        lambda: Crowd(build(), 1)["z"],
        "Npc has no field 'z'. Its fields: x, hits, alive",
    ),
    "an event": (
        lambda: Crowd(build(), 1).send_event("CLAM"),
        "no state knows 'CLAM'. Known events: 'SAW_PLAYER', 'CALM'",
    ),
    "a mask": (
        lambda: Crowd(build(), 3).send_event("CALM", where=np.array([True])),
        r"where must be a mask of 3 booleans, a list of indices or a state, got an array of bool",
    ),
    "a length": (
        lambda: Crowd(build(), 3).__setitem__("x", [1.0, 2.0]),
        r"'x' must be one value, or 3 of them, got an array of the shape \(2,\).",
    ),
    "a machine": (
        lambda: Crowd(object(), 3),
        "The machine of a Crowd must be a CrowdFsm, got <object.*Build it with CrowdFsm",
    ),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said(what: str) -> None:
    call, message = WRONG[what]
    with pytest.raises(CrowdError, match=message):
        call()


def test_an_unknown_state_and_a_bad_time_are_refused() -> None:
    crowd = Crowd(build(), 1, engine="python")
    with pytest.raises(UnknownStateError, match="has no state 'Patrl'. Its states: 'Patrol', "):
        crowd.start("Patrl")
    with pytest.raises(
        ValueError,
        match=r"^Crowd of 'Npc': dt must be a finite number of seconds >= 0, got -1\.0\.$",
    ):
        crowd.update(-1.0)


def test_pictures_and_checks_work_on_the_machine() -> None:
    assert "SAW_PLAYER" in to_mermaid(build())
    assert [finding.code for finding in check(build())] == []


def test_the_source_says_what_stands_where() -> None:
    source = Crowd(build(), 1).source
    assert "# see\n" in source
    assert (
        "            if abs(npc_x[i] - world_player) < 5.0:\n                to = CHASE" in source
    )
    assert Crowd(build(), 1, engine="python").source == ""


@pytest.mark.slow
def test_compiled_code_is_kept_between_runs(tmp_path: Path) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import test_crowd_object as t; from fsmkit.crowd import Crowd\n"
        "crowd = Crowd(t.dice(), 3, start='Roll'); crowd.update(0.1); print(crowd['x'].tolist())\n"
    )
    run = partial(
        subprocess.run,
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},  # nobody else writes there
        capture_output=True,
        text=True,
        check=True,
    )
    first = run()
    kept = files_of_compiled_code(tmp_path)
    assert {path.suffix for path in kept} >= {".py", ".nbi", ".nbc"}
    again = run()
    crowd = Crowd(dice(), 3, start="Roll", engine="python")
    crowd.update(0.1)
    assert first.stdout == again.stdout == f"{crowd['x'].tolist()}\n"
    assert kept.items() <= files_of_compiled_code(tmp_path).items()


def files_of_compiled_code(folder: Path) -> dict[Path, int]:
    """Return the time when each of them was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.[pn]*") if path.is_file()}
