"""Explanation: why an agent does what it does, for people and for tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import inf
from typing import Any, Literal, TypeAlias

from attrs import frozen

from fsmkit import Fsm
from fsmkit.goap.agent.memory import NO_GOAL_YET, LeftOut, PlanFailure, describe_error
from fsmkit.goap.agent.plan_execution import ExecutePlan
from fsmkit.goap.domain import Goal, with_fallbacks
from fsmkit.goap.facts import Facts, is_met
from fsmkit.timing import TIME_TOLERANCE

Standing: TypeAlias = Literal[
    "reached", "not wanted", "chosen", "planning", "no plan", "waiting", "unknown"
]
"""It holds; it is not wanted; the plan is for it; it is planned for now; there was no plan; it
waits for its turn; an error hides it."""


@frozen
class GoalStanding:
    goal: str
    """Its name."""
    priority: float | None
    """A fallback has that of its goal; None if an error hides it."""
    standing: Standing
    reason: str = ""
    """The reason in words, where there is more to say."""
    until: float | None = None
    """Seconds on the agent's clock: the end of the time that it is put off for lack of a plan."""
    fallback_of: str | None = None
    """The name of the goal that it is a fallback of, if any."""

    def __str__(self) -> str:
        priority = "?" if self.priority is None else f"{self.priority:g}"
        origin = f", as a fallback of {self.fallback_of!r}" if self.fallback_of is not None else ""
        reason = f": {self.reason}" if self.reason else ""
        until = f"; put off until {self.until:.1f} s" if self.until is not None else ""
        return f"{self.goal} (priority {priority}{origin}): {self.standing}{reason}{until}"


@frozen
class Explanation:
    """Why an agent does what it does: its goals, its plan, and what it leaves out.

    Its text has a line for each goal, for the plan, and for each action that is left out.
    """

    agent: str
    """The name of the agent."""
    time: float
    """Seconds on the agent's clock."""
    state: str | None
    """The name of its state; None if it does not run."""
    doing: str
    """Its current activity, in words."""
    goals: tuple[GoalStanding, ...]
    """Best first, each followed by its fallbacks; those that an error hides come last."""
    goal: str | None
    """The name of the goal of the plan, or of the one that is planned for."""
    plan: tuple[str, ...]
    """The names of the plan's actions."""
    step: int
    """The index of the current action of the plan; -1 before the first."""
    left_out: tuple[LeftOut, ...]
    """The actions that are left out of planning for now because they have failed."""
    last_failure: PlanFailure | None
    """The failure of the last plan that failed."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.agent!r} at {self.time:.1f} s: {self.doing}"
        yield from _listed("goals", [str(each) for each in self.goals])
        if self.plan:
            yield f"plan for {self.goal!r}: {', '.join(self._steps())}"
        yield from _listed("left out of planning", [str(each) for each in self.left_out])
        if self.last_failure is not None:
            yield f"last failure: {self.last_failure}"

    def _steps(self) -> Iterator[str]:
        for index, name in enumerate(self.plan):
            yield f"{name} (done)" if index < self.step else name + " (now)" * (index == self.step)


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"  {line}" for line in lines)


def explained(
    agent: Fsm[Any], goals: Sequence[Goal], memory: ExecutePlan, world: Facts
) -> Explanation:
    state = agent.current_state
    goal, plan = (memory.goal, memory.known_plan()) if state is not None else (None, NO_GOAL_YET)
    return Explanation(
        agent.name,
        agent.time,
        state.name if state is not None else None,
        _doing(agent, memory),
        tuple(GoalStandings(goals, memory, world)),
        goal,
        tuple(action.name for action in plan.actions),
        memory.step if plan else -1,
        tuple(memory.left_out()),
        PlanFailure(*memory.last_failure) if memory.last_failure is not None else None,
    )


def _doing(agent: Fsm[Any], memory: ExecutePlan) -> str:
    if agent.current_state is None:
        return "not running"
    match agent.current_state.name:
        case "Executing":
            return _doing_in_plan(memory)
        case "Planning" | "HasGoal":
            return f"plans for {memory.goal!r}" if memory.goal is not None else "plans"
        case "WaitingToPlan" | "Failed":
            seconds = agent.time - agent.time_in_state + memory.planner.settings.patience
            return f"waits until {seconds:.1f} s before it plans again"
        case _:
            return "looks for a goal"


def _doing_in_plan(memory: ExecutePlan) -> str:
    plan, inner = memory.known_plan(), memory.body.current_state
    if not plan or not 0 <= memory.step < len(plan.actions):
        return "begins a plan"
    where = f"step {memory.step + 1} of {len(plan.actions)}"
    name = repr(plan.actions[memory.step].name)
    is_on_the_way = inner is memory.body.states["GoTo"]
    return f"goes to the target of {name}, {where}" if is_on_the_way else f"does {name}, {where}"


class GoalStandings:
    """The standings of an agent's goals. Each of their functions and sensors is called once."""

    def __init__(self, goals: Sequence[Goal], memory: ExecutePlan, world: Facts) -> None:
        self._memory = memory
        self._is_running = memory.fsm.is_running
        everyone = list(with_fallbacks(goals))
        read = cache(lambda fact: CallResult.of(world.get, fact, False))  # its errors too
        self._holds = {goal.name: _holds(goal, read) for goal in everyone}
        self._wanted = {goal.name: self._is_wanted(goal) for goal in everyone}
        self._priority = {goal.name: CallResult.of(goal.current_priority) for goal in goals}
        origins = sorted(goals, key=self._rank, reverse=True)
        self._in_order = [(goal, origin) for origin in origins for goal in origin.chain()]
        self._has_plan = self._is_running and memory.known_plan().found
        named = (at for at, (goal, _) in enumerate(self._in_order) if goal.name == memory.goal)
        self._present = next(named, None) if self._has_plan else None
        """The index of the goal of the current plan."""

    def __iter__(self) -> Iterator[GoalStanding]:
        """Yield the standing of each goal, best first, each followed by its fallbacks."""
        for index, (goal, origin) in enumerate(self._in_order):
            standing, reason = self._standing(index)
            retry = self._memory.retry_after.get(goal.name, -inf)
            is_put_off = standing == "no plan" and retry > self._memory.fsm.time + TIME_TOLERANCE
            yield GoalStanding(
                goal.name,
                self._priority[origin.name].value,
                standing,
                reason,
                retry if is_put_off else None,
                origin.name if goal is not origin else None,
            )

    def _rank(self, goal: Goal) -> float:
        priority = self._priority[goal.name]
        return -inf if priority.error else float(priority.value)

    def _is_wanted(self, goal: Goal) -> CallResult:
        """Return whether a goal is wanted; the function is called unless the goal holds."""
        holds, wanted = self._holds[goal.name], goal.wanted
        if holds.error or holds.value or wanted is None:
            return CallResult(True)
        return CallResult.of(lambda: bool(wanted()))

    def _standing(self, index: int) -> tuple[Standing, str]:
        goal, origin = self._in_order[index]
        name, search = goal.name, self._memory.unsaved.search
        if unwanted := self._unwanted(goal, origin):
            return unwanted
        if self._is_running:
            if name == self._memory.goal:
                return ("chosen" if self._has_plan else "planning"), ""
            if search is not None and search.goal is not None and search.goal.name == name:
                return "planning", "while the present plan goes on" if self._has_plan else ""
        if name in self._memory.no_plan and not self._waits_for_present(index):
            return "no plan", self._memory.no_plan[name]
        return "waiting", self._what_for(index)

    def _waits_for_present(self, index: int) -> bool:
        """Return True if a goal could be planned for, but the plan is for a better one."""
        is_later = self._present is not None and index >= self._present
        return is_later and self._memory.may_try(self._in_order[index][0])

    def _unwanted(self, goal: Goal, origin: Goal) -> tuple[Standing, str] | None:
        """Return the standing of a goal that needs no plan, and why; None if it needs one."""
        holds, wanted = self._holds[goal.name], self._wanted[goal.name]
        if goal.name in self._memory.resting():
            return "reached", f"wanted again at {self._memory.wanted_again[goal.name]:.1f} s"
        if goal is origin and (error := self._priority[goal.name].error):
            return "unknown", f"its priority {error}"
        if holds.error:
            return "unknown", f"a sensor {holds.error}"
        if holds.value:
            is_over = self._is_running and goal.name in self._memory.wanted_again
            return "reached", "wanted again at the next look" if is_over else ""
        if wanted.error:
            return "unknown", f"wanted {wanted.error}"
        if not wanted.value:
            return "not wanted", ""
        if goal is not origin and (of_origin := self._unwanted(origin, origin)):
            standing: Standing = "unknown" if of_origin[0] == "unknown" else "not wanted"
            return standing, f"{origin.name!r} is {of_origin[0]}"
        return None

    def _what_for(self, index: int) -> str:
        """Return what a goal without a plan is waiting for."""
        if not self._is_running:
            return "the agent does not run"
        if self._present is None:
            return "for the agent to plan"
        goal, origin = self._in_order[self._present]
        mine, of_present = (self._rank(o) for o in (self._in_order[index][1], origin))
        if index < self._present and (mine > of_present or self._in_order[index][1] is origin):
            look = max(self._memory.look_at, self._memory.fsm.time)
            return f"planned for at the next look, at {look:.1f} s"
        if self._in_order[index][1] is origin:
            return f"{goal.name!r} comes first"
        weight = "less important than" if mine < of_present else "no more important than"
        return f"{weight} {origin.name!r}"


@frozen
class CallResult:
    value: Any = None
    error: str = ""

    @classmethod
    def of(cls, function: Callable[..., object], *arguments: object) -> CallResult:
        try:
            return cls(function(*arguments))
        except Exception as error:
            return cls(error=describe_error(error))


def _holds(goal: Goal, read: Callable[[str], CallResult]) -> CallResult:
    for fact, condition in goal.conditions.items():
        met = read(fact)
        if not met.error:
            met = CallResult.of(is_met, condition, met.value)
        if met.error or not met.value:
            return met
    return CallResult(True)
