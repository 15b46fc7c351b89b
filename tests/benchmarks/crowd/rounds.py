"""The timing: all contestants of one size take turns, in one process."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

import numpy as np
from contestants import FLOOR, NUMBA, NUMPY, Make
from scenario import Population, player_at


@dataclass
class Runner:
    """The characters of one contestant, and their progress."""

    population: Population
    done: int = 0
    """The steps so far."""
    steps: int = 1
    """The steps of one timing."""
    seconds: list[float] = field(default_factory=list)
    """Seconds for one step of one agent, a figure for each round."""

    def run(self, steps: int) -> float:
        """Return the seconds that the next `steps` steps take."""
        places = player_at(self.done, steps)
        update = self.population.update
        begun = perf_counter()
        for player_x, player_y in places:
            update(player_x, player_y)
        taken = perf_counter() - begun
        self.done += steps
        return taken

    def calibrate(self, seconds: float) -> None:
        """Choose a number of steps that takes about `seconds`."""
        self.run(8)  # may compile; the crowd tries both of its loops
        while (taken := self.run(self.steps)) < seconds / 4:
            self.steps *= 4
        self.steps = max(1, round(self.steps * seconds / taken))


@dataclass
class Rounds:
    """The measurements with one number of agents."""

    size: int
    steps: dict[str, int]
    seconds: dict[str, list[float]]
    """Seconds for one step of one agent, by contestant, a figure for each round."""
    counts: dict[str, list[int]]
    """The number of agents in each state at the end."""
    failures: list[str]

    def rate(self, name: str) -> float:
        """Return million agent-updates per second: the median of the rounds."""
        return 1e-6 / median(self.seconds[name])

    def times(self, name: str, other: str) -> float:
        """Return the speed relative to `other`: the median of the ratios within a round."""
        pairs = zip(self.seconds[name], self.seconds[other], strict=True)
        return median(theirs / ours for ours, theirs in pairs)


def measure(makes: dict[str, Make], size: int, rounds: int, seconds: float) -> Rounds:
    """Time every contestant `rounds` times, in turn, each time for about `seconds`."""
    gc.disable()  # millions of objects are made, and all of them stay
    try:
        runners = {name: Runner(make(size)) for name, make in makes.items()}
        for runner in runners.values():
            runner.calibrate(seconds)
        for _ in range(rounds):
            for runner in runners.values():
                runner.seconds.append(runner.run(runner.steps) / runner.steps / size)
        return Rounds(
            size=size,
            steps={name: runner.steps for name, runner in runners.items()},
            seconds={name: runner.seconds for name, runner in runners.items()},
            counts={name: counts(runner.population) for name, runner in runners.items()},
            failures=differences(runners, makes[NUMBA if NUMBA in makes else NUMPY](size)),
        )
    finally:
        gc.enable()


def counts(population: Population) -> list[int]:
    """Return the number of agents in each state."""
    found: list[int] = np.bincount(population.states(), minlength=3).tolist()
    return found


def differences(runners: dict[str, Runner], reference: Population) -> list[str]:
    """Return the contestants that differ from the reference after the same number of steps."""
    leader = Runner(reference)
    failures = []
    for name, runner in sorted(runners.items(), key=lambda item: item[1].done):
        if name == FLOOR:
            continue
        leader.run(runner.done - leader.done)
        theirs, expected = counts(runner.population), counts(reference)
        if theirs != expected:
            failures.append(f"{name}: {theirs} in the states after {runner.done} steps, "
                            f"{expected} expected")  # fmt: skip
        elif not np.array_equal(runner.population.places(), reference.places()):
            failures.append(f"{name}: agents in other places after {runner.done} steps")
    return failures
