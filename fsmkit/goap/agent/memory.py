"""AgentMemory: the beliefs, the goal and the plan of an agent."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from math import inf
from typing import Any, Final

from fsmkit import FsmAction
from fsmkit.goap.action import GoapAction
from fsmkit.goap.agent.place import Place
from fsmkit.goap.agent.setbacks import Failure, LeftOut, Setback, comes_back, setback
from fsmkit.goap.agent.unsaved import UnsavedState
from fsmkit.goap.counts import changed, without
from fsmkit.goap.goal import Goal
from fsmkit.goap.plan import Plan
from fsmkit.timing import TIME_TOLERANCE

NO_GOAL_YET: Final = Plan(False, reason="there is no goal")
NO_PLAN_YET: Final = Plan(False, reason="it is still being made")
UNKNOWN_PLAN: Final = Plan(False, reason="an action of the plan is not known any more")


class AgentMemory(FsmAction[Any]):
    """The beliefs, the goal and the plan of an agent, how far it has come, and what has failed.

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
        self.heading: Place = None
        """Where the target of the action under way was when the way there was planned."""
        self.no_plan: dict[str, str] = {}
        """Name of a goal that had no plan -> why."""
        self.wanted_again: dict[str, float] = {}
        """Name of a goal that comes again, and was reached -> the time from which it is wanted."""
        self.planning_errors: dict[str, int] = {}
        """Name of a goal -> how often in a row planning for it has raised an error."""
        self.setbacks: dict[str, Setback] = unsaved.setbacks
        """Name of an action that has failed -> how often in a row, left out until when, why."""
        self.fault: tuple[str | None, str] | None = None
        """Why the plan fails: the action to blame, or None, and the reason. Not counted yet."""
        self.last_failure: tuple[str | None, str, float] | None = None
        """The action that was to blame, or None; the reason; the time."""
        self.doubted: str | None = None
        """The action that was done in vain before the plan was last made anew, if there was one."""

    @property
    def unsaved(self) -> UnsavedState:
        """The part that no snapshot holds; a new one after `restore` has replaced the facts."""
        if self._unsaved.facts is not self.facts:
            if self._unsaved.setbacks is self.setbacks:  # an older version knew of none
                self._forget_failures()
            self._unsaved = UnsavedState(self.facts, self.setbacks)
        return self._unsaved

    # The goal and the plan

    def known_goal(self) -> Goal | None:
        """Return the goal; None if there is none, or the agent does not know it."""
        return self.goals.get(self.goal) if self.goal is not None else None

    def known_plan(self) -> Plan:
        """Return the plan; one that was not found if there is none, or an action is not known."""
        if self.plan is None:
            return NO_GOAL_YET if self.goal is None else NO_PLAN_YET
        if not self.actions.keys() >= set(self.plan):
            return UNKNOWN_PLAN
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
        self.fault = None
        self.no_plan.pop(goal.name, None)
        self.planning_errors.pop(goal.name, None)

    def forget(self) -> None:
        """Drop the goal, the plan and the search for one."""
        self.goal = self.plan = self.fault = None
        self.cost, self.nodes, self.step = 0.0, 0, -1
        self.unsaved.search = None

    def put_off(self, goal: Goal, until: float, reason: str) -> None:
        """Exclude a goal that has no plan from the better ones until that time."""
        self.retry_after[goal.name] = until
        self.no_plan[goal.name] = reason

    def put_off_after_error(self, goal: Goal, patience: float, reason: str) -> None:
        """Exclude a goal for which planning has raised an error, as an action that has failed."""
        failures = self.planning_errors.get(goal.name, 0) + 1
        self.planning_errors[goal.name] = failures
        self.put_off(goal, comes_back(failures, self.fsm.time, patience), reason)

    def is_excluded(self, goal: Goal) -> bool:
        """Return True if not even an agent without a plan is to plan for `goal`."""
        return goal.name in self.planning_errors and not self.may_try(goal)

    def may_try(self, goal: Goal) -> bool:
        """Return True unless `goal` is put off."""
        return self.retry_after.get(goal.name, -inf) <= self.fsm.time + TIME_TOLERANCE

    # Goals that come again

    def reach(self, goal: Goal) -> None:
        """Note that the plan for `goal` was carried out; one that comes again rests for a while."""
        if goal.again_after is not None:
            self.wanted_again[goal.name] = self.fsm.time + goal.again_after

    def resting(self) -> Sequence[str]:
        """Return the names of the goals that are to be wanted again, but not yet."""
        now = self.fsm.time + TIME_TOLERANCE
        return [name for name, time in self.wanted_again.items() if time > now]

    def want_again(self, sensors: Container[str]) -> None:
        """Take back the facts without a sensor of the goals whose time has come."""
        resting = self.resting()
        for name in [name for name in self.wanted_again if name not in resting]:
            del self.wanted_again[name]
            goal = self.goals.get(name)
            for fact, condition in goal.conditions.items() if goal is not None else ():
                if fact not in sensors:
                    self.facts[fact] = without(self.facts.get(fact, False), condition)

    # Carrying out a plan

    def current_action(self) -> GoapAction:
        """Return the action that is under way."""
        assert self.plan is not None
        return self.actions[self.plan[self.step]]

    def present_action(self) -> str | None:
        """Return the name of the action that is under way; None before the first."""
        return self.plan[self.step] if self.plan and self.step >= 0 else None

    def head_for(self, place: Place) -> None:
        """Remember where the way leads that has been planned."""
        self.heading = place

    @property
    def is_failing(self) -> bool:
        """Whether the plan has come to its end in the middle of a call."""
        return False

    def turn_to_next(self) -> GoapAction | None:
        """End the action just done, and return the next one; None after the last.

        Its `done` is called before its effects are believed: they are not after an error, or if it
        has made the plan fail.
        """
        assert self.plan is not None
        if self.step >= 0:
            action = self.current_action()
            if action.done is not None:
                action.done()
                if self.is_failing:
                    return None
            for fact, effect in action.effects.items():
                self.facts[fact] = changed(self.facts.get(fact, False), effect)
        if self.step + 1 == len(self.plan):
            return None
        self.step += 1
        self.heading = None
        return self.current_action()

    # Failures

    def left_out(self) -> Sequence[LeftOut]:
        """Return the actions that are left out of planning now."""
        if not self.setbacks:
            return ()
        now = self.fsm.time + TIME_TOLERANCE
        of_this_run = self.unsaved.setbacks
        return [
            LeftOut(name, reason, failures, until)
            for name, (failures, until, reason) in of_this_run.items()
            if until > now
        ]

    def leave_out(self, action: str, patience: float, reason: str) -> None:
        """Leave `action` out of planning: for longer, the more often it has failed in a row."""
        known = self.unsaved.setbacks
        known[action] = setback(known.get(action), self.fsm.time, patience, reason)

    def blame(self, action: str | None, reason: str) -> None:
        """Note why the plan fails, unless that is known; it counts once the plan has failed."""
        if self.fault is None:
            self.fault = (action, reason)

    def count_failure(self, patience: float) -> None:
        """Leave the action out that is to blame for the plan's failure, if there is one."""
        if self.fault is None:
            self.blame(self.present_action(), "failed")
        assert self.fault is not None
        action, reason = self.fault
        self.last_failure = (action, reason, self.fsm.time)
        if action is not None:
            self.leave_out(action, patience, reason)
        self.count_successes(self.done_actions(), but=action)

    def count_successes(self, actions: Iterable[str], but: str | None = None) -> None:
        """Forget the failures of actions that have been done, except those of one of them."""
        for name in actions:
            if name != but:
                self.unsaved.setbacks.pop(name, None)

    def doubt(self, in_vain: tuple[str, str] | None, patience: float) -> None:
        """Note which action was done in vain, and the reason, as the plan is made anew.

        Once may be the world's doing. An action in vain twice in a row has failed.
        """
        if in_vain is not None and in_vain[0] == self.doubted:
            self.fault = in_vain
            self.last_failure = (*in_vain, self.fsm.time)
            self.leave_out(in_vain[0], patience, in_vain[1])
            in_vain = None
        self.doubted = in_vain[0] if in_vain is not None else None

    def done_actions(self) -> Sequence[str]:
        """Return the names of the plan's actions that have been done."""
        return self.plan[: max(0, self.step)] if self.plan is not None else ()

    def failure(self) -> Failure | None:
        """Return why the last plan that failed did so."""
        return Failure(*self.last_failure) if self.last_failure is not None else None

    def _forget_failures(self) -> None:
        self.setbacks, self.wanted_again = {}, {}
        self.no_plan, self.planning_errors = {}, {}
        self.fault = self.last_failure = self.doubted = None

    def __repr__(self) -> str:
        left_out = f"left_out={[each.action for each in self.left_out()]}" if self.fsm else ""
        return f"{type(self).__name__}({left_out})"
