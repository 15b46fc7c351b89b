"""Planner: an agent's look at the world, and its searches for a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from fsmkit.goap.action import Facts, GoapAction
from fsmkit.goap.agent.memory import AgentMemory
from fsmkit.goap.agent.search import Search
from fsmkit.goap.agent.wanted_goals import WantedGoal, wanted_goals
from fsmkit.goap.goal import Goal, with_fallbacks
from fsmkit.goap.kinds import counts_among
from fsmkit.goap.planning import Planning, Strategy
from fsmkit.goap.sensing import Sensed


class AgentSettings(Protocol):
    """The arguments of a GoapAgent that its actions read."""

    actions: tuple[GoapAction, ...]
    goals: tuple[Goal, ...]
    sensors: dict[str, Callable[[], object]]
    strategy: Strategy
    max_nodes: int | None
    nodes_per_update: int
    look_every: float
    patience: float


class Planner:
    """An agent's look at the world, and its searches for a plan, as its `settings` say."""

    def __init__(self, settings: AgentSettings) -> None:
        self.settings = settings
        self._counts: frozenset[str] = frozenset()
        self._counts_of: tuple[object, object] = (None, None)

    def sense(self, beliefs: Facts) -> Sensed:
        """Return a fresh look at the world; `beliefs` are for facts without a sensor."""
        return Sensed(self.settings.sensors, beliefs, self._current_counts())

    def _current_counts(self) -> frozenset[str]:
        """Return the facts that are counts, worked out anew for other actions or goals."""
        actions, goals = self.settings.actions, self.settings.goals
        if self._counts_of[0] is not actions or self._counts_of[1] is not goals:
            self._counts = counts_in(actions, goals)
            self._counts_of = (actions, goals)
        return self._counts

    def has_wanted_goal(self, world: Facts) -> bool:
        """Return True if there is a goal that is wanted in `world` and does not hold."""
        return any(goal.is_wanted(world) for goal in self.settings.goals)

    def wanted_goals(self, world: Facts) -> list[WantedGoal]:
        """Return the goals that are wanted in `world`, best first, each with its fallbacks."""
        return wanted_goals(self.settings.goals, world)

    def search(self, goals: Iterable[Goal], world: Facts, memory: AgentMemory) -> Search:
        """Begin to plan for `goals`, one after another, and return the search.

        It is kept in `memory`. A goal that has no plan is put off for the agent's patience.
        """
        settings = self.settings

        def begin(goal: Goal) -> Planning:
            return Planning(
                settings.actions,
                world,
                goal.conditions,
                strategy=settings.strategy,
                max_nodes=settings.max_nodes,
            )

        def give_up(goal: Goal) -> None:
            memory.put_off(goal, settings.patience)

        search = memory.unsaved.search = Search(goals, begin, give_up)
        return search


def counts_in(
    actions: Iterable[GoapAction], goals: Iterable[Goal], facts: Facts | None = None, what: str = ""
) -> frozenset[str]:
    """Return the facts that are counts; raise ValueError if one is none in another place."""
    places = {f"the conditions of {each.name!r}": each.conditions for each in with_fallbacks(goals)}
    return counts_among(actions, {**places, "its facts": facts or {}}, what)
