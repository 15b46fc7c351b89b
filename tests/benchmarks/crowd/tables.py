"""The figures in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from compile_time import FirstStep
from contestants import CONTESTANTS, CROWD, FLOOR, MACHINES, NUMBA, OBJECTS
from memory import Reading
from report import aligned, significant
from rounds import Rounds

GOALS: Final = {OBJECTS: 30.0, MACHINES: 80.0, NUMBA: 0.8, FLOOR: 0.35}
"""Contestant -> the target speed of the crowd relative to it, with the most agents."""


def speed_table(results: Sequence[Rounds]) -> str:
    """Return a table of million agent-updates per second, and the speed relative to the objects."""
    rows = [["contestant", "version", *(f"{result.size:,}" for result in results)]]
    for name in results[0].seconds:
        cells = [speed_cell(result, name) for result in results]
        rows.append([name, CONTESTANTS[name].version, *cells])
    return "\n".join(aligned(rows))


def speed_cell(result: Rounds, name: str) -> str:
    rate = significant(result.rate(name))
    if OBJECTS not in result.seconds:
        return rate
    return f"{rate} ({significant(result.times(name, OBJECTS))})"


def drawing_table(results: Sequence[Rounds]) -> str:
    """Return the same for characters that draw, with the speed relative to numba by hand."""
    rows = [["with random numbers", *(f"{result.size:,}" for result in results)]]
    for name in results[0].seconds:
        cells = [
            f"{significant(result.rate(name))} ({significant(result.times(name, NUMBA))})"
            for result in results
        ]
        rows.append([name, *cells])
    return "\n".join(aligned(rows))


def crowd_table(results: Sequence[Rounds]) -> str:
    """Return a table of the crowd's speed relative to the others, and the targets."""
    rows = [["the crowd against", *(f"{result.size:,}" for result in results), "goal"]]
    for name in results[0].seconds:
        if name != CROWD:
            cells = [significant(result.times(CROWD, name)) for result in results]
            rows.append([name, *cells, goal(name, results[-1])])
    return "\n".join(aligned(rows))


def goal(name: str, result: Rounds) -> str:
    if name not in GOALS:
        return ""
    reached = result.times(CROWD, name) >= GOALS[name]
    return f">= {GOALS[name]:g}: {'reached' if reached else 'missed'}"


def compile_table(steps: Mapping[str, Mapping[str, FirstStep]]) -> str:
    """Return a table of the seconds that a fresh interpreter takes for its first step."""
    rows = [["first step", "cache", "import, s", "build and first step, s"]]
    for name, kinds in steps.items():
        for kind, step in kinds.items():
            rows.append([name, kind, f"{step.importing:.2f}", f"{step.stepping:.2f}"])
    return "\n".join(aligned(rows))


def memory_table(readings: Iterable[Reading]) -> str:
    """Return a table of resident memory by number of steps, and its growth."""
    taken = list(readings)
    rows = [["step", "resident, MB", "more, MB"]]
    for step, size in taken:
        rows.append([f"{step:,}", f"{size / 1e6:.1f}", f"{(size - taken[0].bytes) / 1e6:+.1f}"])
    return "\n".join(aligned(rows))
