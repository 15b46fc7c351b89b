"""AgentMemory: the beliefs, the goal and the plan of an agent, and the failures of its actions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from math import inf
from sys import float_info
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen

from fsmkit import FsmAction
from fsmkit.core.words.notes import shown_error
from fsmkit.goap.agent.goal_search import GoalSearch
from fsmkit.goap.domain import Goal, GoapAction, check_function
from fsmkit.goap.facts import FactValue, changed, without
from fsmkit.goap.planning import Plan
from fsmkit.timing import TIME_TOLERANCE

SHORTEST_PATIENCE: Final = 0.1
"""Seconds: an agent with less patience leaves actions out as if it had this much."""
MOST_DOUBLINGS: Final = 6
"""An action is left out for 2, 4, 8, ... and at most 64 times the agent's patience."""
LONGEST_REASON: Final = 200
"""Characters."""

Setback: TypeAlias = tuple[int, float, str]
"""How often an action has failed in a row, until when it is left out, and why."""

TargetPlace: TypeAlias = tuple[float, ...] | str | None
"""A position, or the name of a place; None for a target that is neither: it never moves."""


@frozen
class LeftOut:
    """An action that is left out of planning for a while, as it has failed."""

    action: str
    """The name of the action."""
    reason: str
    failures: int
    """How often it has failed in a row."""
    until: float
    """Seconds on the agent's clock."""

    def __str__(self) -> str:
        times = f", {self.failures} times in a row" if self.failures > 1 else ""
        return f"{self.action}: {self.reason}{times}; left out until {self.until:.1f} s"


@frozen
class PlanFailure:
    action: str | None
    """The name of the action that is to blame; None if no action is."""
    reason: str
    time: float
    """Seconds on the agent's clock."""

    def __str__(self) -> str:
        who = f"{self.action}: " if self.action is not None else ""
        return f"{who}{self.reason}, at {self.time:.1f} s"


def setback(before: Setback | None, now: float, patience: float, reason: str) -> Setback:
    """Return the setback of one more failure, for an agent with `patience` in seconds.

    The time for which the action is left out doubles with each failure in a row (exponential
    backoff, as on a shared Ethernet: Metcalfe and Boggs, 1976).

    >>> setback((1, 2.0, "failed"), 10.0, 1.0, "failed")
    (2, 14.0, 'failed')
    """
    failures = 1 + (before[0] if before is not None else 0)
    return failures, back_at(failures, now, patience), reason


def back_at(failures: int, now: float, patience: float) -> float:
    """Return the time until which something is left out after that many failures in a row."""
    seconds = float(2 ** min(failures, MOST_DOUBLINGS)) * max(patience, SHORTEST_PATIENCE)
    return min(now + seconds, float_info.max)


def describe_error(error: BaseException) -> str:
    return shortened(f"raised {shown_error(error)}")


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 3]}..."


@define(eq=False)
class UnsavedState:
    """The part of an agent's state that no snapshot holds.

    It belongs to the agent's beliefs, `facts`, and its `setbacks`. `restore` replaces these; the
    restored agent starts without the reservations and the search from before.
    """

    facts: dict[str, FactValue]
    setbacks: dict[str, Setback] = field(factory=dict)
    """The failures that the agent remembers."""
    has_reserved: bool = False
    """True once the current plan has reserved what it uses."""
    reservations: list[Callable[[], object]] = field(factory=list)
    """The functions that give it back, in the order of reserving."""
    search: GoalSearch | None = None
    """The current search for a plan, or the one that has just found it."""

    def reserve(self, action: GoapAction) -> bool:
        """Reserve what `action` uses; False if it is not available."""
        if action.reserve is not None:
            give_back = action.reserve()
            if give_back is None:
                return False
            what = f"GoapAction {action.name!r}: what reserve returns, unless it is None,"
            check_function(give_back, what, "return lambda: ...")
            self.reservations.append(give_back)
        return True

    def release(self) -> Iterator[Callable[[], object]]:
        """Forget all reservations, and yield the functions that give them back, the last first."""
        held, self.reservations, self.has_reserved = self.reservations, [], False
        yield from reversed(held)

    def __reduce__(self) -> tuple[Any, ...]:
        """Drop the search, which cannot be copied: the copy searches again."""
        return UnsavedState, (self.facts, self.setbacks, self.has_reserved, self.reservations)


NO_GOAL_YET: Final = Plan(False, reason="there is no goal")
NO_PLAN_YET: Final = Plan(False, reason="it is still being made")
UNKNOWN_PLAN: Final = Plan(False, reason="an action of the plan is no longer known")


class AgentMemory(FsmAction[Any]):
    """The beliefs, the goal and the plan of an agent, how far it has come, and what has failed.

    It is an action that refers to `actions` and `goals` by name, so that a snapshot of the machine
    holds all of it, except `unsaved`.
    """

    def __init__(
        self, actions: Mapping[str, GoapAction], goals: Mapping[str, Goal], unsaved: UnsavedState
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
        """Name of a goal without a plan -> the time from which it is planned for again."""
        self.heading: TargetPlace = None
        """Where the target of the current action was when the way there was planned."""
        self.no_plan: dict[str, str] = {}
        """Name of a goal without a plan -> why."""
        self.wanted_again: dict[str, float] = {}
        """Name of a recurring goal that was reached -> the time from which it is wanted again."""
        self.planning_errors: dict[str, int] = {}
        """Name of a goal -> how often in a row planning for it has raised an error."""
        self.setbacks: dict[str, Setback] = unsaved.setbacks
        """Name of an action that has failed -> its setback."""
        self.fault: tuple[str | None, str] | None = None
        """Why the plan is failing: the action to blame, or None, and the reason."""
        self.last_failure: tuple[str | None, str, float] | None = None
        """The action that was to blame, or None; the reason; the time."""
        self.doubted: str | None = None
        """The action done in vain before the last replanning, if any."""

    @property
    def unsaved(self) -> UnsavedState:
        """The part that no snapshot holds; renewed after `restore` has replaced the facts."""
        if self._unsaved.facts is not self.facts:
            if self._unsaved.setbacks is self.setbacks:  # restored from a version without them
                self._forget_failures()
            self._unsaved = UnsavedState(self.facts, self.setbacks)
        return self._unsaved

    # The goal and the plan

    def known_goal(self) -> Goal | None:
        return self.goals.get(self.goal) if self.goal is not None else None

    def known_plan(self) -> Plan:
        """Return the plan; a plan that was not found if there is none or an action is unknown."""
        if self.plan is None:
            return NO_GOAL_YET if self.goal is None else NO_PLAN_YET
        if not self.actions.keys() >= set(self.plan):
            return UNKNOWN_PLAN
        actions = tuple(self.actions[name] for name in self.plan)
        return Plan(True, actions, self.cost, nodes=self.nodes)

    def take(self, goal: Goal, plan: Plan) -> None:
        self.goal = goal.name
        self.plan = tuple(action.name for action in plan.actions)
        self.cost, self.nodes, self.step = plan.cost, plan.nodes, -1
        self.fault = None
        self.no_plan.pop(goal.name, None)
        self.planning_errors.pop(goal.name, None)

    def forget(self) -> None:
        self.goal = self.plan = self.fault = None
        self.cost, self.nodes, self.step = 0.0, 0, -1
        self.unsaved.search = None

    def put_off(self, goal: Goal, until: float, reason: str) -> None:
        """Leave a goal without a plan out of the better goals until that time."""
        self.retry_after[goal.name] = until
        self.no_plan[goal.name] = reason

    def put_off_after_error(self, goal: Goal, patience: float, reason: str) -> None:
        """Exclude a goal whose planning has raised an error, for longer after each in a row."""
        failures = self.planning_errors.get(goal.name, 0) + 1
        self.planning_errors[goal.name] = failures
        self.put_off(goal, back_at(failures, self.fsm.time, patience), reason)

    def is_excluded(self, goal: Goal) -> bool:
        """Return True if the agent must not plan for `goal`, even if it has no other plan."""
        return goal.name in self.planning_errors and not self.may_try(goal)

    def may_try(self, goal: Goal) -> bool:
        return self.retry_after.get(goal.name, -inf) <= self.fsm.time + TIME_TOLERANCE

    # Recurring goals

    def reach(self, goal: Goal) -> None:
        """Let a recurring goal rest, now that its plan was carried out."""
        if goal.again_after is not None:
            self.wanted_again[goal.name] = self.fsm.time + float(goal.again_after)

    def resting(self) -> Sequence[str]:
        now = self.fsm.time + TIME_TOLERANCE
        return [name for name, time in self.wanted_again.items() if time > now]

    def want_again(self, sensors: Container[str]) -> None:
        """Take back the facts without a sensor of the recurring goals that are due."""
        resting = self.resting()
        for name in [name for name in self.wanted_again if name not in resting]:
            del self.wanted_again[name]
            goal = self.goals.get(name)
            for fact, condition in goal.conditions.items() if goal is not None else ():
                if fact not in sensors:
                    self.facts[fact] = without(self.facts.get(fact, False), condition)

    # Carrying out a plan

    def current_action(self) -> GoapAction:
        assert self.plan is not None
        return self.actions[self.plan[self.step]]

    def current_name(self) -> str | None:
        return self.plan[self.step] if self.plan and self.step >= 0 else None

    @property
    def is_failing(self) -> bool:
        """Whether the plan has ended in the middle of a call."""
        return False

    def turn_to_next(self) -> GoapAction | None:
        """Complete the current action, and return the next one; None after the last.

        Its `done` is called first. If that raises an error or makes the plan fail, its effects are
        not believed.
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
        now = self.fsm.time + TIME_TOLERANCE
        return [
            LeftOut(name, reason, failures, until)
            for name, (failures, until, reason) in self.unsaved.setbacks.items()
            if until > now
        ]

    def leave_out(self, action: str, patience: float, reason: str) -> None:
        known = self.unsaved.setbacks
        known[action] = setback(known.get(action), self.fsm.time, patience, reason)

    def blame(self, action: str | None, reason: str) -> None:
        if self.fault is None:
            self.fault = (action, reason)

    def count_failure(self, patience: float) -> None:
        if self.fault is None:
            self.blame(self.current_name(), "failed")
        assert self.fault is not None
        action, reason = self.fault
        self.last_failure = (action, reason, self.fsm.time)
        if action is not None:
            self.leave_out(action, patience, reason)
        self.count_successes(self.done_actions(), but=action)

    def count_successes(self, actions: Iterable[str], but: str | None = None) -> None:
        for name in actions:
            if name != but:
                self.unsaved.setbacks.pop(name, None)

    def doubt(self, in_vain: tuple[str, str] | None, patience: float) -> None:
        """Remember which action was done in vain, and why, before replanning.

        Once may be bad luck; an action done in vain twice in a row has failed.
        """
        if in_vain is not None and in_vain[0] == self.doubted:
            self.fault = in_vain
            self.last_failure = (*in_vain, self.fsm.time)
            self.leave_out(in_vain[0], patience, in_vain[1])
            in_vain = None
        self.doubted = in_vain[0] if in_vain is not None else None

    def done_actions(self) -> Sequence[str]:
        return self.plan[: max(0, self.step)] if self.plan is not None else ()

    def _forget_failures(self) -> None:
        self.setbacks, self.wanted_again = {}, {}
        self.no_plan, self.planning_errors = {}, {}
        self.fault = self.last_failure = self.doubted = None

    def __repr__(self) -> str:
        left_out = f"left_out={[each.action for each in self.left_out()]}" if self.fsm else ""
        return f"{type(self).__name__}({left_out})"
