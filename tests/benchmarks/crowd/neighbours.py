"""Agents that see each other: what a flock and an epidemic take beside scipy, NumPy and Mesa.

    uv run --group bench python tests/benchmarks/crowd/neighbours.py

In every round each contestant looks once, which is what `Cells` and `Places` do before a step, and
makes one whole step, in turn, in one process; medians. Before that, all must have seen the same.

mesa-frames 0.1 is left out: its spaces are grids, and it has no flock.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[3] / "examples")]

import numpy as np
from command import options, title
from epidemic import STEP, build
from flock import CrowdFlock
from mesa_flock import MesaFlock
from numpy_epidemic import NumpyEpidemic
from report import aligned, significant
from scipy_flock import BallsFlock, PairsFlock
from turns import BOTH_LOOPS, Taken, take_turns, times

from fsmkit.crowd import Crowd, Places

CROWD: Final = "crowd"
PARALLEL: Final = "crowd, 2 threads"
PAIRS: Final = "k-d tree: query_pairs"
BALLS: Final = "k-d tree: query_ball_point, 2 threads"
NUMPY: Final = "NumPy: bincount"
MESA: Final = "Mesa"
LOOK: Final = "look"
WHOLE: Final = "step"
MOST_LISTS: Final = 100_000
"""For more agents `query_ball_point`, which makes a list for each, takes many seconds a step."""
CLOSE: Final = 1e-9
"""How far means may differ that were summed in another order."""

Calls = dict[tuple[str, str], Callable[[], object]]


def main() -> int:
    """Print the tables; return 1 if somebody has seen something else."""
    is_quick = options(__doc__).quick
    print(title())
    for small in (CrowdFlock(100, threads=1).crowd, epidemic(100, threads=1)):
        small.update(STEP, steps=BOTH_LOOPS)
    flocks = ((20_000, 3),) if is_quick else ((100_000, 7), (1_000_000, 5))
    failures = [text for size, rounds in flocks for text in compare_flocks(size, rounds)]
    for size, rounds in ((1_000, 3),) if is_quick else ((1_000, 7), (10_000, 3)):
        compare_with_mesa(size, rounds)
    for size, rounds in ((100_000, 5),) if is_quick else ((100_000, 21), (1_000_000, 11)):
        failures += compare_epidemics(size, rounds)
    print("\n".join(failures) or "All have seen the same.")
    return 1 if failures else 0


def compare_flocks(size: int, rounds: int) -> list[str]:
    """Print the table of the flocks beside scipy's; return what differs."""
    flocks: dict[str, CrowdFlock | PairsFlock] = {
        CROWD: CrowdFlock(size, threads=1),
        PARALLEL: CrowdFlock(size, threads=2),
        PAIRS: PairsFlock(size),
    }
    if size <= MOST_LISTS:
        flocks[BALLS] = BallsFlock(size)
    for each in flocks.values():
        each.look()
    seen = {name: each.seen() for name, each in flocks.items()}
    near = seen[CROWD]["near"].mean()
    found = [
        f"{size:,} boids, {name}: {column}"
        for name, columns in seen.items()
        for column, values in columns.items()
        if not np.allclose(values, seen[CROWD][column], rtol=CLOSE, atol=CLOSE)
    ]
    calls: Calls = {(name, LOOK): each.look for name, each in flocks.items()}
    calls |= {(name, WHOLE): each.step for name, each in flocks.items()}
    print(f"{size:,} boids, {near:.1f} near each; {rounds} rounds:\n")
    print_table(calls, rounds, "flock")
    return found


def compare_with_mesa(size: int, rounds: int) -> None:
    """Print the table of a flock beside Mesa's own."""
    crowd, mesa = CrowdFlock(size, threads=1), MesaFlock(size)
    print(f"{size:,} boids; {rounds} rounds:\n")
    print_table({(CROWD, WHOLE): crowd.step, (MESA, WHOLE): mesa.step}, rounds, "flock")


def compare_epidemics(size: int, rounds: int) -> list[str]:
    """Print the table of an epidemic in homes and at work; return what differs."""
    crowds = {CROWD: epidemic(size, 1), PARALLEL: epidemic(size, 2)}
    people = NumpyEpidemic(crowds[CROWD])
    for crowd in crowds.values():
        crowd.neighbours.renew()
    people.look()
    found = [
        f"{size:,} people, {name}: {column}"
        for name, crowd in crowds.items()
        for column in ("others", "ill")
        if not np.array_equal(crowd[column], getattr(people, column))
    ]
    calls: Calls = {(name, LOOK): each.neighbours.renew for name, each in crowds.items()}
    calls[NUMPY, LOOK] = people.look
    calls |= {(name, WHOLE): lambda each=each: each.update(STEP) for name, each in crowds.items()}
    calls[NUMPY, WHOLE] = lambda: people.step(STEP)
    print(f"{size:,} people at {people.places:,} places; {rounds} rounds:\n")
    print_table(calls, rounds, "epidemic")
    return found


def epidemic(size: int, threads: int) -> Crowd:
    """Return a town with homes for four and staffs of twenty, in which every tenth is ill."""
    crowd = Crowd(build(), size, start="Healthy", seed=7, parallel=threads)
    homes, staffs = size // 4, size // 20
    choose = np.random.default_rng(7)
    crowd["home"] = choose.integers(0, homes, size)
    crowd["work"] = homes + choose.integers(0, staffs, size)
    crowd["place"] = crowd["home"]
    crowd.start("Ill", where=np.arange(size) % 10 == 0)
    places = Places(crowd, "place")
    places.count(into="others")
    places.count(into="ill", where="Ill")
    return crowd


def print_table(calls: Calls, rounds: int, what: str) -> None:
    taken = take_turns(calls, rounds)
    parts = list(dict.fromkeys(part for _, part in calls))
    heading = [f"{part}, {kind}" for part in parts for kind in ("wall ms", "CPU ms")]
    rows = [[what, *heading, "a step, times the crowd's"]]
    rows += [row(name, parts, taken) for name in dict.fromkeys(name for name, _ in calls)]
    print("\n".join(aligned(rows)), end="\n\n")


def row(name: str, parts: Sequence[str], taken: dict[tuple[str, str], Taken]) -> list[str]:
    cells = [
        significant(figure)
        for part in parts
        for figure in (taken[name, part].wall_ms, taken[name, part].cpu_ms)
    ]
    return [name, *cells, significant(times(taken[CROWD, WHOLE], taken[name, WHOLE]))]


if __name__ == "__main__":
    sys.exit(main())
