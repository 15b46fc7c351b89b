"""Compares fsmkit with plain Python and with other state machine packages.

    uv run --group bench python tests/benchmarks/run.py

prints a table and writes `build/benchmarks.json`. In every round each contestant does its part
once, one after the other; a contestant's ratio is taken within a round, and the median of these
ratios is reported, so that a slower phase of the computer strikes both sides of a ratio. A slow
contestant gets a smaller part, and the time of one operation is compared.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from contestant import BASELINE, MODULES
from measuring import WORKLOADS
from report import table, write_json
from results import Results
from session import Session

MEMORY = "memory"
IMPORT = "import"


def main() -> int:
    """Measures what the command line asks for; 1 if a contestant did not do its work."""
    options = parse_arguments()
    results = measure(options)
    print(table(results))
    write_json(results, options.json)
    for failure in results.failures:
        print(failure, file=sys.stderr)
    return 1 if results.failures else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, help="default 7, with --quick 3")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", choices=list(MODULES), help=", ".join(MODULES)
    )
    parser.add_argument("--workload", nargs="+", choices=[*WORKLOADS, MEMORY, IMPORT])
    parser.add_argument("--json", type=Path, default=Path("build/benchmarks.json"), metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="few and short rounds: a first look")
    return parser.parse_args()


def measure(options: argparse.Namespace) -> Results:
    """All that was asked for, one workload after the other."""
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
    """The contestants to compare, in their order; the baseline is always among them."""
    return [name for name in MODULES if only is None or name in only or name == BASELINE]


if __name__ == "__main__":
    sys.exit(main())
