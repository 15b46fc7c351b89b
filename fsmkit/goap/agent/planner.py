"""Planner: an agent's look at the world, and its searches for a plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import Protocol

from fsmkit.goap.action import Facts, GoapAction
from fsmkit.goap.agent.hopeless import Hopeless, hopeless
from fsmkit.goap.agent.memory import AgentMemory
from fsmkit.goap.agent.search import Search
from fsmkit.goap.agent.setbacks import LeftOut, told
from fsmkit.goap.agent.wanted_goals import WantedGoal, wanted_goals
from fsmkit.goap.goal import Goal, with_fallbacks
from fsmkit.goap.kinds import counts_among
from fsmkit.goap.plan import Plan
from fsmkit.goap.planning import Planning, Strategy
from fsmkit.goap.problem import leading_to
from fsmkit.goap.sensing import Sensed


class AgentSettings(Protocol):
    """The arguments of a GoapAgent that its actions read."""

    sensors: dict[str, Callable[[], object]]
    strategy: Strategy
    max_nodes: int | None
    nodes_per_update: int
    look_every: float
    patience: float

    @property
    def actions(self) -> tuple[GoapAction, ...]:
        """What the agent can do."""
        ...

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What the agent may want."""
        ...


class Planner:
    """An agent's look at the world, and its searches for a plan, as its `settings` say."""

    def __init__(self, settings: AgentSettings) -> None:
        self.settings = settings
        self._counts: frozenset[str] = frozenset()
        self._counts_of: tuple[object, object] = (None, None)
        self._hopeless: dict[str, Hopeless] = {}

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

    def look(self, memory: AgentMemory) -> Sensed:
        """Return a fresh look at the world, after goals have come again whose time has come."""
        if memory.wanted_again:
            memory.want_again(self.settings.sensors)
        return self.sense(memory.facts)

    def has_wanted_goal(self, world: Facts, resting: Container[str] = ()) -> bool:
        """Return True if there is a goal that is wanted in `world` and does not hold."""
        return any(
            goal.name not in resting and goal.is_wanted(world) for goal in self.settings.goals
        )

    def wanted_goals(self, world: Facts, resting: Container[str] = ()) -> list[WantedGoal]:
        """Return the goals that are wanted in `world`, best first, each with its fallbacks.

        Those that are `resting` are not wanted.
        """
        return wanted_goals(self.settings.goals, world, resting)

    def search(self, goals: Iterable[Goal], world: Facts, memory: AgentMemory) -> Search:
        """Begin to plan for `goals`, one after another, and return the search.

        It is kept in `memory`. Actions that are left out for now are not planned with. A goal that
        has no plan is put off for the agent's patience, or until such an action comes back.
        """
        settings = self.settings

        def begin(goal: Goal) -> Planning | Hopeless:
            actions = settings.actions
            if left_out := {each.action for each in memory.left_out()}:
                actions = tuple(action for action in actions if action.name not in left_out)
            known = self._hopeless.pop(goal.name, None)
            if known is not None and known.is_true(actions, world, goal.conditions):
                return known
            return Planning(
                actions,
                world,
                goal.conditions,
                strategy=settings.strategy,
                max_nodes=settings.max_nodes,
            )

        def give_up(goal: Goal, planning: Planning | Hopeless) -> None:
            if (known := hopeless(goal.conditions, planning)) is not None:
                self._hopeless[goal.name] = known
            missing = self._missing(goal, memory.left_out())
            until = min([memory.fsm.time + settings.patience, *missing.values()])
            memory.put_off(goal, until, _reason(planning.plan, missing))

        def fail(goal: Goal, planning: Planning | Hopeless | None, error: BaseException) -> None:
            reason, action = told(error), planning.asked if planning is not None else None
            if action is not None and isinstance(error, Exception):  # Ctrl-C is nobody's fault
                memory.leave_out(action.name, settings.patience, reason)
                memory.put_off(goal, memory.fsm.time + settings.patience, f"planning {reason}")
            else:
                memory.put_off_after_error(goal, settings.patience, f"planning {reason}")

        search = memory.unsaved.search = Search(goals, begin, give_up, fail)
        return search

    def _missing(self, goal: Goal, left_out: Sequence[LeftOut]) -> dict[str, float]:
        """Return those actions left out that might help with `goal` -> until when they are."""
        if not left_out:
            return {}
        counts = self._current_counts()
        leading = {each.name for each in leading_to(goal.conditions, self.settings.actions, counts)}
        return {each.action: each.until for each in left_out if each.action in leading}


def _reason(plan: Plan | None, missing: Collection[str]) -> str:
    """Return why there is no plan while the actions that are `missing` are left out."""
    reason = str(plan).removeprefix("no plan: ").replace("no plan found", "none found", 1)
    if not missing:
        return reason
    names = ", ".join(map(repr, missing))
    return f"{reason} while {names} {'is' if len(missing) == 1 else 'are'} left out"


def counts_in(
    actions: Iterable[GoapAction], goals: Iterable[Goal], facts: Facts | None = None, what: str = ""
) -> frozenset[str]:
    """Return the facts that are counts; raise ValueError if one is none in another place."""
    places = {f"the conditions of {each.name!r}": each.conditions for each in with_fallbacks(goals)}
    return counts_among(actions, {**places, "its facts": facts or {}}, what)
