"""Timing in turn: all calls of a round one after the other, in wall-clock and processor time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import mean, median
from time import perf_counter, process_time
from typing import Final, TypeVar

Name = TypeVar("Name")

BOTH_LOOPS: Final = 8
"""After so many updates a crowd has compiled and tried both of its loops."""


@dataclass
class Taken:
    """What a call took, a figure for each round, in seconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    """The processor time of all threads of this process."""

    def add(self, call: Callable[[], object]) -> None:
        """Call it once."""
        cpu, wall = process_time(), perf_counter()
        call()
        self.wall.append(perf_counter() - wall)
        self.cpu.append(process_time() - cpu)

    @property
    def wall_ms(self) -> float:
        """The median."""
        return median(self.wall) * 1e3

    @property
    def cpu_ms(self) -> float:
        """The median."""
        return median(self.cpu) * 1e3

    @property
    def mean_cpu_ms(self) -> float:
        """The mean: for what is put off for some calls and then done at once."""
        return mean(self.cpu) * 1e3

    @property
    def mean_wall_ms(self) -> float:
        """The mean."""
        return mean(self.wall) * 1e3

    @property
    def longest_ms(self) -> float:
        """The longest of all, in wall-clock time."""
        return max(self.wall) * 1e3


def take_turns(
    calls: Mapping[Name, Callable[[], object]], rounds: int, *, before: int = 1
) -> dict[Name, Taken]:
    """Call each `before` times, as it may have to compile, and then `rounds` times in turn."""
    for call in calls.values():
        for _ in range(before):
            call()
    taken = {name: Taken() for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            taken[name].add(call)
    return taken


def times(one: Taken, other: Taken) -> float:
    """Return how many times as fast `one` is: the median of the ratios within a round, by wall."""
    return median(theirs / ours for ours, theirs in zip(one.wall, other.wall, strict=True))
