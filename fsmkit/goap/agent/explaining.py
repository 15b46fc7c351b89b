"""Explaining: how the goals of an agent stand, and what it does, without changing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from attrs import frozen

from fsmkit import Fsm
from fsmkit.goap.action import Facts
from fsmkit.goap.agent.executing import ExecutePlan
from fsmkit.goap.agent.explanation import Explanation, GoalStanding, Standing
from fsmkit.goap.agent.memory import NO_GOAL_YET
from fsmkit.goap.agent.setbacks import told
from fsmkit.goap.counts import Fact
from fsmkit.goap.goal import Goal, with_fallbacks
from fsmkit.timing import TIME_TOLERANCE


def explained(
    agent: Fsm[Any], goals: Sequence[Goal], memory: ExecutePlan, world: Facts
) -> Explanation:
    """Return why `agent` does what it does, as its `memory` and a look at the world say."""
    state = agent.current_state
    goal, plan = (memory.goal, memory.known_plan()) if state is not None else (None, NO_GOAL_YET)
    return Explanation(
        agent.name,
        agent.time,
        state.name if state is not None else None,
        _doing(agent, memory),
        tuple(GoalsNow(goals, memory, ReadOnce(world)).standings()),
        goal,
        tuple(action.name for action in plan.actions),
        memory.step if plan else -1,
        tuple(memory.left_out()),
        memory.failure(),
    )


def _doing(agent: Fsm[Any], memory: ExecutePlan) -> str:
    """Return in words what the agent does now."""
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


@frozen
class Answer:
    """What a function of the game says, or which error it raises."""

    value: Any = None
    error: str = ""


class GoalsNow:
    """The goals of an agent at one moment. Each of their functions and sensors is asked once."""

    def __init__(self, goals: Sequence[Goal], memory: ExecutePlan, world: ReadOnce) -> None:
        self._memory = memory
        self._is_running = memory.fsm.is_running
        everyone = list(with_fallbacks(goals))
        self._holds = {goal.name: _answer(goal.holds, world) for goal in everyone}
        self._wanted = {goal.name: self._is_wanted(goal) for goal in everyone}
        self._priority = {goal.name: _answer(goal.current_priority) for goal in goals}
        origins = sorted(goals, key=self._rank, reverse=True)
        self._in_order = [(goal, origin) for origin in origins for goal in origin.chain()]
        self._has_plan = self._is_running and memory.known_plan().found
        named = (at for at, (goal, _) in enumerate(self._in_order) if goal.name == memory.goal)
        self._present = next(named, None) if self._has_plan else None
        """The index of the goal that the agent carries a plan out for."""

    def standings(self) -> Iterator[GoalStanding]:
        """Yield how each goal stands, best first, each followed by its fallbacks."""
        for index, (goal, origin) in enumerate(self._in_order):
            standing, reason = self._standing(index)
            retry = self._memory.retry_after.get(goal.name, -inf)
            yield GoalStanding(
                goal.name,
                self._priority[origin.name].value,
                standing,
                reason,
                retry if standing == "no plan" and retry > self._now() else None,
                origin.name if goal is not origin else None,
            )

    def _now(self) -> float:
        return self._memory.fsm.time + TIME_TOLERANCE

    def _rank(self, goal: Goal) -> float:
        answer = self._priority[goal.name]
        return -inf if answer.error else float(answer.value)

    def _is_wanted(self, goal: Goal) -> Answer:
        """Return whether it is wanted, which is asked only of a goal that does not hold."""
        holds, wanted = self._holds[goal.name], goal.wanted
        if holds.error or holds.value or wanted is None:
            return Answer(True)
        return _answer(lambda: bool(wanted()))

    def _standing(self, index: int) -> tuple[Standing, str]:
        """Return how a goal stands, and why."""
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
        """Return True if a goal could be planned for, but the plan is for one that comes first."""
        if self._present is None or index < self._present:
            return False
        return self._memory.may_try(self._in_order[index][0])

    def _unwanted(self, goal: Goal, origin: Goal) -> tuple[Standing, str] | None:
        """Return how a goal stands that there is nothing to do for; None if there is."""
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
        """Return what a goal waits for that there is no other reason for."""
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


class ReadOnce(Mapping[str, Fact]):
    """A look at the world that reads no sensor a second time, even if it raises."""

    def __init__(self, world: Facts) -> None:
        self._world = world
        self._errors: dict[str, Exception] = {}

    def __getitem__(self, fact: str) -> Fact:
        if fact in self._errors:
            raise self._errors[fact]
        try:
            return self._world[fact]
        except Exception as error:
            self._errors[fact] = error
            raise

    def get(self, fact: str, default: Any = None) -> Any:
        """Return whether the fact holds; `default` if nothing is known of it."""
        if fact not in self._world:
            return default
        return self[fact]

    def __iter__(self) -> Iterator[str]:
        return iter(self._world)

    def __len__(self) -> int:
        return len(self._world)


def _answer(function: Callable[..., object], *arguments: object) -> Answer:
    try:
        return Answer(function(*arguments))
    except Exception as error:
        return Answer(error=told(error))
