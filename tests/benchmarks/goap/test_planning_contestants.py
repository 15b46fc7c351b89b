"""Every planner that is installed finds the best plan for the tasks of the benchmark."""

from __future__ import annotations

import pytest
from planning_contestants import PLANNERS
from planning_problems import Task, boolean_tasks, with_counts, with_distractors


@pytest.mark.parametrize("task", [with_distractors(4), with_counts(1)], ids=lambda task: task.name)
@pytest.mark.parametrize("name", PLANNERS)
def test_a_planner_finds_the_best_plan(name: str, task: Task) -> None:
    try:
        run = PLANNERS[name](task)
    except ImportError as error:
        pytest.skip(str(error))
    assert run() == task.cost


@pytest.mark.slow
def test_tasks_without_counts_are_the_same_each_time_and_most_have_a_plan() -> None:
    tasks = list(boolean_tasks())
    assert tasks == list(boolean_tasks())
    costs = [PLANNERS["fsmkit"](task)() for task in tasks if not task.name.endswith("edcba")]
    assert sum(cost < 1e9 for cost in costs) > len(costs) / 2
