"""The timing: in every round each contestant does the same work, one after the other.

It is the time of the processor, so that it hardly matters what else the machine does; only what is
done in threads is timed by the clock.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, process_time
from typing import Final

Work = Callable[[], object]
"""One turn of a contestant."""

Clock = Callable[[], float]
"""Returns seconds."""

WALL_CLOCK: Final = perf_counter
AT_LEAST: Final = 0.02
"""Seconds that a turn is to take: short ones are repeated."""


@dataclass
class Rounds:
    """The timings of some contestants at the same work."""

    title: str
    units: int
    """The ways that are found in a turn: figures are for one of them."""
    seconds: dict[str, list[float]] = field(default_factory=dict)
    """Contestant -> the seconds for one way, a figure for each round."""

    def milliseconds(self, name: str) -> float:
        """Return what one way takes: the median of the rounds."""
        return median(self.seconds[name]) * 1e3

    def times(self, name: str, other: str) -> float:
        """Return how many times as long as `other` it takes: the median of ratios in a round."""
        pairs = zip(self.seconds[name], self.seconds[other], strict=True)
        return median(ours / theirs for ours, theirs in pairs)


def measure(
    title: str, works: Mapping[str, Work], units: int, rounds: int, clock: Clock = process_time
) -> Rounds:
    """Time every contestant `rounds` times, in turn; what it does first is not counted."""
    repeats = {name: repeats_of(work, clock) for name, work in works.items()}
    result = Rounds(title, units, {name: [] for name in works})
    for _ in range(rounds):
        for name, work in works.items():
            taken = timed(work, repeats[name], clock)
            result.seconds[name].append(taken / repeats[name] / units)
    return result


def measure_first(
    title: str, make: Mapping[str, Callable[[], Work]], units: int, rounds: int
) -> Rounds:
    """Time what every contestant does first, on a map made anew for each round, outside the timing.

    It is done once per map, so the timing is coarse; take more rounds.
    """
    for name in make:
        make[name]()()  # compiles
    result = Rounds(title, units, {name: [] for name in make})
    for _ in range(rounds):
        for name, makes in make.items():
            result.seconds[name].append(timed(makes(), 1) / units)
    return result


def timed(work: Work, times: int, clock: Clock = process_time) -> float:
    """Return the seconds that `work` takes so many times over."""
    begun = clock()
    for _ in range(times):
        work()
    return clock() - begun


def repeats_of(work: Work, clock: Clock) -> int:
    """Return how often to repeat `work` so that a turn takes long enough."""
    times = 1
    if (
        timed(work, times, clock) > 10 * AT_LEAST
    ):  # the first time may be slower, but not by so much
        return times
    while (taken := timed(work, times, clock)) < AT_LEAST / 2:
        times *= 4
    return max(1, round(times * AT_LEAST / taken))


@contextmanager
def nothing_to_collect() -> Iterator[None]:
    """Spare the garbage collector what is there: millions of objects of all the contestants."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
