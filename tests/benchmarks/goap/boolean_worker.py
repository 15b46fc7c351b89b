"""Plans all tasks without counts, and writes what was found and how long it took, as JSON.

    PYTHONPATH=CHECKOUT python tests/benchmarks/goap/boolean_worker.py

does so with the fsmkit of another checkout: see `run.py --against`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

from planning_problems import Task, boolean_tasks

import fsmkit
from fsmkit.goap import GoapAction, plan


def planned(task: Task) -> dict[str, Any]:
    actions: Any = [GoapAction(*told) for told in task.actions]
    initial: Any = task.initial
    goal: Any = task.goal
    found = plan(actions, initial, goal)
    seconds = min(timed(lambda: plan(actions, initial, goal)) for _ in range(5))
    names = [action.name for action in found.actions]
    return {"found": found.found, "cost": found.cost, "actions": names, "nodes": found.nodes,
            "seconds": seconds}  # fmt: skip


def timed(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun


def main() -> None:
    tasks = {task.name: planned(task) for task in boolean_tasks()}
    json.dump({"from": fsmkit.__file__, "tasks": tasks}, sys.stdout)


if __name__ == "__main__":
    main()
