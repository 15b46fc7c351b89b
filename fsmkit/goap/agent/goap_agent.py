"""GoapAgent: a machine that chooses a goal, plans for it and carries the plan out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic

from fsmkit import FINISHED, Fsm, FsmError
from fsmkit.core.types import ContextT
from fsmkit.goap.action import Facts, GoapAction, checked_actions, checked_facts
from fsmkit.goap.agent.body import DONE, FAILED, Body, Travel
from fsmkit.goap.agent.executing import BETTER_GOAL, NO_GOAL, PLAN_INVALID, ExecutePlan
from fsmkit.goap.agent.explaining import explained
from fsmkit.goap.agent.explanation import Explanation
from fsmkit.goap.agent.planner import Planner, counts_in
from fsmkit.goap.agent.reach import checked_reach
from fsmkit.goap.agent.thinking import (
    GOAL,
    NO_PLAN,
    PLAN,
    PLAN_FOUND,
    RETRY,
    ChooseGoal,
    MakePlan,
    TakeGoals,
    WaitToPlan,
)
from fsmkit.goap.agent.unsaved import UnsavedState
from fsmkit.goap.arguments import (
    by_name,
    checked_amount,
    checked_count,
    checked_function,
    checked_interval,
)
from fsmkit.goap.counts import Fact
from fsmkit.goap.goal import Goal, checked_goals, with_fallbacks
from fsmkit.goap.plan import Plan
from fsmkit.goap.planning import Strategy, check_search
from fsmkit.goap.sensing import Sensed, Sensors, checked_sensors


class GoapAgent(Fsm[ContextT], Generic[ContextT]):
    """A machine that chooses a goal, plans for it and carries the plan out.

    Its states are NoGoal, HasGoal, Planning, WaitingToPlan, Executing and Failed. In Executing it
    runs its `body`, a machine that goes to the target of each action and runs the action.

    `actions` are what it can do, `goals` what it may want. `sensors` report facts of the world; a
    fact without a sensor is a belief of the agent: at first from `facts`, then changed by the
    effects of its own actions. `travel` makes the action that goes to a target, from a function
    that returns the target; it is required if an action has a target. An action that fails sends
    the event `"FAILED"`.

    A journey fails if the action that travels has finished and says that it is `blocked`, as
    `FollowPath` does; or if the target is gone, that is, None or an error of its function. If the
    target has moved, the action is asked to `replan()`, or exited and entered again if it has no
    such method. With `reach`, in units, a journey ends as soon as the target is within reach, and
    only there it is used; otherwise the agent goes there again, and the use begins anew. `position`
    returns where the agent is; without it the `context` has a `position`.

    Every `look_every` seconds it looks at the world, and where the target is. It replans when the
    world has made the plan invalid, and chooses again when its goal holds or is no longer wanted;
    for a better goal it plans while it goes on, and turns to it when there is a plan. After a
    failure, or if there is no plan for any goal, it waits for `patience` seconds; a plan that was
    carried out without bringing about its goal is a failure too. The action that is to blame is
    left out of planning, for 2, 4, 8, ... and at most 64 times `patience` as failures follow one
    another. `why` tells all of that. `nodes_per_update` limits the planning in one update,
    `max_nodes` all the planning for a goal; `strategy` is that of `plan`.

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
        travel: Travel | None = None,
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
        self._actions = checked_actions(actions)
        self.actions_by_name = by_name(self._actions, f"{what} has two actions")
        self._goals = checked_goals(goals, what)
        self.goals_by_name = by_name(with_fallbacks(self._goals), f"{what} has two goals")
        """The goals and their fallbacks."""
        self.sensors = dict(checked_sensors({} if sensors is None else sensors, what))
        self.strategy: Strategy = strategy
        self.max_nodes = max_nodes
        self.nodes_per_update = checked_count(nodes_per_update, f"{what}: nodes_per_update")
        self.look_every = checked_interval(look_every, f"{what}: look_every")
        self.patience = checked_amount(patience, f"{what}: patience")
        if travel is not None:
            checked_function(travel, f"{what}: travel", "lambda target: ...", arguments=1)
        self._check_targets(self._actions, travel is not None)
        within = checked_reach(reach, position, context, self._context_position, what)

        beliefs: dict[str, Fact] = dict(
            checked_facts({} if facts is None else facts, f"{what}: its facts")
        )
        counts_in(self.actions, self.goals, beliefs, f"{what}: ")
        self._planner = Planner(self)
        self.body = Body(f"{name}'s body", context)
        self._memory = ExecutePlan(
            self.actions_by_name,
            self.goals_by_name,
            UnsavedState(beliefs),
            self._planner,
            self.body,
        )
        self.body.build(self.actions, travel, self._memory, within)
        self._build()

    @property
    def actions(self) -> tuple[GoapAction, ...]:
        """What it can do. May be set while it runs, but not from inside its own callbacks.

        A plan that uses none of the actions that are gone is carried on with. Any other one is
        broken off, and made anew at once. Raises ValueError or TypeError as the constructor does,
        FsmError in a callback, and has changed nothing then.
        """
        return self._actions

    @actions.setter
    def actions(self, actions: Iterable[GoapAction]) -> None:
        what = f"GoapAgent {self.name!r}"
        checked = checked_actions(actions)
        known = by_name(checked, f"{what} has two actions")
        self._check_targets(checked, self.body.journey is not None)
        counts_in(checked, self._goals, self.facts, f"{what}: ")
        if self.phase is not None or self.body.phase is not None:
            raise FsmError(
                f"{what}: its actions cannot be set from inside its own callbacks. "
                "Set them between two updates."
            )
        self._take_on(checked, known)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What it may want. May be set while it runs: it turns to other goals at its next look.

        Raises ValueError or TypeError as the constructor does, and has changed nothing then.
        """
        return self._goals

    @goals.setter
    def goals(self, goals: Iterable[Goal]) -> None:
        what = f"GoapAgent {self.name!r}"
        checked = checked_goals(goals, what)
        known = by_name(with_fallbacks(checked), f"{what} has two goals")
        counts_in(self._actions, checked, self.facts, f"{what}: ")
        self._goals = checked
        self.goals_by_name.clear()
        self.goals_by_name.update(known)
        self._memory.unsaved.search = None  # it may be for a goal of before

    @property
    def facts(self) -> dict[str, Fact]:
        """The facts without a sensor, as the agent believes them to be."""
        return self._memory.facts

    @property
    def goal(self) -> Goal | None:
        """The goal that it plans for, or carries a plan out for."""
        return self._memory.known_goal()

    @property
    def plan(self) -> Plan:
        """The plan that it carries out; one that was not found if there is none."""
        return self._memory.known_plan()

    @property
    def step(self) -> int:
        """The index of the action of the plan that is under way; -1 before the first."""
        return self._memory.step

    @property
    def reservations(self) -> Sequence[Callable[[], object]]:
        """The functions that give back what the plan has reserved, in the order of reserving."""
        return self._memory.unsaved.reservations.held

    def why(self, world: Facts | None = None) -> Explanation:
        """Return why it does what it does: how its goals stand, its plan, what it leaves out.

        Its text is made for reading, its fields for tools. Nothing changes by it. It asks each
        sensor, `priority` and `wanted` at most once, and tells what they raise. `world` is a look
        at the world as `sense` returns, by default a fresh one. Raises TypeError for another.

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
                f"GoapAgent {self.name!r}: world must map facts to their values, got {world!r}. "
                "Use world=agent.sense()."
            )
        return explained(self, self.goals, self._memory, world)

    def sense(self) -> Sensed:
        """Return a fresh look at the world."""
        return self._planner.sense(self.facts)

    def _context_position(self) -> Any:
        context: Any = self.context
        return context.position

    def _take_on(self, actions: tuple[GoapAction, ...], known: Mapping[str, GoapAction]) -> None:
        """Have other actions from now on. What the plan goes on with is left as it is."""
        performing = self.body.performing(actions)
        in_use = self.plan.actions if self.body.is_running else ()
        goes_on = all(known.get(action.name) is action for action in in_use)
        try:
            if not goes_on:
                self.body.stop()
        finally:
            self.body.take_on(performing, {each.name for each in in_use} if goes_on else ())
            self._actions = actions
            self.actions_by_name.clear()
            self.actions_by_name.update(known)
            self._memory.unsaved.search = None  # it may be with actions of before
            if not goes_on:
                self.send_event(PLAN_INVALID)

    def _check_targets(self, actions: Iterable[GoapAction], can_travel: bool) -> None:
        for action in actions:
            if action.target is not None and not can_travel:
                raise ValueError(
                    f"GoapAgent {self.name!r}: {action.name!r} has a target, but there is no "
                    "travel= to get there. Give travel=, a function that makes the action to go."
                )

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
