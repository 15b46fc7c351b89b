"""The tables of a run, and the figures that are to be reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Final, TypeAlias

from report import MISSING, aligned, significant

Figures: TypeAlias = dict[str, dict[str, float]]
"""The figures of each part of a run, by name."""
BESIDE: Final = ("an action of your own", "plain", "nobody")
"""What is measured for comparison begins so."""
KINDS: Final = ("update", "visit", "finish")
WORST: Final = 10


def tables(found: Mapping[str, Figures]) -> str:
    """Return all tables in Markdown. The first contestant is the one shown in detail."""
    name, first = next(iter(found.items()))
    parts = {
        "The figures to reach": summary(found),
        f"Every action, {name}": library(first),
        "The worst ten": worst(found),
        "Events": by_contestant("times a plain event", "lanes", found),
        "Watching": by_contestant("times an unwatched event", "watching", found),
        "One more level": by_contestant("µs added to an update", "level, update", found),
        "One more level, exit and enter": by_contestant("µs added", "level, visit", found),
    }
    return "\n\n".join(
        "\n".join([f"### {title}", "", *rows]) for title, rows in parts.items() if rows
    )


def middle(rounds: Sequence[Figures]) -> Figures:
    """Return the median of each ratio over the rounds, and the least of microseconds."""
    return {
        part: {
            name: (min if part.startswith("level") or name.endswith("µs") else median)(
                each[part][name] for each in rounds
            )
            for name in figures
        }
        for part, figures in rounds[0].items()
    }


def of_actions(figures: Figures, part: str) -> list[float]:
    return [each for name, each in figures.get(part, {}).items() if not name.startswith(BESIDE)]


def median_of(part: str) -> Callable[[Figures], float]:
    return lambda figures: median(of_actions(figures, part))


def worst_of(part: str) -> Callable[[Figures], float]:
    return lambda figures: max(of_actions(figures, part))


def one_of(part: str, name: str) -> Callable[[Figures], float]:
    return lambda figures: figures[part][name]


GOALS: Final[tuple[tuple[str, float, Callable[[Figures], float]], ...]] = (
    ("update of an action: median", 3, median_of("update")),
    ("update of an action: worst", 8, worst_of("update")),
    ("exit and enter: median", 6, median_of("visit")),
    ("finish: median", 12, median_of("finish")),
    ("finish: `TimedWait`", 8, one_of("finish", "TimedWait")),
    ("a composite, an update, µs: worst", 0.5, worst_of("level, update")),
    ("events that are not plain: median", 8, median_of("lanes")),
    ("events that are not plain: worst", 8, worst_of("lanes")),
    ("states watched", 5, one_of("watching", "an observer of `state_entered`")),
    ("an observer with `intercept`", 10, one_of("watching", "an observer with `intercept`")),
    ("`History`", 10, one_of("watching", "a `History`")),
    ("`Recording`", 60, one_of("watching", "a `Recording` in memory")),
    ("10,000 NPCs, times by hand", 2, one_of("machines", "10,000 NPCs, times by hand")),
    (
        "building 7 actions, µs",
        35,
        one_of("machines", "building a character of 7 library actions, µs"),
    ),
    (
        "a guard, toured, bytes",
        3600,
        one_of("machines", "a guard that has been in each of its states, bytes"),
    ),
)


def summary(found: Mapping[str, Figures]) -> list[str]:
    """Return each figure to reach beside those of all contestants."""
    rows = [
        [
            title,
            significant(goal),
            *(significant_or_missing(figure, each) for each in found.values()),
        ]
        for title, goal, figure in GOALS
    ]
    return aligned([["figure", "at most", *found], *rows])


def significant_or_missing(figure: Callable[[Figures], float], figures: Figures) -> str:
    try:
        return significant(figure(figures))
    except (KeyError, ValueError):  # that part was not measured
        return MISSING


def library(figures: Figures) -> list[str]:
    """Return the ratios of every action; an event in place of an update is marked."""
    names = dict.fromkeys(name for kind in (*KINDS, "event") for name in figures.get(kind, {}))
    columns = [*KINDS, "event", "Panda3D"]
    rows = [[name, *(cell(figures, part, name) for part in columns)] for name in names]
    heading = ["times by hand", *KINDS, "event in place", "Panda3D, update"]
    return aligned([heading, *rows]) if rows else []


def cell(figures: Figures, part: str, name: str) -> str:
    return significant(figures[part][name]) if name in figures.get(part, {}) else MISSING


def by_contestant(title: str, part: str, found: Mapping[str, Figures]) -> list[str]:
    """Return one part with a column for each contestant."""
    names = next(iter(found.values())).get(part, {})
    rows = [[name, *(cell(figures, part, name) for figures in found.values())] for name in names]
    return aligned([[title, *found], *rows]) if rows else []


def worst(found: Mapping[str, Figures]) -> list[str]:
    """Return the largest ratios of the first contestant beside those of the others."""
    first = next(iter(found.values()))
    ranked = sorted(
        (
            (ratio, kind, name)
            for kind in (*KINDS, "event")
            for name, ratio in first.get(kind, {}).items()
        ),
        reverse=True,
    )
    rows = [
        [f"{name}: {kind}", *(cell(figures, kind, name) for figures in found.values())]
        for _, kind, name in ranked[:WORST]
    ]
    return aligned([["times by hand", *found], *rows]) if rows else []
