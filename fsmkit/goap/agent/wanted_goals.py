"""WantedGoal: a goal that is wanted now, and which of them come first."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from operator import itemgetter

from attrs import frozen

from fsmkit.goap.action import Facts
from fsmkit.goap.goal import Goal


@frozen(eq=False)
class WantedGoal:
    """A goal that is wanted now: for its own sake, or as a fallback of another one."""

    goal: Goal
    origin: Goal
    """The goal itself, or the one that it is a fallback of."""
    priority: float
    """The priority of the origin."""


def wanted_goals(
    goals: Iterable[Goal], world: Facts, resting: Container[str] = ()
) -> list[WantedGoal]:
    """Return the goals that are wanted in `world`, best first, each followed by its fallbacks.

    Those whose names are in `resting` are not wanted, nor their fallbacks for their sake.
    """

    def is_wanted(goal: Goal) -> bool:
        return goal.name not in resting and goal.is_wanted(world)

    wanted = [(goal.current_priority(), goal) for goal in goals if is_wanted(goal)]
    wanted.sort(key=itemgetter(0), reverse=True)
    return [
        WantedGoal(goal, origin, priority)
        for priority, origin in wanted
        for goal in origin.chain()
        if goal is origin or is_wanted(goal)
    ]


def better_than(goal: Goal, wanted: Sequence[WantedGoal]) -> list[Goal]:
    """Return those of `wanted` that are more important, or that `goal` is a fallback of."""
    index = [each.goal for each in wanted].index(goal)
    present = wanted[index]
    return [
        each.goal
        for each in wanted[:index]
        if each.priority > present.priority or each.origin is present.origin
    ]
