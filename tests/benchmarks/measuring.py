"""Timing one contestant at one workload, in this process.

A trial is prepared, timed once with the garbage collector off, and then asked for its outcome,
which has to be the one of the hand-written contestant at the same size.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from time import perf_counter, thread_time
from typing import Any, Final, NamedTuple

from contestant import BASELINE, Blueprint, Contestant, load
from workloads import CROWD, CROWD_FRAMES, FRAME, GUARD_TOUR, Record

clock = perf_counter if sys.platform == "win32" else thread_time
"""CPU time, as other programs take turns with this one; Windows counts it in steps of 16 ms."""


class Trial(NamedTuple):
    """Work that is ready to be done once."""

    operations: int
    run: Callable[[], object]
    outcome: Callable[[], object]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Something to time. A trial of it has a size between `smallest` and `largest`."""

    title: str
    operation: str
    smallest: int
    largest: int
    prepare: Callable[[Contestant, int], Trial]
    is_for_all: bool = True
    """False if only the hand-written contestant and fsmkit take part."""


def prepare_events(contestant: Contestant, rounds: int) -> Trial:
    counts, play = contestant.ping_pong()
    return Trial(2 * rounds, lambda: play(rounds), counts.outcome)


def prepare_updates(contestant: Contestant, count: int) -> Trial:
    counts, play = contestant.frames()
    return Trial(count, lambda: play(count), counts.outcome)


def prepare_waits(contestant: Contestant, count: int) -> Trial:
    assert contestant.waits is not None
    counts, play = contestant.waits()
    return Trial(count, lambda: play(count), counts.outcome)


def prepare_watched(contestant: Contestant, rounds: int) -> Trial:
    assert contestant.watched is not None
    counts, play = contestant.watched()
    return Trial(2 * rounds, lambda: play(rounds), counts.outcome)


def prepare_npcs(contestant: Contestant, size: int) -> Trial:
    world, npcs, step = contestant.crowd(size)

    def live() -> None:
        for _ in range(CROWD_FRAMES):
            world.advance(FRAME)
            step(FRAME)

    return Trial(size * CROWD_FRAMES, live, lambda: [npc.outcome() for npc in npcs])


def prepare_build(contestant: Contestant, count: int) -> Trial:
    blueprint = contestant.guards()
    record = Record()
    machines: list[object] = []

    def build() -> None:
        build_one = blueprint.build
        machines.extend([build_one(record) for _ in range(count)])

    return Trial(count, build, lambda: (len(machines), tour(blueprint)))


def prepare_build_and_start(contestant: Contestant, count: int) -> Trial:
    blueprint = contestant.guards()
    record = Record()
    machines: list[object] = []

    def build_and_start() -> None:
        build_one, start = blueprint.build, blueprint.start
        machines.extend([build_one(record) for _ in range(count)])
        for machine in machines:
            start(machine)

    return Trial(count, build_and_start, record.outcome)


WORKLOADS: Final = {
    "events": Workload(
        title="event",
        operation="one event: a state change with one exit and one enter callback",
        smallest=10,
        largest=10_000_000,
        prepare=prepare_events,
    ),
    "updates": Workload(
        title="update",
        operation="one update with three callbacks",
        smallest=10,
        largest=10_000_000,
        prepare=prepare_updates,
    ),
    "npcs": Workload(
        title="NPC",
        operation=f"one of up to {CROWD:,} characters in one of {CROWD_FRAMES} frames",
        smallest=10,
        largest=CROWD,
        prepare=prepare_npcs,
    ),
    "build": Workload(
        title="build",
        operation="building one of up to 10,000 machines: 5 states, 8 transitions, 10 callbacks",
        smallest=10,
        largest=10_000,
        prepare=prepare_build,
    ),
    "start": Workload(
        title="build, start",
        operation="building and starting one of them",
        smallest=10,
        largest=10_000,
        prepare=prepare_build_and_start,
    ),
    "waits": Workload(
        title="wait",
        operation="one update in which a TimedWait finishes and FINISHED leads to the next one",
        smallest=10,
        largest=10_000_000,
        prepare=prepare_waits,
        is_for_all=False,
    ),
    "watched": Workload(
        title="watched event",
        operation="one event, as above, and an observer is called for the state that is entered",
        smallest=10,
        largest=10_000_000,
        prepare=prepare_watched,
        is_for_all=False,
    ),
}


def takes_part(contestant: Contestant, workload: str) -> bool:
    """Return True if the workload is measured with that contestant."""
    return WORKLOADS[workload].is_for_all or getattr(contestant, workload) is not None


def tour(blueprint: Blueprint) -> list[object]:
    """Return what one guard writes on its record when it takes each of its transitions."""
    record = Record()
    machine = blueprint.build(record)
    blueprint.start(machine)
    outcomes: list[object] = [record.outcome()]
    for event in GUARD_TOUR:
        blueprint.send(machine, event)
        outcomes.append(record.outcome())
    return outcomes


class Timing(NamedTuple):
    """The time a trial took, and its outcome."""

    seconds: float
    operations: int
    outcome: object

    @property
    def per_operation(self) -> float:
        """Seconds for one operation."""
        return self.seconds / self.operations


def time_trial(trial: Trial) -> Timing:
    """Carry out a trial and time it."""
    gc.collect()
    gc.disable()
    try:
        begin = clock()
        trial.run()
        seconds = clock() - begin
    finally:
        gc.enable()
    return Timing(seconds, trial.operations, trial.outcome())


def time_once(contestant: Contestant, workload: str, size: int) -> Timing:
    """Prepare a trial of `size` and time it."""
    return time_trial(WORKLOADS[workload].prepare(contestant, size))


def suitable_size(contestant: Contestant, workload: str, seconds: float) -> int:
    """Return the size at which a trial takes about `seconds`, within the workload's limits."""
    work = WORKLOADS[workload]
    return fitting_size(partial(work.prepare, contestant), seconds, work.smallest, work.largest)


def fitting_size(
    prepare: Callable[[int], Trial], seconds: float, smallest: int, largest: int
) -> int:
    """Return the size at which a trial takes about `seconds`."""
    size = smallest
    while True:
        taken = time_trial(prepare(size)).seconds
        wanted = max(smallest, min(largest, int(size * seconds / taken)))
        if size == largest or taken >= seconds / 4:
            return wanted
        size = max(min(largest, 4 * size), wanted // 2)


class Memory(NamedTuple):
    """Bytes for each machine, without the code and whatever else the machines share."""

    built: float
    started: float
    toured: float = 0.0
    """Once it has been in each of its states."""


def measure_memory(contestant: Contestant, count: int) -> Memory:
    """Build `count` guards, start them and lead them round, and measure what they hold."""
    tour(contestant.guards())  # what is made once, on first use, is not a machine's
    blueprint = contestant.guards()
    record = Record()
    machines: list[Any] = [None] * count
    gc.collect()
    tracemalloc.start()
    try:
        before = held()
        for index in range(count):
            machines[index] = blueprint.build(record)
        built = held()
        for machine in machines:
            blueprint.start(machine)
        started = held()
        for machine in machines:
            for event in GUARD_TOUR:
                blueprint.send(machine, event)
        toured = held()
    finally:
        tracemalloc.stop()
    return Memory(*((each - before) / count for each in (built, started, toured)))


def held() -> int:
    """Return how many bytes are in use, garbage left out."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@cache
def expected_outcome(workload: str, size: int) -> object:
    """Return the outcome of the hand-written contestant."""
    return time_once(load(BASELINE), workload, size).outcome
