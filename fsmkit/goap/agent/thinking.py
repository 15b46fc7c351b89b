"""Thinking: choosing a goal, planning for it, and waiting when there is nothing to be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from fsmkit import FsmAction

if TYPE_CHECKING:
    from fsmkit.goap.agent.goap_agent import GoapAgent

GOAL: Final = "GOAL"
PLAN: Final = "PLAN"
PLAN_FOUND: Final = "PLAN_FOUND"
NO_PLAN: Final = "NO_PLAN"
RETRY: Final = "RETRY"


class Thought(FsmAction[Any]):
    """What all actions share by which an agent thinks."""

    def __init__(self, agent: GoapAgent[Any]) -> None:
        self.agent = agent


class ChooseGoal(Thought):
    """Look for a goal, in every update but not on enter: so one update holds one plan at most."""

    @property
    def sends(self) -> Sequence[str]:
        return (GOAL,)

    @property
    def finishes(self) -> Literal["never"]:
        return "never"

    def on_enter(self) -> None:
        self.agent.forget()

    def on_update(self) -> None:
        if self.agent.has_wanted_goal():
            self.fsm.send_event(GOAL)


class TakeGoals(Thought):
    """Have what is wanted now planned for, unless a plan for a better goal was found already."""

    @property
    def sends(self) -> Sequence[str]:
        return (PLAN,)

    @property
    def finishes(self) -> Literal["at once"]:
        return "at once"

    def on_enter(self) -> None:
        if not self.agent.has_found_plan():
            self.agent.forget()
        self.fsm.send_event(PLAN)


class MakePlan(Thought):
    """Plan a bit per update, for one goal after the other, the best first, until there is a plan.

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
            self._go_on()
        except BaseException:
            self.fsm.send_event_after(0.0, NO_PLAN)  # not entered, it would never be updated
            raise

    def on_update(self) -> None:
        self._go_on()

    def on_exit(self) -> None:
        self.agent.end_planning()

    def _go_on(self) -> None:
        found = self.agent.go_on_planning()
        if found is not None:
            self.fsm.send_event(PLAN_FOUND if found else NO_PLAN)


class WaitToPlan(Thought):
    """Wait for `patience` seconds before looking for a goal again."""

    @property
    def sends(self) -> Sequence[str]:
        return (RETRY,)

    @property
    def finishes(self) -> Literal["never"]:
        return "never"

    def on_enter(self) -> None:
        self.agent.forget()
        self.fsm.send_event_after(self.agent.patience, RETRY)
