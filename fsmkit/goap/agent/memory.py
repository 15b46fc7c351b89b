"""Mind: what an agent believes, wants and plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fsmkit import FsmAction
from fsmkit.goap.action import GoapAction
from fsmkit.goap.goal import Goal
from fsmkit.goap.plan import Plan

NO_PLAN_YET: Final = Plan(False)


class Mind(FsmAction[Any]):
    """What an agent believes, wants and plans, and how far it has come.

    It is an action, and of its `actions` and `goals` it remembers the names: so a snapshot of the
    machine holds all that.
    """

    def __init__(self, actions: Mapping[str, GoapAction], goals: Mapping[str, Goal]) -> None:
        self.actions = actions
        self.goals = goals
        self.facts: dict[str, bool] = {}
        self.goal: str | None = None
        self.plan: tuple[str, ...] | None = None
        self.cost = 0.0
        self.nodes = 0
        self.step = -1
        self.hopeless: dict[str, float] = {}
        """Name of a goal that had no plan -> until when it is not tried instead of another."""

    def known_goal(self) -> Goal | None:
        """The goal; None if there is none, or no longer."""
        return self.goals.get(self.goal) if self.goal is not None else None

    def known_plan(self) -> Plan:
        """The plan; one that was not found if there is none, or no longer."""
        if self.plan is None or not self.actions.keys() >= set(self.plan):
            return NO_PLAN_YET
        actions = tuple(self.actions[name] for name in self.plan)
        return Plan(True, actions, self.cost, nodes=self.nodes)

    def take(self, goal: Goal, plan: Plan) -> None:
        """Have a goal and a plan that leads to it."""
        self.goal = goal.name
        self.plan = tuple(action.name for action in plan.actions)
        self.cost, self.nodes, self.step = plan.cost, plan.nodes, -1

    def forget(self) -> None:
        """Have no goal and no plan."""
        self.goal = self.plan = None
        self.cost, self.nodes, self.step = 0.0, 0, -1

    def current_action(self) -> GoapAction:
        """The action that is under way."""
        assert self.plan is not None
        return self.actions[self.plan[self.step]]

    def turn_to_next(self) -> GoapAction | None:
        """Believe in what has been done, and turn to the next action; None behind the last."""
        assert self.plan is not None
        if self.step >= 0:
            self.facts.update(self.current_action().effects)
        if self.step + 1 == len(self.plan):
            return None
        self.step += 1
        return self.current_action()
