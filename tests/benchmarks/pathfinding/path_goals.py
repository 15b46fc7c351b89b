"""The figures that finding ways is to reach, and which of them a run has missed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from path_rounds import Rounds
from pulling_rounds import SEARCH, SMOOTH
from report import aligned, significant
from tile_contestants import ASTAR, GRID, PURE_GRID, PYTHON, TILE_CONTESTANTS

AGAINST_TCOD: Final = 1.3
"""How many times as long as tcod a far way may take."""
SHARE_OF_SEARCH: Final = 0.1
"""The share of the search that `smooth` may take."""
OURS: Final = (GRID, PURE_GRID, ASTAR)


class Verdict(NamedTuple):
    """A figure and its limit."""

    goal: str
    figure: float
    limit: float

    @property
    def word(self) -> str:
        """Whether the goal is met."""
        return "met" if self.figure <= self.limit else "missed"


def far_verdicts(result: Rounds) -> Iterator[Verdict]:
    """Compare the compiled grid with tcod at far pairs."""
    for name in result.seconds:
        if name.startswith("tcod") and GRID in result.seconds:
            figure = result.times(GRID, name)
            yield Verdict(f"{result.title}: {GRID}, times {name}", figure, AGAINST_TCOD)


def near_verdicts(result: Rounds) -> Iterator[Verdict]:
    """Compare both grids with the fastest library in Python at near pairs."""
    libraries = [
        name
        for name in result.seconds
        if name not in OURS and TILE_CONTESTANTS[name].kind == PYTHON
    ]
    for ours in (GRID, PURE_GRID):
        for name in libraries if ours in result.seconds else ():
            yield Verdict(f"{result.title}: {ours}, times {name}", result.times(ours, name), 1.0)


def pulling_verdicts(kind: str, found: Iterable[Rounds]) -> Iterator[Verdict]:
    """Compare `smooth` with its search."""
    for result in found:
        figure = result.times(SMOOTH, SEARCH)
        yield Verdict(f"smooth, {kind}, {result.title}, times its search", figure, SHARE_OF_SEARCH)


def verdicts_table(found: Sequence[Verdict]) -> str:
    """Return the verdicts as a table in Markdown."""
    rows = [["goal", "figure", "at most", ""]]
    rows += [[v.goal, f"{v.figure:.3g}", significant(v.limit), v.word] for v in found]
    return "\n".join(aligned(rows))
