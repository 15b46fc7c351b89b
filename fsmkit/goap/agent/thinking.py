"""Thinking: choosing a goal, planning for it, and waiting when there is no plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from fsmkit import FsmAction
from fsmkit.goap.agent.memory import AgentMemory
from fsmkit.goap.agent.planner import Planner
from fsmkit.goap.agent.search import Search

GOAL: Final = "GOAL"
PLAN: Final = "PLAN"
PLAN_FOUND: Final = "PLAN_FOUND"
NO_PLAN: Final = "NO_PLAN"
RETRY: Final = "RETRY"


class ThinkingAction(FsmAction[Any]):
    """The base of the actions that choose and plan."""

    def __init__(self, memory: AgentMemory, planner: Planner) -> None:
        self.memory = memory
        self.planner = planner


class ChooseGoal(ThinkingAction):
    """Look for a goal in every update, but not on enter, so that one update holds one plan only."""

    @property
    def sends(self) -> Sequence[str]:
        return (GOAL,)

    @property
    def finishes(self) -> Literal["never"]:
        return "never"

    def on_enter(self) -> None:
        self.memory.forget()

    def on_update(self) -> None:
        world = self.planner.look(self.memory)
        if self.planner.has_wanted_goal(world, self.memory.resting()):
            self.fsm.send_event(GOAL)


class TakeGoals(ThinkingAction):
    """Turn to planning for the goals wanted now, or to the plan already found for a better one."""

    @property
    def sends(self) -> Sequence[str]:
        return (PLAN,)

    @property
    def finishes(self) -> Literal["at once"]:
        return "at once"

    def on_enter(self) -> None:
        if not self.memory.has_found_plan():
            self.memory.forget()
        self.fsm.send_event(PLAN)


class MakePlan(ThinkingAction):
    """Plan a few nodes per update, for one goal after another, best first, until there is a plan.

    After an error in a sensor, a check or a cost the agent waits before it plans again.
    """

    @property
    def sends(self) -> Sequence[str]:
        return (PLAN_FOUND, NO_PLAN)

    @property
    def finishes(self) -> Literal["never"]:
        return "never"

    def on_enter(self) -> None:
        try:
            self._plan()
        except BaseException:
            self.fsm.send_event_after(0.0, NO_PLAN)  # not entered, it would never be updated
            raise

    def on_update(self) -> None:
        self._plan()

    def on_exit(self) -> None:
        self.memory.unsaved.search = None

    def _plan(self) -> None:
        search = self.memory.unsaved.search or self._begin()
        found = search.step(self.planner.settings.nodes_per_update)
        self.memory.goal = search.goal.name if search.goal is not None else None
        if search.goal is not None and search.plan:
            self.memory.take(search.goal, search.plan)
        if found is not None:
            self.fsm.send_event(PLAN_FOUND if found else NO_PLAN)

    def _begin(self) -> Search:
        world = self.planner.look(self.memory)
        wanted = self.planner.wanted_goals(world, self.memory.resting())
        goals = [each.goal for each in wanted if not self.memory.is_excluded(each.goal)]
        return self.planner.search(goals, world, self.memory)


class WaitToPlan(ThinkingAction):
    """Wait for `patience` seconds before looking for a goal again.

    After a failure the action that is to blame is left out of planning for longer than that.
    """

    @property
    def sends(self) -> Sequence[str]:
        return (RETRY,)

    @property
    def finishes(self) -> Literal["never"]:
        return "never"

    def on_enter(self) -> None:
        patience = self.planner.settings.patience
        previous = self.fsm.previous_state
        if previous is not None and previous.name == "Failed":
            self.memory.count_failure(patience)
        self.memory.forget()
        self.fsm.send_event_after(patience, RETRY)
