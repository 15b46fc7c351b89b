"""Compares planning with fsmkit and with goapauto, and with another checkout of fsmkit.

    uv run --group bench python tests/benchmarks/goap/run.py
    uv run python tests/benchmarks/goap/run.py --against ../fsmkit-before

The first plans twelve steps among distractors, and tasks with counts; what they are is told in
`planning_problems.py`. The contestants take turns in every round, ratios are taken within a round,
and their median is reported; every plan has to cost what the best one does. goapauto needs Python
3.12 or later; where it is not installed only fsmkit is timed.

The second plans tasks without counts with both checkouts, in turn, each in a process of its own,
and tells where plans or numbers of nodes differ.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from math import isclose
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, Final

sys.path.append(str(Path(__file__).parents[1]))

from planning_contestants import PLANNERS, Plan
from planning_problems import Task, with_counts, with_distractors
from report import aligned, significant

ROOT: Final = Path(__file__).parents[3]
DISTRACTORS: Final = (0, 4, 8, 12)
SWORDS: Final = (1, 2)


def main() -> int:
    """Run what the command line asks for; return 1 if plans differ from another checkout's."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    options = parser.parse_args()
    if options.against is not None:
        return against(options.against.resolve(), options.rounds)
    tasks = [*map(with_distractors, DISTRACTORS), *map(with_counts, SWORDS)]
    rows = [["task", *(f"{name}, ms" for name in PLANNERS), "times"]]
    rows += [[task.name, *figures(task, options.rounds)] for task in tasks]
    print("\n".join(aligned(rows)))
    return 0


def figures(task: Task, rounds: int) -> list[str]:
    """Return the milliseconds of every planner for one task, and how many times ours that is."""
    planners = prepared(task)
    taken: dict[str, list[float]] = {name: [] for name in planners}
    for _ in range(rounds):
        for name, run in planners.items():
            begun = process_time()
            cost = run()
            taken[name].append((process_time() - begun) * 1e3)
            if task.cost is None or not isclose(cost, task.cost):
                raise AssertionError(f"{task.name}: {name} has a plan of cost {cost}")
    cells = [significant(median(taken[name])) if name in taken else "-" for name in PLANNERS]
    if len(taken) < len(PLANNERS):
        return [*cells, "-"]
    ratios = [theirs / ours for ours, theirs in zip(*taken.values(), strict=True)]
    return [*cells, significant(median(ratios))]


def prepared(task: Task) -> dict[str, Plan]:
    """Return the planners that are installed and can plan the task."""
    found: dict[str, Plan] = {}
    for name, make in PLANNERS.items():
        try:
            found[name] = make(task)
        except ImportError as error:
            print(f"left out: {name}, {task.name} ({error})")
    return found


def against(other: Path, rounds: int) -> int:
    """Compare the plans and the time of this checkout with those of another one."""
    ours: list[dict[str, Any]] = []
    theirs: list[dict[str, Any]] = []
    for _ in range(rounds):
        theirs.append(planned_with(other))
        ours.append(planned_with(ROOT))
    differing = differences(theirs[0], ours[0])
    for text in differing:
        print(text)
    rows = [["tasks", "nodes", "before, ms", "now, ms", "times"]]
    for title, names in grouped(ours[0]).items():
        before = [milliseconds(found, names) for found in theirs]
        now = [milliseconds(found, names) for found in ours]
        times = median(b / a for a, b in zip(before, now, strict=True))
        nodes = sum(ours[0][name]["nodes"] for name in names)
        figures = (median(before), median(now), times)
        rows.append([title, str(nodes), *map(significant, figures)])
    print("\n".join(aligned(rows)))
    return 1 if differing else 0


def grouped(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names by what they begin with, the random ones under one title."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault("random" if name.startswith("random") else name, []).append(name)
    return groups


def milliseconds(found: Mapping[str, Any], names: Iterable[str]) -> float:
    """Return what planning these tasks has taken together."""
    return sum(found[name]["seconds"] for name in names) * 1e3


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return the tasks whose plan or number of nodes is another one than before."""
    kinds = ("found", "cost", "actions", "nodes")
    return [
        f"{name}: {kind} was {before[name][kind]}, is {now[name][kind]}"
        for name in now
        for kind in kinds
        if before[name][kind] != now[name][kind]
    ]


def planned_with(checkout: Path) -> dict[str, Any]:
    """Return what the fsmkit of a checkout has planned, in a process of its own."""
    worker = Path(__file__).with_name("boolean_worker.py")
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run(
        [sys.executable, worker], env=environment, capture_output=True, check=True
    )
    answer = json.loads(done.stdout)
    if not Path(answer["from"]).is_relative_to(checkout):
        raise RuntimeError(f"{checkout} holds no fsmkit: {answer['from']} was imported.")
    tasks: dict[str, Any] = answer["tasks"]
    return tasks


if __name__ == "__main__":
    sys.exit(main())
