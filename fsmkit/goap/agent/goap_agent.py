"""GoapAgent: a machine that chooses a goal, plans for it and carries the plan out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import Any, Generic

from fsmkit import FINISHED, Fsm
from fsmkit.context import ContextT
from fsmkit.goap.action import Facts, GoapAction, checked_actions, checked_facts
from fsmkit.goap.agent.body import DONE, FAILED, Travel, build_body
from fsmkit.goap.agent.executing import BETTER_GOAL, PLAN_INVALID, ExecutePlan, leads_to
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
from fsmkit.goap.goal import Goal
from fsmkit.goap.plan import Plan
from fsmkit.goap.planning import Planning, Strategy
from fsmkit.goap.sensing import Sensed, Sensors

NO_PLAN_YET = Plan(False)


class GoapAgent(Fsm[ContextT], Generic[ContextT]):
    """A machine that chooses a goal, plans for it and carries the plan out.

    Its states are NoGoal, HasGoal, Planning, WaitingToPlan, Executing and Failed. In Executing runs
    its `body`, a machine that goes to the target of each action and runs the action.

    `actions` are what it can do, `goals` what it may want. `sensors` tell facts of the world; a
    fact without a sensor is one that the agent believes: at first as `facts` say, then as the
    effects of its own actions have it. `travel` makes the action that goes to a target, of a
    function that gives it; it is needed as soon as an action has a target. An action that fails
    sends the event `"FAILED"`.

    It plans anew when the world has made the plan invalid and when a better goal has appeared, for
    which it looks every `look_every` seconds; and after a failure, or if there is no plan for any
    goal, when `patience` seconds have passed. `nodes_per_update` bounds how long a planning takes
    in one update, `max_nodes` how long it takes at all; `strategy` is that of `plan`.

    Raises ValueError for two actions of the same name, and for a target without `travel`;
    TypeError for what is no action and no goal.

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
        strategy: Strategy = "optimal",
        max_nodes: int | None = 10_000,
        nodes_per_update: int = 200,
        look_every: float = 0.5,
        patience: float = 1.0,
    ) -> None:
        super().__init__(name, context, on_unhandled="ignore")
        self.actions = checked_actions(actions)
        self.goals = tuple(goals)
        self.sensors = dict(sensors or {})
        self.facts = dict(checked_facts(facts or {}, f"The facts of {name!r}"))
        """What it believes of facts that have no sensor."""
        self.strategy: Strategy = strategy
        self.max_nodes = max_nodes
        self.nodes_per_update = nodes_per_update
        self.look_every = look_every
        self.patience = patience

        self.goal: Goal | None = None
        """The goal that it plans for, or carries a plan out for."""
        self.plan = NO_PLAN_YET
        """The plan that was made last."""
        self.step = -1
        """The index of the action of the plan that is under way; -1 before the first."""
        self.reservations: list[Callable[[], object]] = []
        """What gives back what the plan has reserved, in the order of reserving."""
        self._candidates: list[Goal] = []
        self._world = self.sense()
        self._planning: Planning | None = None
        self._hopeless: dict[str, float] = {}
        """Name of a goal that had no plan -> until when it is not tried instead of another."""

        self._check(travel)
        self.body = build_body(
            f"{name}'s body", self.actions, travel, self._turn_to_next, self._current_action
        )
        self._build()

    # What the states do

    def sense(self) -> Sensed:
        """A fresh look at the world."""
        return Sensed(self.sensors, self.facts)

    def forget(self) -> None:
        """Have no goal and no plan."""
        self.goal = None
        self.plan = NO_PLAN_YET
        self.step = -1

    def has_wanted_goal(self) -> bool:
        """Whether there is a goal that is wanted and does not hold."""
        world = self.sense()
        return any(goal.is_wanted(world) for goal in self.goals)

    def take_goals(self) -> None:
        """Look at the world, and take what is wanted as candidates, each with its fallbacks."""
        self._world = self.sense()
        wanted = [goal for goal in self.goals if goal.is_wanted(self._world)]
        wanted.sort(key=Goal.current_priority, reverse=True)
        chains = [member for goal in wanted for member in goal.chain()]
        self._candidates = [goal for goal in chains if goal.is_wanted(self._world)]
        self._planning = None

    def go_on_planning(self) -> bool | None:
        """Plan a bit more; True once there is a plan, False if there is none, else None."""
        nodes = self.nodes_per_update
        while nodes > 0:
            if self._planning is None:
                if not self._candidates:
                    return False
                self.goal = self._candidates.pop(0)
                self._planning = self._plan_for(self.goal)
            before = self._planning.nodes
            if not self._planning.step(nodes):
                return None
            nodes -= self._planning.nodes - before
            if self._take_plan(self._planning.plan or NO_PLAN_YET):
                return True
        return None

    def cancel_planning(self) -> None:
        """End a planning that is under way."""
        if self._planning is not None:
            self._planning.cancel()
            self._planning = None

    def has_better_goal(self, world: Facts) -> bool:
        """Whether a goal is wanted that is more important than the present one, and has hope."""
        present = self.goal.current_priority() if self.goal is not None else -inf
        return any(
            goal.current_priority() > present
            and self._hopeless.get(goal.name, -inf) < self.time
            and goal.is_wanted(world)
            for goal in self.goals
        )

    def still_leads_to_goal(self, world: Facts, *, is_going: bool) -> bool:
        """Whether the rest of the plan leads to the goal from `world`."""
        assert self.goal is not None
        rest = self.plan.actions[max(0, self.step) :]
        return leads_to(self.goal.conditions, rest, world, skip=0 if is_going else 1)

    # What the body asks for

    def _current_action(self) -> GoapAction:
        return self.plan.actions[self.step]

    def _turn_to_next(self) -> GoapAction | None:
        """Believe in what has been done, and turn to the next action; None behind the last."""
        if self.step >= 0:
            self.facts.update(self._current_action().effects)
        if self.step + 1 == len(self.plan.actions):
            return None
        self.step += 1
        return self._current_action()

    # How it is made

    def _plan_for(self, goal: Goal) -> Planning:
        return Planning(
            self.actions,
            self._world,
            goal.conditions,
            strategy=self.strategy,
            max_nodes=self.max_nodes,
        )

    def _take_plan(self, plan: Plan) -> bool:
        self.plan, self.step, self._planning = plan, -1, None
        if not plan.found and self.goal is not None:
            self._hopeless[self.goal.name] = self.time + self.patience
        return plan.found

    def _check(self, travel: Travel | None) -> None:
        for goal in self.goals:
            if not isinstance(goal, Goal):
                raise TypeError(f"{self.name!r}: goals are Goal(...) objects, not {goal!r}.")
        names = [action.name for action in self.actions]
        for action in self.actions:
            if names.count(action.name) > 1:
                raise ValueError(
                    f"{self.name!r} has two actions called {action.name!r}. Rename one."
                )
            if action.target is not None and travel is None:
                raise ValueError(
                    f"{self.name!r}: {action.name!r} has a target, but nothing says how to get "
                    "there. Give travel=, a function that makes the action which goes."
                )

    def _build(self) -> None:
        no_goal, has_goal = self.add_state("NoGoal"), self.add_state("HasGoal")
        planning, waiting = self.add_state("Planning"), self.add_state("WaitingToPlan")
        executing, failed = self.add_state("Executing"), self.add_state("Failed")

        no_goal.add_action(ChooseGoal(self))
        has_goal.add_action(TakeGoals(self))
        planning.add_action(MakePlan(self))
        waiting.add_action(WaitToPlan(self))
        executing.add_action(ExecutePlan(self, self.body))

        no_goal.add_transition(GOAL, has_goal)
        has_goal.add_transition(PLAN, planning)
        planning.add_transition(PLAN_FOUND, executing)
        planning.add_transition(NO_PLAN, waiting)
        waiting.add_transition(RETRY, no_goal)
        executing.add_transition(DONE, no_goal)
        executing.add_transition(BETTER_GOAL, has_goal)
        executing.add_transition(PLAN_INVALID, has_goal)
        executing.add_transition(FAILED, failed)
        failed.add_transition(FINISHED, waiting)
