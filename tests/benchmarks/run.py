"""Compares fsmkit with plain Python and with other state machine packages.

    uv run --group bench python tests/benchmarks/run.py

prints a table and writes `build/benchmarks.json`. In every round each contestant does its part
once, one after the other; a contestant's ratio is taken within a round, and the median of these
ratios is reported, so that a slower phase of the computer strikes both sides of a ratio. A slow
contestant gets a smaller part, and the time of one operation is compared.

With `--python 3.11 3.12 3.13 3.14` there is such a run on each of these Pythons, one after the
other.
With `--check` the figures that fsmkit is to reach are held against those of the run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from contestant import BASELINE, MODULES
from goals import goals_table, verdicts
from measuring import WORKLOADS
from pythons import run_on
from report import table, write_json
from results import Results
from session import Session

MEMORY = "memory"
IMPORT = "import"


def main() -> int:
    """Measure what the command line asks for; 1 if a contestant failed or a goal was missed."""
    options = parse_arguments()
    if options.python:
        return max([run_on_python(version, options.json) for version in options.python])
    results = measure(options)
    print(table(results))
    write_json(results, options.json)
    for failure in results.failures:
        print(failure, file=sys.stderr)
    is_missed = options.check and check(results)
    return 1 if results.failures or is_missed else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0], parents=[python_option()]
    )
    parser.add_argument("--rounds", type=int, help="default 7, with --quick 3")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", choices=list(MODULES), help="; ".join(MODULES)
    )
    parser.add_argument("--workload", nargs="+", choices=[*WORKLOADS, MEMORY, IMPORT])
    parser.add_argument("--json", type=Path, default=Path("build/benchmarks.json"), metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="few and short rounds: a first look")
    parser.add_argument(
        "--check", action="store_true", help="say which of the figures to reach are missed"
    )
    return parser.parse_args()


def python_option() -> argparse.ArgumentParser:
    """Make a parser of the one option that is not passed on to the other Pythons."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(
        "--python", nargs="+", metavar="VERSION", help="run on these Pythons, by means of uv"
    )
    return parser


def run_on_python(version: str, json: Path) -> int:
    """Pass the other arguments on to a run on that Python, with a JSON file of its own."""
    _, arguments = python_option().parse_known_args()
    file = json.with_stem(f"{json.stem}-{version}")
    print(f"\nPython {version}\n", flush=True)
    return run_on(version, [*arguments, "--json", str(file)])


def measure(options: argparse.Namespace) -> Results:
    """Measure all that was asked for, one workload after the other."""
    rounds = options.rounds or (3 if options.quick else 7)
    seconds = 0.02 if options.quick else 0.2
    wanted = options.workload or [*WORKLOADS, MEMORY, IMPORT]
    with Session(names(options.only), rounds, seconds) as session:
        for workload in WORKLOADS:
            if workload in wanted:
                session.measure_workload(workload)
        if MEMORY in wanted:
            session.measure_memory()
        if IMPORT in wanted:
            session.measure_imports()
    return session.results


def names(only: list[str] | None) -> list[str]:
    """Return the contestants to compare, in their order; the baseline is always among them."""
    return [name for name in MODULES if only is None or name in only or name == BASELINE]


def check(results: Results) -> bool:
    """Print the goals and what became of them; return True if one was missed."""
    found = verdicts(results)
    print()
    print(goals_table(found))
    return any(verdict.is_missed for verdict in found)


if __name__ == "__main__":
    sys.exit(main())
