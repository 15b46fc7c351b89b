"""Every contestant of the benchmark does the same work as the hand-written one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from contestant import BASELINE, KERNEL, MODULES, PURE, load
from goals import GOALS, verdicts
from measuring import (
    WORKLOADS,
    Memory,
    Timing,
    expected_outcome,
    measure_memory,
    takes_part,
    time_once,
)
from report import table
from results import Entry, Results, Series, environment
from session import describe
from workers import Worker, WorkError
from workloads import FRAME, GUARD_STATES, GUARD_TOUR, GUARD_TRANSITIONS

SIZES = {"events": 3, "updates": 3, "npcs": 4, "build": 2, "start": 2, "waits": 5, "watched": 3}


@pytest.fixture(params=MODULES, scope="module")
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    """Each contestant whose package is installed, in its process."""
    try:
        worker = Worker(request.param)
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    yield worker
    worker.close()


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_contestant_does_what_the_hand_written_one_does(worker: Worker, workload: str) -> None:
    if not worker.ask(takes_part, workload):
        assert not WORKLOADS[workload].is_for_all
        assert worker.name not in {BASELINE, KERNEL, PURE}
        return
    timing = worker.ask(time_once, workload, SIZES[workload])
    assert timing.outcome == expected_outcome(workload, SIZES[workload])


def test_a_machine_takes_memory(worker: Worker) -> None:
    assert worker.ask(measure_memory, 3).built > 0


@pytest.mark.slow
def test_pure_fsmkit_runs_without_the_kernel() -> None:
    worker = Worker(PURE)
    entry = worker.ask(describe, PURE)
    worker.close()
    assert (entry.has_kernel, entry.remark) == (False, "runs without the kernel")


@pytest.mark.slow
def test_a_contestant_that_crashes_is_a_failure_and_not_the_end() -> None:
    worker = Worker(BASELINE)
    with pytest.raises(WorkError, match="hand-written: its process ended with exit code 3"):
        worker.ask(crash)
    with pytest.raises(WorkError, match="hand-written: its process ended with exit code 3"):
        worker.ask(describe, BASELINE)


def crash(contestant: object) -> None:
    os._exit(3)


def test_both_columns_of_fsmkit_are_held_against_the_goals() -> None:
    found = verdicts(results(slow=3.5, has_kernel=True))
    assert [(verdict.goal, verdict.contestant) for verdict in found if verdict.is_missed] == [
        ("event, times hand-written", "fsmkit, pure"),
        ("event, times hand-written", "fsmkit"),
    ]
    assert {verdict.word for verdict in found} == {"met", "missed", "not measured"}


def test_without_a_kernel_its_goals_are_missed() -> None:
    found = verdicts(results(slow=1.0, has_kernel=False))
    assert [verdict.contestant for verdict in found if verdict.is_missed] == ["fsmkit"] * len(GOALS)


def test_what_only_fsmkit_does_has_a_table_of_its_own() -> None:
    first, second = table(results(slow=1.0, has_kernel=True)).split("| contestant")[1:]
    assert "watched event" not in first
    assert "(1.00)" in second


def results(*, slow: float, has_kernel: bool) -> Results:
    """A run whose events take `slow` times as long as by hand; builds were not measured."""
    found = Results(rounds=1, environment=environment())
    for name in ("fsmkit, pure", "fsmkit"):
        series = {workload: Series(1) for workload in WORKLOADS if workload != "build"}
        for workload, each in series.items():
            each.add(Timing(slow if workload == "events" else 1.0, 1, None), baseline=1.0)
        entry = Entry(name, "1", "", has_kernel and name == "fsmkit", series)
        entry.memory = Memory(3000, 3000)
        found.entries.append(entry)
    return found


def test_a_round_of_ping_pong_enters_and_exits_twice() -> None:
    entered, exited, *_ = load_run("ping_pong", 3)
    assert (entered, exited) == (7, 6)  # the start has entered once


def test_an_update_makes_three_callbacks_and_passes_the_time() -> None:
    *_, first, second, seconds = load_run("frames", 3)
    assert (first, second, seconds) == (3, 3, FRAME + FRAME + FRAME)


def load_run(workload: str, count: int) -> tuple[float, ...]:
    counts, play = getattr(load(BASELINE), workload)()
    play(count)
    outcome: tuple[float, ...] = counts.outcome()
    return outcome


def test_the_tour_of_a_guard_takes_every_transition() -> None:
    targets = {(source, event): target for source, event, target in GUARD_TRANSITIONS}
    state, taken = "Sleep", set()
    for event in GUARD_TOUR:
        taken.add((state, event))
        state = targets[state, event]
    assert taken == set(targets)
    assert set(targets.values()) == set(GUARD_STATES)


def test_the_crowd_patrols_waits_and_chases() -> None:
    npcs = expected_outcome("npcs", 100)
    assert isinstance(npcs, list)
    _, _, patrols, waits, chases, exits = (sum(column) for column in zip(*npcs, strict=True))
    assert min(patrols, waits, chases) > 50
    assert exits == patrols + waits + chases - len(npcs)  # each is in one state now
