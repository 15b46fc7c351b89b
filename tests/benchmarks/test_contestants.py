"""Every contestant of the benchmark does the same work as the hand-written one."""

from __future__ import annotations

import pytest
from contestant import BASELINE, MODULES, Contestant, load
from measuring import WORKLOADS, expected_outcome, measure_memory, time_once
from workloads import FRAME, GUARD_STATES, GUARD_TOUR, GUARD_TRANSITIONS

SIZES = {"events": 3, "updates": 3, "npcs": 4, "build": 2, "start": 2}


@pytest.fixture(params=MODULES)
def contestant(request: pytest.FixtureRequest) -> Contestant:
    """Each contestant whose package is installed."""
    try:
        return load(request.param)
    except ModuleNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_contestant_does_what_the_hand_written_one_does(
    contestant: Contestant, workload: str
) -> None:
    timing = time_once(contestant, workload, SIZES[workload])
    assert timing.outcome == expected_outcome(workload, SIZES[workload])


def test_a_machine_takes_memory(contestant: Contestant) -> None:
    assert measure_memory(contestant, 3).built > 0


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
