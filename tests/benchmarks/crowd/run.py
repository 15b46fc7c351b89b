"""Compares a crowd with other ways of moving a thousand to a million characters.

    uv run --group bench python tests/benchmarks/crowd/run.py

prints tables and writes `build/crowd.json`. What the characters do is told in `scenario.py`. In
every round each contestant does some steps, one after the other; ratios are taken within a round,
and their median is reported. A slow contestant does fewer steps, and the time of one step of one
agent is compared. In the end all of them have to be where they should be after as many steps.

A million machines take about 4.5 GB of memory. `--memory` checks something else: whether a crowd
that lives for long takes more and more of it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

sys.path.append(str(Path(__file__).parents[1]))

import command
import compile_time
import memory
from compile_time import FirstStep
from contestants import CONTESTANTS, CROWD, DRAWING, NUMBA, Make, load_all
from results import environment
from rounds import Rounds, measure
from tables import compile_table, crowd_table, drawing_table, memory_table, speed_table

SIZES: Final = [1_000, 10_000, 100_000, 1_000_000]
CACHES: Final = {NUMBA: ["empty"], CROWD: ["empty", "filled"]}
"""Contestants whose first step is timed -> their cache of compiled code; the loop uses none."""


def main() -> int:
    """Run the measurements of the command line; return 1 if a contestant did not do its work."""
    options = parse_arguments()
    names = [name for name in CONTESTANTS if not options.only or name in options.only]
    makes, left_out = load_all(names)
    if not makes:
        sys.exit(f"Nobody is left: {left_out}")
    print(command.title())
    for name, reason in left_out.items():
        print(f"- left out: {name} ({reason})")
    if options.memory:
        return check_remembered(makes, options)
    return compare(makes, options)


def parse_arguments() -> argparse.Namespace:
    parser = command.parser(__doc__)
    parser.add_argument("--rounds", type=int, help="default 7, with --quick 3")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="AGENTS")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(CONTESTANTS))
    parser.add_argument("--memory", action="store_true", help="only: is memory flat? takes minutes")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


def compare(makes: dict[str, Make], options: argparse.Namespace) -> int:
    """Measure the speed of all contestants, and the compile time of the crowd."""
    rounds = options.rounds or (3 if options.quick else 7)
    results = measure_speed(makes, rounds, options)
    print("Million agent-updates per second (times as fast as the objects); in 2 threads or more:")
    print("Polars and the second crowd.\n")
    print(speed_table(results), end="\n\n")
    if CROWD in makes:
        print(crowd_table(results), end="\n\n")
    drawing = [] if options.only else measure_drawing(rounds, options)
    if drawing:
        print("Million agent-updates per second (times as fast as numba by hand).\n")
        print(drawing_table(drawing), end="\n\n")
    steps = measure_first_steps(makes, runs=1 if options.quick else 3)
    print(compile_table(steps))
    write(
        options.json or Path("build/crowd.json"),
        rounds=rounds,
        speed=[speed_content(result) for result in results],
        drawing=[speed_content(result) for result in drawing],
        first_step={name: {kind: asdict(step) for kind, step in kinds.items()}
                    for name, kinds in steps.items()},
    )  # fmt: skip
    return report_failures([*results, *drawing])


def measure_drawing(rounds: int, options: argparse.Namespace) -> list[Rounds]:
    """Measure the characters that draw random numbers."""
    progress("characters that draw")
    makes = {name: contestant.load() for name, contestant in DRAWING.items()}
    return measure_speed(makes, rounds, options)


def measure_speed(makes: dict[str, Make], rounds: int, options: argparse.Namespace) -> list[Rounds]:
    """Measure all rounds of all sizes."""
    sizes = options.sizes or (SIZES[:3] if options.quick else SIZES)
    results = []
    for size in sorted(sizes):
        progress(f"{size:,} agents")
        results.append(measure(makes, size, rounds, 0.02 if options.quick else 0.2))
    return results


def measure_first_steps(makes: dict[str, Make], runs: int) -> dict[str, dict[str, FirstStep]]:
    """Measure the time that a fresh process takes for the first step."""
    progress("first steps")
    return {
        name: compile_time.measure(name, caches, runs)
        for name, caches in CACHES.items()
        if name in makes
    }


def report_failures(results: list[Rounds]) -> int:
    """Return 1 if any contestant has other results than the reference."""
    failures = [f"{result.size:,} agents, {text}" for result in results for text in result.failures]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def speed_content(result: Rounds) -> dict[str, Any]:
    rates = {name: result.rate(name) for name in result.seconds}
    return asdict(result) | {"million_updates_per_second": rates}


def check_remembered(makes: dict[str, Make], options: argparse.Namespace) -> int:
    """Measure the memory of a crowd over a long run."""
    if CROWD not in makes:
        sys.exit("Without the crowd there is nothing to check.")
    size, steps = (100_000, 1_000) if options.quick else (1_000_000, 10_000)
    print(f"{size:,} agents, {steps:,} steps\n")
    taken = list(memory.readings(makes[CROWD], size, steps, steps // 10))
    print(memory_table(taken))
    readings = [reading._asdict() for reading in taken]
    write(options.json or Path("build/crowd_memory.json"), size=size, readings=readings)
    return 0


def write(file: Path, **content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"environment": environment(), **content}, indent=2)
    file.write_text(text + "\n", encoding="utf-8")


def progress(text: str) -> None:
    """Show the progress, at a terminal."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
