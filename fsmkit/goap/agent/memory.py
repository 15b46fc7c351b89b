"""AgentMemory: the beliefs, the goal and the plan of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, Final

from fsmkit import FsmAction
from fsmkit.goap.action import GoapAction
from fsmkit.goap.agent.unsaved import UnsavedState
from fsmkit.goap.counts import changed
from fsmkit.goap.goal import Goal
from fsmkit.goap.plan import Plan
from fsmkit.timing import TIME_TOLERANCE

NO_PLAN_YET: Final = Plan(False)


class AgentMemory(FsmAction[Any]):
    """The beliefs, the goal and the plan of an agent, and how far it has come.

    It is an action, and remembers its `actions` and `goals` by their names, so that a snapshot of
    the machine holds all of it; but not `unsaved`, which is an argument as those are.
    """

    def __init__(
        self,
        actions: Mapping[str, GoapAction],
        goals: Mapping[str, Goal],
        unsaved: UnsavedState,
    ) -> None:
        self.actions = actions
        self.goals = goals
        self._unsaved = unsaved
        self.facts = unsaved.facts
        self.goal: str | None = None
        self.plan: tuple[str, ...] | None = None
        self.cost = 0.0
        self.nodes = 0
        self.step = -1
        self.retry_after: dict[str, float] = {}
        """Name of a goal that had no plan -> the time from which it is planned for again."""

    @property
    def unsaved(self) -> UnsavedState:
        """The part that no snapshot holds; a new one after `restore` has replaced the facts."""
        if self._unsaved.facts is not self.facts:
            self._unsaved = UnsavedState(self.facts)
        return self._unsaved

    def known_goal(self) -> Goal | None:
        """Return the goal; None if there is none, or the agent does not know it."""
        return self.goals.get(self.goal) if self.goal is not None else None

    def known_plan(self) -> Plan:
        """Return the plan; one that was not found if there is none, or an action is not known."""
        if self.plan is None or not self.actions.keys() >= set(self.plan):
            return NO_PLAN_YET
        actions = tuple(self.actions[name] for name in self.plan)
        return Plan(True, actions, self.cost, nodes=self.nodes)

    def has_found_plan(self) -> bool:
        """Return True if a search has found a plan that is not carried out yet."""
        return self.unsaved.search is not None and self.unsaved.search.plan.found

    def take(self, goal: Goal, plan: Plan) -> None:
        """Adopt a goal and a plan that leads to it."""
        self.goal = goal.name
        self.plan = tuple(action.name for action in plan.actions)
        self.cost, self.nodes, self.step = plan.cost, plan.nodes, -1

    def forget(self) -> None:
        """Drop the goal, the plan and the search for one."""
        self.goal = self.plan = None
        self.cost, self.nodes, self.step = 0.0, 0, -1
        self.unsaved.search = None

    def put_off(self, goal: Goal, seconds: float) -> None:
        """Exclude a goal that has no plan from the better ones for `seconds`."""
        self.retry_after[goal.name] = self.fsm.time + seconds

    def may_try(self, goal: Goal) -> bool:
        """Return True unless `goal` is put off."""
        return self.retry_after.get(goal.name, -inf) <= self.fsm.time + TIME_TOLERANCE

    def current_action(self) -> GoapAction:
        """Return the action that is under way."""
        assert self.plan is not None
        return self.actions[self.plan[self.step]]

    def turn_to_next(self) -> GoapAction | None:
        """End the action just done, and return the next one; None after the last.

        Its `done` is called before its effects are believed: after an error they are not.
        """
        assert self.plan is not None
        if self.step >= 0:
            action = self.current_action()
            if action.done is not None:
                action.done()
            for fact, effect in action.effects.items():
                self.facts[fact] = changed(self.facts.get(fact, False), effect)
        if self.step + 1 == len(self.plan):
            return None
        self.step += 1
        return self.current_action()
