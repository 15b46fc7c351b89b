"""The figures that fsmkit is to reach, and which of them a run has missed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from contestant import KERNEL, PURE
from report import MISSING, aligned, significant
from results import Entry, Results


class Limit(NamedTuple):
    """The largest figure that will do; CPython 3.13 made plain code faster than machines."""

    until_3_12: float
    from_3_13: float

    def here(self) -> float:
        """Return the limit on this Python."""
        return self.from_3_13 if sys.version_info >= (3, 13) else self.until_3_12


class Goal(NamedTuple):
    """A figure, and its limits without the kernel and with it."""

    title: str
    figure: Callable[[Entry], float | None]
    pure: Limit
    kernel: Limit


def ratio(workload: str) -> Callable[[Entry], float | None]:
    """Make a function that returns how many times as long as by hand a workload takes."""
    return lambda entry: entry.series[workload].ratio if workload in entry.series else None


def microseconds_to_build(entry: Entry) -> float | None:
    return entry.series["build"].per_operation * 1e6 if "build" in entry.series else None


def bytes_built(entry: Entry) -> float | None:
    return entry.memory.built if entry.memory else None


GOALS: Final = (
    Goal("event, times hand-written", ratio("events"), Limit(3.4, 3.6), Limit(1.15, 1.15)),
    Goal("update, times hand-written", ratio("updates"), Limit(2.5, 2.5), Limit(1.2, 1.2)),
    Goal("NPC, times hand-written", ratio("npcs"), Limit(3.0, 3.0), Limit(1.6, 1.6)),
    Goal("build, µs", microseconds_to_build, Limit(16, 16), Limit(5, 5)),
    Goal("bytes built", bytes_built, Limit(3400, 3400), Limit(3400, 3400)),
)


class Verdict(NamedTuple):
    """One goal of one contestant; `word` says whether it is met."""

    goal: str
    contestant: str
    figure: float | None
    limit: float
    word: str

    @property
    def is_missed(self) -> bool:
        """True if the goal was not reached; what was not asked for is not missed."""
        return self.word not in {"met", "not measured"}


def verdicts(results: Results) -> list[Verdict]:
    """Compare the contestants of fsmkit in a run with every goal."""
    entries = {entry.name: entry for entry in results.entries}
    return [
        verdict(goal, name, limit.here(), entries.get(name))
        for goal in GOALS
        for name, limit in ((PURE, goal.pure), (KERNEL, goal.kernel))
    ]


def verdict(goal: Goal, name: str, limit: float, entry: Entry | None) -> Verdict:
    if entry is not None and name == KERNEL and not entry.has_kernel:
        return Verdict(goal.title, name, None, limit, "missed: no kernel here")
    figure = goal.figure(entry) if entry else None
    if figure is None:
        return Verdict(goal.title, name, None, limit, "not measured")
    word = "met" if round(figure, 2) <= limit else "missed"
    return Verdict(goal.title, name, figure, limit, word)


def goals_table(found: Sequence[Verdict]) -> str:
    """Return the verdicts as a table in Markdown."""
    heading = ["goal", "contestant", "figure", "at most", ""]
    return "\n".join(aligned([heading, *(row(verdict) for verdict in found)]))


def row(found: Verdict) -> list[str]:
    figure = MISSING if found.figure is None else significant(found.figure)
    return [found.goal, found.contestant, figure, significant(found.limit), found.word]
