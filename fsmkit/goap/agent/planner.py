"""Planner: an agent's look at the world, and its searches for a plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Protocol

from fsmkit.goap.agent.goal_search import GoalSearch, WantedGoal
from fsmkit.goap.agent.memory import AgentMemory, LeftOut, describe_error
from fsmkit.goap.domain import Goal, GoapAction, counts_in, with_fallbacks
from fsmkit.goap.facts import Conditions, Facts
from fsmkit.goap.planning import Plan, Planning, Strategy
from fsmkit.goap.problem import leading_to
from fsmkit.goap.sensing import Sensed


class AgentSettings(Protocol):
    sensors: dict[str, Callable[[], object]]
    strategy: Strategy
    max_nodes: int | None
    nodes_per_update: int
    look_every: float
    patience: float

    @property
    def actions(self) -> tuple[GoapAction, ...]: ...

    @property
    def goals(self) -> tuple[Goal, ...]: ...


class Planner:
    def __init__(self, settings: AgentSettings) -> None:
        self.settings = settings
        self._counts: tuple[object, object, frozenset[str]] = (None, None, frozenset())
        self._hopeless: dict[str, Planning] = {}
        """Name of a goal -> a search that found at once that it has no plan."""

    def sense(self, beliefs: Facts) -> Sensed:
        """Return a fresh look at the world; `beliefs` are for facts without a sensor."""
        return Sensed(self.settings.sensors, beliefs, self._current_counts())

    def _current_counts(self) -> frozenset[str]:
        """Return the facts that are counts, recomputed for other actions or goals."""
        actions, goals = self.settings.actions, self.settings.goals
        if self._counts[0] is not actions or self._counts[1] is not goals:
            self._counts = (actions, goals, agent_counts(actions, goals))
        return self._counts[2]

    def look(self, memory: AgentMemory) -> Sensed:
        """Return a fresh look at the world, with the recurring goals that are due."""
        if memory.wanted_again:
            memory.want_again(self.settings.sensors)
        return self.sense(memory.facts)

    def wanted_goals(self, world: Facts, memory: AgentMemory) -> list[WantedGoal]:
        """Return the goals that are wanted in `world`, best first, each followed by its fallbacks.

        A resting goal is not wanted, nor are its fallbacks for its sake.
        """
        wanted = [(goal.current_priority(), goal) for goal in self.wanted(world, memory)]
        wanted.sort(key=itemgetter(0), reverse=True)
        resting = memory.resting()
        return [
            WantedGoal(goal, origin, priority)
            for priority, origin in wanted
            for goal in origin.chain()
            if goal is origin or (goal.name not in resting and goal.is_wanted(world))
        ]

    def wanted(self, world: Facts, memory: AgentMemory) -> Iterator[Goal]:
        """Yield the goals that are wanted in `world`, in the order given, without fallbacks."""
        resting = memory.resting()
        for goal in self.settings.goals:
            if goal.name not in resting and goal.is_wanted(world):
                yield goal

    def search(self, goals: Iterable[Goal], world: Facts, memory: AgentMemory) -> GoalSearch:
        """Begin to plan for `goals`, one after another, and return the search.

        The search is kept in `memory`. It does without actions that are left out for now. A goal
        without a plan is put off for the agent's patience, or until such an action comes back.
        """
        settings = self.settings

        def begin(goal: Goal) -> Planning:
            actions = settings.actions
            if left_out := {each.action for each in memory.left_out()}:
                actions = tuple(action for action in actions if action.name not in left_out)
            known = self._hopeless.pop(goal.name, None)
            if known is not None and is_hopeless(known, actions, world, goal.conditions):
                return known
            return Planning(
                actions,
                world,
                goal.conditions,
                strategy=settings.strategy,
                max_nodes=settings.max_nodes,
            )

        def give_up(goal: Goal, planning: Planning) -> None:
            if planning.grounds is not None:
                self._hopeless[goal.name] = planning
            missing = self._missing(goal, memory.left_out())
            until = min([memory.fsm.time + settings.patience, *missing.values()])
            memory.put_off(goal, until, _reason(planning.plan, missing))

        def fail(goal: Goal, planning: Planning | None, error: BaseException) -> None:
            reason, action = describe_error(error), planning.asked if planning is not None else None
            if action is not None and isinstance(error, Exception):  # Ctrl-C does not count
                memory.leave_out(action.name, settings.patience, reason)
                memory.put_off(goal, memory.fsm.time + settings.patience, f"planning {reason}")
            else:
                memory.put_off_after_error(goal, settings.patience, f"planning {reason}")

        search = memory.unsaved.search = GoalSearch([*goals], begin, give_up, fail)
        return search

    def _missing(self, goal: Goal, left_out: Sequence[LeftOut]) -> dict[str, float]:
        if not left_out:
            return {}
        counts = self._current_counts()
        leading = {each.name for each in leading_to(goal.conditions, self.settings.actions, counts)}
        return {each.action: each.until for each in left_out if each.action in leading}


def _reason(plan: Plan | None, missing: Collection[str]) -> str:
    reason = str(plan).removeprefix("no plan: ").replace("no plan found", "none found", 1)
    if not missing:
        return reason
    names = ", ".join(map(repr, missing))
    return f"{reason} while {names} {'is' if len(missing) == 1 else 'are'} left out"


def is_hopeless(
    planning: Planning, actions: Sequence[GoapAction], world: Facts, goal: Conditions
) -> bool:
    """Return True if a search with these arguments would end at once as `planning` did."""
    grounds = planning.grounds
    return (
        grounds is not None
        and planning.goal == goal
        and len(planning.actions) == len(actions)
        and all(one is other for one, other in zip(planning.actions, actions, strict=True))
        and all(world.get(fact, False) == value for fact, value in grounds.items())
    )


def agent_counts(
    actions: Iterable[GoapAction], goals: Iterable[Goal], facts: Facts | None = None, what: str = ""
) -> frozenset[str]:
    """Return the facts that are counts; raise ValueError if one is a flag in another place."""
    groups = {f"the conditions of {each.name!r}": each.conditions for each in with_fallbacks(goals)}
    return counts_in(actions, {**groups, "its facts": facts or {}}, what)
