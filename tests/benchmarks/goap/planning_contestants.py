"""The planners. Each gets the actions beforehand, and plans the same task again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Final

from planning_problems import Described, Task

from fsmkit.goap import GoapAction, plan

Plan = Callable[[], float]
"""Plans, and returns what the plan costs; infinity without one."""


def fsmkit_planner(task: Task) -> Plan:
    actions: list[Any] = [
        GoapAction(told.name, told.cost, needed(told.preconditions), changed(told.effects))
        for told in task.actions
    ]
    goal: Any = needed(task.goal)

    def run() -> float:
        found = plan(actions, task.initial, goal)
        return found.cost if found else inf

    return run


def needed(facts: Described) -> dict[str, Any]:
    """Return the conditions as fsmkit writes them; ImportError if it knows no counts."""
    if not has_counts(facts):
        return dict(facts)
    from fsmkit.goap import at_least

    return {f: v if isinstance(v, bool) else at_least(v) for f, v in facts.items()}


def changed(facts: Described) -> dict[str, Any]:
    """Return the effects as fsmkit writes them; ImportError if it knows no counts."""
    if not has_counts(facts):
        return dict(facts)
    from fsmkit.goap import add

    return {f: v if isinstance(v, bool) else add(v) for f, v in facts.items()}


def has_counts(facts: Described) -> bool:
    return not all(isinstance(value, bool) for value in facts.values())


def goapauto_planner(task: Task) -> Plan:
    from goapauto.models.actions import Action, GreaterThan, Increment
    from goapauto.models.goal import Goal
    from goapauto.models.goap_planner import Planner
    from goapauto.models.worldstate import WorldState

    def asked(facts: Described) -> dict[str, Any]:
        return {f: v if isinstance(v, bool) else GreaterThan(v - 1) for f, v in facts.items()}

    def added(facts: Described) -> dict[str, Any]:
        return {f: v if isinstance(v, bool) else Increment(v) for f, v in facts.items()}

    state = unset(task) | dict(task.initial)
    actions: Any = [
        Action(name=told.name, cost=told.cost, preconditions=asked(told.preconditions),
               effects=added(told.effects))
        for told in task.actions
    ]  # fmt: skip
    planner = Planner(actions_list=actions, max_iterations=10**9, verbose=False)
    costs = {told.name: told.cost for told in task.actions}

    def run() -> float:
        result = planner.generate_plan(WorldState(**state), Goal(target_state=asked(task.goal)))
        return sum(costs[name] for name in result.plan) if result.plan is not None else inf

    return run


def unset(task: Task) -> dict[str, bool | int]:
    """Return all facts as false and all counts as 0: goapauto wants each of them named."""
    mentioned: list[Mapping[str, bool | int]] = [task.goal]
    mentioned += [facts for told in task.actions for facts in (told.preconditions, told.effects)]
    return {
        fact: False if isinstance(value, bool) else 0
        for facts in mentioned
        for fact, value in facts.items()
    }


PLANNERS: Final[dict[str, Callable[[Task], Plan]]] = {
    "fsmkit": fsmkit_planner,
    "goapauto": goapauto_planner,
}
