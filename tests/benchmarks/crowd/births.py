"""Births and deaths: what a step takes, and what it takes to add and to remove a single agent.

    uv run --group bench python tests/benchmarks/crowd/births.py

A crowd in which agents die and leave children is compared with the same without, and with NumPy.
Means of all steps, as rows of the dead are closed up only now and then. In the end the columns must
be the same, bit for bit.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Final

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import options, title
from passing import NumpyWalkers, Walkers
from report import aligned, significant
from turns import BOTH_LOOPS, Taken, take_turns

PASSING: Final = "crowd"
STAYING: Final = "crowd, without births and deaths"
NUMPY: Final = "NumPy: masks and concatenate"
SHARES: Final = (0.001, 0.01)
STEPS: Final = 150
"""At the smaller share an eighth of the rows is free by then, and they are closed up."""
SINGLE_ROUNDS: Final = 15


def main() -> int:
    """Print the tables; return 1 if columns differ."""
    is_quick = options(__doc__).quick
    print(title())
    sizes = (100_000,) if is_quick else (1_000_000, 4_000_000)
    failures = []
    for size, share in product(sizes, SHARES):
        failures += compare(size, share, steps=30 if is_quick else STEPS)
    one_at_a_time(sizes[-1])
    print("\n".join(failures) or "All columns are the same.")
    return 1 if failures else 0


def compare(size: int, share: float, steps: int) -> list[str]:
    """Print the table of a share that is born and dies in each step; return what differs."""
    crowd, numpy = Walkers(size, share, is_passing=True), NumpyWalkers(size, share)
    staying = Walkers(size, share, is_passing=False)
    calls = {STAYING: staying.step, PASSING: crowd.step, NUMPY: numpy.step}
    taken = take_turns(calls, steps, before=BOTH_LOOPS)
    print(f"{size:,} agents, {share:.1%} are born and die in each of {steps} steps:\n")
    rows = [["a step", "mean CPU ms", "mean wall ms", "longest wall ms", "times the CPU"]]
    rows += [row(name, each, taken[STAYING]) for name, each in taken.items()]
    print("\n".join(aligned(rows)), end="\n\n")
    ours, theirs = crowd.columns(), numpy.columns()
    where = f"{size:,} agents, {share:.1%}"
    return [f"{where}: {name}" for name in ours if not np.array_equal(ours[name], theirs[name])]


def row(name: str, taken: Taken, base: Taken) -> list[str]:
    figures = taken.mean_cpu_ms, taken.mean_wall_ms, taken.longest_ms
    factor = taken.mean_cpu_ms / base.mean_cpu_ms
    return [name, *map(significant, figures), significant(factor)]


def one_at_a_time(size: int) -> None:
    """Print the table of adding and removing single agents."""
    crowd = Walkers(size, SHARES[0], is_passing=True).crowd
    crowd.update(0.0, steps=BOTH_LOOPS)
    calls: dict[str, Callable[[], object]] = {
        "`update(dt)`": lambda: crowd.update(0.0),
        "`add(1)`": lambda: crowd.add(1),
        "`add(1, start='Alive')`": lambda: crowd.add(1, start="Alive", left=1.0),
        "`remove([5])`": lambda: crowd.remove([5]),
    }
    first = {name: Taken() for name in calls}
    for name, call in calls.items():
        first[name].add(call)
    taken = take_turns(calls, SINGLE_ROUNDS)
    rows = [["one agent", "first, CPU ms", "median CPU ms", "longest wall ms", "peak, MB"]]
    for name, call in calls.items():
        each = taken[name]
        figures = (first[name].cpu_ms, each.cpu_ms, each.longest_ms)
        cells = [f"{figure:.3f}" for figure in figures]
        rows.append([name, *cells, f"{peak(call) / 1e6:.2f}"])
    print(f"{size:,} agents, in turn, {SINGLE_ROUNDS} rounds:\n")
    print("\n".join(aligned(rows)), end="\n\n")


def peak(call: Callable[[], object]) -> int:
    """Return the most bytes that a call has allocated at once."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    sys.exit(main())
