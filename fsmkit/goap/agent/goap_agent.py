"""GoapAgent: a machine that chooses a goal, plans for it and carries the plan out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, Generic

from fsmkit import FINISHED, Fsm
from fsmkit.core.types import ContextT
from fsmkit.goap.action import Facts, GoapAction, checked_actions, checked_facts
from fsmkit.goap.agent.body import DONE, FAILED, Travel, build_body
from fsmkit.goap.agent.executing import BETTER_GOAL, NO_GOAL, PLAN_INVALID, ExecutePlan
from fsmkit.goap.agent.search import Search
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
from fsmkit.goap.agent.unsaved import Passing
from fsmkit.goap.agent.wanted_goals import wishes
from fsmkit.goap.arguments import (
    by_name,
    checked_amount,
    checked_count,
    checked_function,
    checked_interval,
)
from fsmkit.goap.goal import Goal, checked_goals, with_fallbacks
from fsmkit.goap.plan import Plan
from fsmkit.goap.planning import Planning, Strategy, check_search
from fsmkit.goap.sensing import Sensed, Sensors, checked_sensors
from fsmkit.timing import TIME_TOLERANCE


class GoapAgent(Fsm[ContextT], Generic[ContextT]):
    """A machine that chooses a goal, plans for it and carries the plan out.

    Its states are NoGoal, HasGoal, Planning, WaitingToPlan, Executing and Failed. In Executing runs
    its `body`, a machine that goes to the target of each action and runs the action.

    `actions` are what it can do, `goals` what it may want. `sensors` tell facts of the world; a
    fact without a sensor is one that the agent believes: at first as `facts` say, then as the
    effects of its own actions have it. `travel` makes the action that goes to a target, of a
    function that gives it; it is needed as soon as an action has a target. An action that fails
    sends the event `"FAILED"`.

    Every `look_every` seconds it looks at the world. It plans anew when that has made the plan
    invalid, and chooses anew when its goal holds or is not wanted any more; for a better goal it
    plans beside what it does, and turns to it when there is a plan. After a failure, or if there is
    no plan for any goal, it waits for `patience` seconds; a plan that was carried out and has not
    brought about its goal is a failure too. `nodes_per_update` bounds how long a planning takes in
    one update, `max_nodes` how long it takes at all; `strategy` is that of `plan`.

    Raises ValueError or TypeError for what none of these can be: two actions or goals of the same
    name, a target without `travel`, a sensor that is no function, a time that is negative.

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
        what = f"GoapAgent {name!r}"
        check_search(strategy, max_nodes, what)
        self.actions = checked_actions(actions)
        self.actions_by_name = by_name(self.actions, f"{what} has two actions")
        self.goals = checked_goals(goals, what)
        self.goals_by_name = by_name(with_fallbacks(self.goals), f"{what} has two goals")
        self.sensors = dict(checked_sensors({} if sensors is None else sensors, what))
        self.strategy: Strategy = strategy
        self.max_nodes = max_nodes
        self.nodes_per_update = checked_count(nodes_per_update, f"{what}: nodes_per_update")
        self.look_every = checked_interval(look_every, f"{what}: look_every")
        self.patience = checked_amount(patience, f"{what}: patience")
        self._check_travel(travel)

        self._mind = ExecutePlan(self)
        self._mind.facts.update(checked_facts({} if facts is None else facts, f"{what}: its facts"))
        self._passing = Passing(self._mind.facts)
        self.body = build_body(
            f"{name}'s body",
            self.actions,
            travel,
            self._mind.turn_to_next,
            self._mind.current_action,
        )
        self._build()

    @property
    def facts(self) -> dict[str, bool]:
        """What it believes of facts that have no sensor."""
        return self._mind.facts

    @property
    def goal(self) -> Goal | None:
        """The goal that it plans for, or carries a plan out for."""
        return self._mind.known_goal()

    @property
    def plan(self) -> Plan:
        """The plan that it carries out; one that was not found if there is none."""
        return self._mind.known_plan()

    @property
    def step(self) -> int:
        """The index of the action of the plan that is under way; -1 before the first."""
        return self._mind.step

    @property
    def reservations(self) -> Sequence[Callable[[], object]]:
        """What gives back what the plan has reserved, in the order of reserving."""
        return self.passing.reservations.held

    # What the states do

    @property
    def passing(self) -> Passing:
        """What it is about and no snapshot holds."""
        if self._passing.facts is not self._mind.facts:
            self._passing = Passing(self._mind.facts)
        return self._passing

    def sense(self) -> Sensed:
        """A fresh look at the world."""
        return Sensed(self.sensors, self.facts)

    def forget(self) -> None:
        """Have no goal and no plan."""
        self._mind.forget()
        self.end_planning()

    def has_wanted_goal(self) -> bool:
        """Whether there is a goal that is wanted and does not hold."""
        world = self.sense()
        return any(goal.is_wanted(world) for goal in self.goals)

    def consider(self, better: Iterable[Goal], world: Facts) -> None:
        """Plan for goals that are better than the present one, unless that is under way."""
        hopeless, now = self._mind.hopeless, self.time + TIME_TOLERANCE
        hopeful = [goal for goal in better if hopeless.get(goal.name, -inf) <= now]
        search = self.passing.search
        if search is None or search.goal not in hopeful:
            self._search_for(hopeful, world)

    def has_found_plan(self) -> bool:
        """Whether a plan was found that is not carried out yet."""
        return self.passing.search is not None and self.passing.search.plan.found

    def go_on_planning(self) -> bool | None:
        """Plan a bit more; True once there is a plan, False if there is none, else None."""
        search = self.passing.search or self._search_for_what_is_wanted()
        found = search.go_on(self.nodes_per_update)
        self._mind.goal = search.goal.name if search.goal is not None else None
        if search.goal is not None and search.plan:
            self._mind.take(search.goal, search.plan)
        return found

    def end_planning(self) -> None:
        """Plan no more, for whatever it was."""
        self.passing.search = None

    # How it is made

    def _search_for_what_is_wanted(self) -> Search:
        world = self.sense()
        return self._search_for([wish.goal for wish in wishes(self.goals, world)], world)

    def _search_for(self, goals: Iterable[Goal], world: Facts) -> Search:
        def begin(goal: Goal) -> Planning:
            return Planning(
                self.actions,
                world,
                goal.conditions,
                strategy=self.strategy,
                max_nodes=self.max_nodes,
            )

        self.passing.search = Search(goals, begin, self._give_up)
        return self.passing.search

    def _give_up(self, goal: Goal) -> None:
        self._mind.hopeless[goal.name] = self.time + self.patience

    def _check_travel(self, travel: Travel | None) -> None:
        if travel is not None:
            checked_function(travel, f"GoapAgent {self.name!r}: travel", "lambda target: ...")
        for action in self.actions:
            if action.target is not None and travel is None:
                raise ValueError(
                    f"GoapAgent {self.name!r}: {action.name!r} has a target, but nothing says how "
                    "to get there. Give travel=, a function that makes the action which goes."
                )

    def _build(self) -> None:
        no_goal, has_goal = self.add_state("NoGoal"), self.add_state("HasGoal")
        planning, waiting = self.add_state("Planning"), self.add_state("WaitingToPlan")
        executing, failed = self.add_state("Executing"), self.add_state("Failed")

        no_goal.add_action(ChooseGoal(self))
        has_goal.add_action(TakeGoals(self))
        planning.add_action(MakePlan(self))
        waiting.add_action(WaitToPlan(self))
        executing.add_action(self._mind)

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
