"""GoapAgent: a machine that chooses a goal, plans for it and carries the plan out.

Its states run the small actions at the top of this file, which choose, plan and wait; `ExecutePlan`
carries a plan out. All of them work on one memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import Any, Final, Generic, Literal

from fsmkit import FAILED, FINISHED, Fsm, FsmAction, FsmError
from fsmkit.core.checks.arguments import integer, number, shown
from fsmkit.core.types import ContextT
from fsmkit.goap.agent.body import DONE, Body
from fsmkit.goap.agent.explanation import Explanation, explained
from fsmkit.goap.agent.goal_search import GoalSearch
from fsmkit.goap.agent.journey import TravelFactory, target_range
from fsmkit.goap.agent.memory import AgentMemory, UnsavedState
from fsmkit.goap.agent.plan_execution import BETTER_GOAL, NO_GOAL, PLAN_INVALID, ExecutePlan
from fsmkit.goap.agent.planner import Planner, agent_counts
from fsmkit.goap.domain import (
    Goal,
    GoapAction,
    actions_in,
    by_name,
    check_function,
    goals_of,
    with_fallbacks,
)
from fsmkit.goap.facts import Facts, FactValue, check_facts
from fsmkit.goap.planning import Plan, Strategy, check_search
from fsmkit.goap.sensing import Sensed, Sensors, check_sensors

GOAL: Final = "GOAL"
PLAN: Final = "PLAN"
PLAN_FOUND: Final = "PLAN_FOUND"
NO_PLAN: Final = "NO_PLAN"
RETRY: Final = "RETRY"


class Deliberation(FsmAction[Any]):
    def __init__(self, memory: AgentMemory, planner: Planner) -> None:
        self.memory = memory
        self.planner = planner


class ChooseGoal(Deliberation):
    """Look for a goal in every update, but not on enter, so that an update has at most one plan."""

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
        if any(True for _ in self.planner.wanted(world, self.memory)):
            self.fsm.send_event(GOAL)


class TakeGoals(Deliberation):
    """Turn to planning for the goals wanted now, or to the plan already found for a better one."""

    @property
    def sends(self) -> Sequence[str]:
        return (PLAN,)

    @property
    def finishes(self) -> Literal["at once"]:
        return "at once"

    def on_enter(self) -> None:
        search = self.memory.unsaved.search
        if search is None or not search.plan:
            self.memory.forget()
        self.fsm.send_event(PLAN)


class MakePlan(Deliberation):
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
            self.fsm.send_event_after(0.0, NO_PLAN)  # as it is not entered, it would not be updated
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

    def _begin(self) -> GoalSearch:
        world = self.planner.look(self.memory)
        wanted = self.planner.wanted_goals(world, self.memory)
        goals = [each.goal for each in wanted if not self.memory.is_excluded(each.goal)]
        return self.planner.search(goals, world, self.memory)


class WaitToPlan(Deliberation):
    """Wait for `patience` seconds before looking for a goal again.

    The action to blame for a failure is left out of planning for longer than that.
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


class GoapAgent(Fsm[ContextT], Generic[ContextT]):
    """A machine that chooses a goal, plans for it and carries the plan out.

    Its states are NoGoal, HasGoal, Planning, WaitingToPlan, Executing and Failed. In Executing it
    runs its `body`, a machine that goes to the target of each action and runs the action.

    `actions` are what it can do, `goals` what it may want. `sensors` report facts of the world; a
    fact without a sensor is a belief of the agent: at first from `facts`, then changed by the
    effects of its own actions. `travel` makes the action that goes to a target, from a function
    that returns the target; it is required if an action has a target. The plan fails if an action
    that it runs does, or if the event `FAILED` is sent.

    A journey fails if the action that travels does, as `FollowPath` where the way is blocked; if it
    has finished and says that it is `blocked`; or if the target is gone, that is, None or an error
    of its function. If the target has moved, the action is asked to `replan()`, or exited and
    entered again if it has no such method. With `reach`, in units, a journey ends as soon as the
    target is within reach, and the target is used only there; if it leaves, the agent goes there
    again, and restarts the use. `position` returns where the agent is; without it the `context` has
    a `position`.

    Every `look_every` seconds it looks at the world, and where the target is. It replans when the
    world has made the plan invalid, and chooses again when its goal holds or is no longer wanted;
    it plans for a better goal meanwhile, and switches to it once there is a plan. After a
    failure, or if there is no plan for any goal, it waits for `patience` seconds; a plan that was
    carried out without bringing about its goal is a failure too. The action to blame is left out
    of planning, for 2, 4, 8, ... and at most 64 times `patience` as failures follow one another.
    `why` explains all of that. `nodes_per_update` limits the planning in one update, `max_nodes`
    all the planning for a goal; `strategy` is that of `plan`.

    Raises ValueError or TypeError for invalid arguments: two actions or goals with the same name,
    a target without `travel`, a `reach` without a position, a sensor that is not a function, a
    negative time.

    >>> lamp = GoapAction("Light", 1, {}, {"lit": True})
    >>> agent = GoapAgent("Keeper", actions=[lamp], goals=[Goal("BeSafe", {"lit": True})])
    >>> agent.start()
    >>> agent.update(0.1)
    >>> agent.facts, agent.current_state.name
    ({'lit': True}, 'NoGoal')
    """

    def __init__(
        self,
        name: str,
        context: Any = None,
        *,
        actions: Iterable[GoapAction],
        goals: Iterable[Goal],
        sensors: Sensors | None = None,
        facts: Facts | None = None,
        travel: TravelFactory | None = None,
        reach: float | None = None,
        position: Callable[[], Any] | None = None,
        strategy: Strategy = "optimal",
        max_nodes: int | None = 10_000,
        nodes_per_update: int = 200,
        look_every: float = 0.5,
        patience: float = 1.0,
    ) -> None:
        super().__init__(name, context, on_unhandled="ignore")
        what = f"GoapAgent {name!r}"
        check_search(strategy, max_nodes, what)
        if travel is not None:
            check_function(travel, f"{what}: travel", "lambda target: ...", arguments=1)
        self.actions_by_name = self._known(actions, can_travel=travel is not None)
        self._actions = tuple(self.actions_by_name.values())
        self._goals = goals_of(goals, what)
        self.goals_by_name = by_name(with_fallbacks(self._goals), f"{what} has two goals")
        """The goals and their fallbacks."""
        check_sensors({} if sensors is None else sensors, what)
        self.sensors = dict(sensors or {})
        self.strategy: Strategy = strategy
        self.max_nodes = max_nodes
        self.nodes_per_update = integer(nodes_per_update, f"{what}: nodes_per_update", least=1)
        unit = " of seconds"
        self.look_every = number(look_every, f"{what}: look_every", least=0.0, most=inf, unit=unit)
        self.patience = number(patience, f"{what}: patience", least=0.0, unit=unit)
        within = target_range(reach, position, context, self._context_position, what)
        check_facts({} if facts is None else facts, f"{what}: its facts")
        beliefs = dict(facts or {})
        agent_counts(self.actions, self.goals, beliefs, f"{what}: ")
        self._planner = Planner(self)
        self.body = Body(f"{name}'s body", context)
        unsaved = UnsavedState(beliefs)
        self._memory = ExecutePlan(
            self.actions_by_name, self.goals_by_name, unsaved, self._planner, self.body
        )
        self.body.build(self.actions, travel, self._memory, within)
        self._build()

    @property
    def actions(self) -> tuple[GoapAction, ...]:
        """What it can do. May be set while it runs, but not from inside its own callbacks.

        A plan continues if all its actions are still there; otherwise the agent drops it and
        replans at once. Raises ValueError or TypeError as the constructor does, FsmError in a
        callback, and changes nothing then.
        """
        return self._actions

    @actions.setter
    def actions(self, actions: Iterable[GoapAction]) -> None:
        what = f"GoapAgent {self.name!r}"
        known = self._known(actions, can_travel=self.body.journey is not None)
        agent_counts(known.values(), self._goals, self.facts, f"{what}: ")
        if self.phase is not None or self.body.phase is not None:
            raise FsmError(
                f"{what}: its actions cannot be set from inside its own callbacks. "
                "Set them between two updates."
            )
        self._take_on(known)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What it may want. May be set while it runs: it turns to other goals at its next look.

        Raises ValueError or TypeError as the constructor does, and changes nothing then.
        """
        return self._goals

    @goals.setter
    def goals(self, goals: Iterable[Goal]) -> None:
        what = f"GoapAgent {self.name!r}"
        checked = goals_of(goals, what)
        known = by_name(with_fallbacks(checked), f"{what} has two goals")
        agent_counts(self._actions, checked, self.facts, f"{what}: ")
        self._goals = checked
        self.goals_by_name.clear()
        self.goals_by_name.update(known)
        self._memory.unsaved.search = None  # it may be for a former goal

    @property
    def facts(self) -> dict[str, FactValue]:
        """The beliefs of the agent: the facts without a sensor."""
        return self._memory.facts

    @property
    def goal(self) -> Goal | None:
        """The goal of its plan, or that it plans for."""
        return self._memory.known_goal()

    @property
    def plan(self) -> Plan:
        """The plan that it carries out; without one, a plan that was not found."""
        return self._memory.known_plan()

    @property
    def step(self) -> int:
        """The index of the current action of the plan; -1 before the first."""
        return self._memory.step

    @property
    def reservations(self) -> Sequence[Callable[[], object]]:
        """The functions that give back what the plan has reserved, in the order of reserving."""
        return self._memory.unsaved.reservations

    def why(self, world: Facts | None = None) -> Explanation:
        """Return why it does what it does: how its goals stand, its plan, what it leaves out.

        Its text is for people, its fields are for tools. It changes nothing, calls each sensor,
        `priority` and `wanted` at most once, and reports what they raise. `world` is a look at the
        world as returned by `sense`, by default a fresh one. Raises TypeError unless it is a
        mapping.

        >>> agent = GoapAgent("Keeper", actions=[], goals=[Goal("BeSafe", {"lit": True})])
        >>> agent.start()
        >>> agent.update(0.1)
        >>> print(agent.why())
        'Keeper' at 0.1 s: waits until 1.1 s before it plans again
        goals:
          BeSafe (priority 1): no plan: no action can bring about 'lit'; put off until 1.1 s
        """
        world = self.sense() if world is None else world
        if not isinstance(world, Mapping):
            raise TypeError(
                f"GoapAgent {self.name!r}: world must map facts to their values, got "
                f"{shown(world)}. Use world=agent.sense()."
            )
        return explained(self, self.goals, self._memory, world)

    def sense(self) -> Sensed:
        """Return a fresh look at the world."""
        return self._planner.sense(self.facts)

    def _context_position(self) -> Any:
        context: Any = self.context
        return context.position

    def _known(self, actions: Iterable[GoapAction], *, can_travel: bool) -> dict[str, GoapAction]:
        """Return actions by name; ValueError or TypeError if the agent cannot have them."""
        known = by_name(actions_in(actions), f"GoapAgent {self.name!r} has two actions")
        for action in known.values():
            if action.target is not None and not can_travel:
                raise ValueError(
                    f"GoapAgent {self.name!r}: {action.name!r} has a target, but there is no "
                    "travel= to get there. Give travel=, a function that makes the action to go."
                )
        return known

    def _take_on(self, known: Mapping[str, GoapAction]) -> None:
        """Replace the actions; those of a plan that continues stay as they are."""
        performing = self.body.performing(known.values())
        in_use = self.plan.actions if self.body.is_running else ()
        goes_on = all(known.get(action.name) is action for action in in_use)
        try:
            if not goes_on:
                self.body.stop()
        finally:
            self.body.take_on(performing, {each.name for each in in_use} if goes_on else ())
            self._actions = tuple(known.values())
            self.actions_by_name.clear()
            self.actions_by_name.update(known)
            self._memory.unsaved.search = None  # it may use former actions
            if not goes_on:
                self.send_event(PLAN_INVALID)

    def _build(self) -> None:
        no_goal, has_goal = self.add_state("NoGoal"), self.add_state("HasGoal")
        planning, waiting = self.add_state("Planning"), self.add_state("WaitingToPlan")
        executing, failed = self.add_state("Executing"), self.add_state("Failed")

        memory, planner = self._memory, self._planner
        no_goal.add_action(ChooseGoal(memory, planner))
        has_goal.add_action(TakeGoals(memory, planner))
        planning.add_action(MakePlan(memory, planner))
        waiting.add_action(WaitToPlan(memory, planner))
        executing.add_action(memory)

        no_goal.add_transition(GOAL, has_goal)
        has_goal.add_transition(PLAN, planning)
        planning.add_transition(PLAN_FOUND, executing)
        planning.add_transition(NO_PLAN, waiting)
        waiting.add_transition(RETRY, no_goal)
        executing.add_transition(DONE, no_goal)
        executing.add_transition(NO_GOAL, no_goal)
        executing.add_transition(BETTER_GOAL, has_goal)
        executing.add_transition(PLAN_INVALID, has_goal)
        executing.add_transition(FAILED, failed)
        failed.add_transition(FINISHED, waiting)
