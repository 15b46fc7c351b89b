"""Goal search: the wanted goals, and planning for one after another until there is a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from attrs import define, field, frozen

from fsmkit.goap.domain import Goal
from fsmkit.goap.planning import Plan, Planning

NOT_FOUND: Final = Plan(False)


@frozen(eq=False)
class WantedGoal:
    """A goal that is wanted now: for its own sake, or as a fallback of another one."""

    goal: Goal
    origin: Goal
    """The goal itself, or the one that it is a fallback of."""
    priority: float
    """The priority of the origin."""


def better_than(goal: Goal, wanted: Sequence[WantedGoal]) -> list[Goal]:
    index = [each.goal for each in wanted].index(goal)
    present = wanted[index]
    return [
        each.goal
        for each in wanted[:index]
        if each.priority > present.priority or each.origin is present.origin
    ]


@define(eq=False)
class GoalSearch:
    """Planning for one goal after another, a few nodes at a time, until one has a plan.

    `begin` begins to plan for a goal; `give_up` is called with each goal without a plan, and its
    planning. If planning for a goal raises an error, `fail` is called with the goal, its planning,
    if that has begun, and the error, and the next goal follows.
    """

    _goals: list[Goal]
    _begin: Callable[[Goal], Planning]
    _give_up: Callable[[Goal, Planning], object]
    _fail: Callable[[Goal, Planning | None, BaseException], object]
    _planning: Planning | None = field(default=None, init=False)
    plan: Plan = field(default=NOT_FOUND, init=False)
    """The plan that was found."""

    @property
    def goal(self) -> Goal | None:
        return self._goals[0] if self._goals else None

    def step(self, nodes: int) -> bool | None:
        """Expand up to `nodes` more nodes.

        Returns True once there is a plan, False if there is no plan, None if the search goes on.
        """
        while nodes > 0 and self._goals and not self.plan:
            nodes -= self._step_first_goal(nodes)
        return None if self._goals and not self.plan else self.plan.found

    def _step_first_goal(self, nodes: int) -> int:
        """Expand up to `nodes` nodes for the first goal, and return their number."""
        try:
            planning = self._planning = self._planning or self._begin(self._goals[0])
            before = planning.nodes
            planning.step(nodes)
        except BaseException as error:
            failed, self._planning = self._planning, None
            self._fail(self._goals.pop(0), failed, error)
            raise
        if planning.plan is not None:
            self.plan, self._planning = planning.plan, None
            if not self.plan:
                self._give_up(self._goals.pop(0), planning)
        return planning.nodes - before
