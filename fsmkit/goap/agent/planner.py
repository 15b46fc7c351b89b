"""Planner: an agent's look at the world, and its searches for a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from fsmkit.goap.action import Facts, GoapAction
from fsmkit.goap.agent.memory import AgentMemory
from fsmkit.goap.agent.search import Search
from fsmkit.goap.agent.wanted_goals import WantedGoal, wanted_goals
from fsmkit.goap.goal import Goal
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

    def sense(self, beliefs: Facts) -> Sensed:
        """Return a fresh look at the world; `beliefs` are for facts without a sensor."""
        return Sensed(self.settings.sensors, beliefs)

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
