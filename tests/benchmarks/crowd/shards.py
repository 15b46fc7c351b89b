"""Crowds in several processes: what they cost beside one process and two threads.

    uv run --group bench python tests/benchmarks/crowd/shards.py

The light characters are those of `scenario.py`; the others also draw three numbers in every step.
In every round each crowd makes some calls, in turn. The efficiency is the processor time of one
process with one thread, divided by that of all processes for the same steps. Medians of the rounds.
In the end all columns must be the same, bit for bit. The other calls are measured with processes
only. Only on Linux.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from statistics import median
from typing import Final

sys.path.append(str(Path(__file__).parents[1]))

from command import parser, title
from fsmkit_crowd import make_machine
from report import MISSING, aligned, significant
from restless import make_restless_machine
from shard_calls import calls_table
from subjects import DASK, ONE, PROCESSES, RAY, THREADS, Subject, differences, opened

MACHINES: Final = {"light": make_machine, "drawing": make_restless_machine}
STEPS: Final = (1, 10)
"""In a call."""
HEADING: Final = (
    "steps a call",
    "wall ms a step",
    "times two threads",
    "driver, CPU ms a call",
    "each shard, CPU ms a step",
    "others, CPU ms a call",
    "efficiency",
    "MB a shard",
    "driver, MB more",
)


def main() -> int:
    """Print the tables; return 1 if columns differ."""
    options = parse_arguments()
    print(title())
    opened(PROCESSES, make_machine(), 100).close()  # imports what the driver needs
    failures = []
    for size in (200_000,) if options.quick else (1_000_000, 10_000_000):
        for name in MACHINES:
            failures += compare(name, size, [PROCESSES, ONE, THREADS], options)
        print(calls_table(make_machine(), size), end="\n\n")
    if options.clusters:
        for name in MACHINES:
            size = 200_000 if options.quick else 1_000_000
            failures += compare(name, size, [PROCESSES, RAY, DASK, ONE, THREADS], options)
    print("\n".join(failures) or "All columns are the same.")
    return 1 if failures else 0


def parse_arguments() -> Namespace:
    made = parser(__doc__)
    made.add_argument(
        "--no-clusters", dest="clusters", action="store_false", help="without Ray and Dask"
    )
    return made.parse_args()


def compare(name: str, size: int, names: list[str], options: Namespace) -> list[str]:
    """Print the table of a machine; return what differs."""
    subjects: dict[str, Subject] = {}
    try:
        for each in names:
            subjects[each] = opened(each, MACHINES[name](), size)
        rounds = 3 if options.quick or size > 1_000_000 else 5
        for steps in STEPS:
            calls = calls_for(subjects, steps, 0.05 if options.quick else 0.3)
            for _ in range(rounds):
                for subject in subjects.values():
                    sample = subject.measure(steps, calls)
                    subject.samples.setdefault(steps, []).append(sample)
        print_table(f"{size:,} agents, {name}", subjects)
        return [f"{size:,} agents, {name}: {each}" for each in differences([*subjects.values()])]
    finally:
        for subject in subjects.values():
            subject.close()


def calls_for(subjects: dict[str, Subject], steps: int, seconds: float) -> int:
    """Return the number of calls that take one process about so long; all make one to find out."""
    walls = {name: subject.measure(steps, 1).wall for name, subject in subjects.items()}
    return max(1, round(seconds / walls[ONE]))


def print_table(what: str, subjects: dict[str, Subject]) -> None:
    rows = [[what, *HEADING]]
    rows += [row(subject, steps, subjects) for steps in STEPS for subject in subjects.values()]
    print("\n".join(aligned(rows)), end="\n\n")


def row(subject: Subject, steps: int, subjects: dict[str, Subject]) -> list[str]:
    ours = subject.samples[steps]
    one, threads = (subjects[name].samples[steps] for name in (ONE, THREADS))
    slower = median(us.wall / them.wall for us, them in zip(ours, threads, strict=True))
    efficiency = median(them.cpu / us.cpu for us, them in zip(ours, one, strict=True))
    wall = median(each.wall for each in ours) / steps * 1e3
    driver = median(each.driver for each in ours) * 1e3
    shard, others = subject.shard_seconds(steps) / steps * 1e3, subject.other_seconds(steps) * 1e3
    cells = list(map(significant, [wall, slower, driver]))
    memory = [f"{subject.shard_mb:.0f}", f"{subject.driver_mb:+.0f}"]
    if subject.pids:
        cells += [significant(shard), significant(others), significant(efficiency), *memory]
    else:
        cells += [MISSING, MISSING, significant(efficiency), MISSING, MISSING]
    return [subject.name, str(steps), *cells]


if __name__ == "__main__":
    sys.exit(main())
