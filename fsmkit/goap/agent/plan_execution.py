"""ExecutePlan: carrying out a plan while watching the world."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from itertools import chain
from typing import Any, Final, Literal, cast

from fsmkit import ERROR, FAILED, FINISHED, Fsm, FsmAction
from fsmkit.core.errors import as_one
from fsmkit.goap.agent.body import DONE, Body, Perform
from fsmkit.goap.agent.goal_search import better_than
from fsmkit.goap.agent.memory import AgentMemory, UnsavedState, describe_error, shortened
from fsmkit.goap.agent.planner import Planner
from fsmkit.goap.domain import Goal, GoapAction
from fsmkit.goap.facts import Conditions, Effect, Facts, FactValue, changed, is_met, leads_to
from fsmkit.timing import TIME_TOLERANCE

PLAN_INVALID: Final = "PLAN_INVALID"
BETTER_GOAL: Final = "BETTER_GOAL"
NO_GOAL: Final = "NO_GOAL"


class ExecutePlan(AgentMemory):
    """Run the agent's body until the plan is done, fails, or no longer suits the world.

    Every `look_every` seconds it checks whether the goal is still wanted, whether the rest of the
    plan still leads there, and whether there are better goals: it plans for those meanwhile, and
    breaks off only when there is a plan. Reservations of the plan are given back in reverse order
    when the state is exited, whatever the reason.

    An error on the way is raised to the caller, and the plan fails.
    """

    @property
    def sends(self) -> Sequence[str]:
        return (DONE, FAILED, NO_GOAL, PLAN_INVALID, BETTER_GOAL)

    @property
    def finishes(self) -> Literal["never"]:
        return "never"

    def __init__(
        self,
        actions: Mapping[str, GoapAction],
        goals: Mapping[str, Goal],
        unsaved: UnsavedState,
        planner: Planner,
        body: Body,
    ) -> None:
        super().__init__(actions, goals, unsaved)
        self.planner = planner
        self.body = body
        self.look_at = 0.0

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return (self.body,)

    def _offers_to_(self, event: str) -> Sequence[FsmAction[Any] | Fsm[Any]]:
        return (self.body,) if self._hands_down(event) else ()

    def on_enter(self) -> None:
        self.look_at = self.fsm.time + self.planner.settings.look_every
        self.body.context = self.fsm.context
        try:
            self._reserve()
            if not self.fsm.is_changing:
                self._carry_on(self.body.begin)
            return
        except BaseException as error:
            failure = error
        # This action does not count as entered, so nothing else would clean up.
        self._end(failure)

    def on_update(self) -> None:
        if not self.unsaved.has_reserved:
            self._reserve()
        looks = not self.fsm.is_changing and self.fsm.time + TIME_TOLERANCE >= self.look_at
        if looks:
            self.look_at = self.fsm.time + self.planner.settings.look_every
            self._check_world()
        if not self.fsm.is_changing:
            self._plan_for_better_goal()
        if not self.fsm.is_changing:
            self._carry_on(self.body.advance, self.fsm.delta_time, looks)

    def on_event(self, event: str, data: object) -> bool:
        if not self._hands_down(event):
            return False
        return bool(self._carry_on(self.body.take_event, event, data))

    def on_exit(self) -> None:
        if self.fault is None:
            self.count_successes(self.done_actions())
        self._end()

    # Beginning and ending

    def _reserve(self) -> None:
        """Reserve what the plan uses: on enter, and after a restore.

        The snapshot may come from an agent with other actions.
        """
        plan, unsaved = self.known_plan(), self.unsaved
        if self.known_goal() is None or not plan:
            self.fsm.send_event(PLAN_INVALID)
            return
        unsaved.has_reserved = True
        reserved: set[str] = set()
        for action in plan.actions:
            try:
                has_it = unsaved.reserve(action)
            except BaseException as error:
                self._fail_with(error, action.name)
                raise
            if not has_it and action.name not in reserved:  # unless it holds that already
                self.blame(action.name, "could not be reserved")
                self.fsm.send_event(FAILED)
                return
            reserved.add(action.name)

    def _end(self, *errors: BaseException) -> None:
        """Stop the body, give back what was reserved; raise `errors` and any from doing so."""
        raised = list(errors)
        for call in chain((self.body.stop,), self.unsaved.release()):
            try:
                call()
            except BaseException as error:
                raised.append(error)
        if raised:
            self._take_raised_on_exit()
            raise as_one(raised, "several failed")

    def _carry_on(self, call: Callable[..., Any], *arguments: object) -> Any:
        """Make a call to the body, check whether that ends the plan, and return its result."""
        try:
            result = call(*arguments)
        except BaseException as error:
            self._fail_with(error, self._take_raised_on_exit() or self.current_name())
            raise
        try:
            self._check_body()
        except BaseException as error:
            self._fail_with(error)
            raise
        return result

    def _fail_with(self, error: BaseException, action: str | None = None) -> None:
        """Let the plan fail in the next update, unless ERROR leads elsewhere."""
        is_a_fault = isinstance(error, Exception)  # Ctrl-C does not count
        self.blame(action if is_a_fault else None, describe_error(error))
        self.fsm.send_event_after(0.0, FAILED)

    def _take_raised_on_exit(self) -> str | None:
        """Return the name of an action that has raised on exit, and clear the mark.

        The action is complete, and the body has turned to the next one.
        """
        name: str | None = None
        for action in chain.from_iterable(state.actions for state in self.body.states.values()):
            if isinstance(action, Perform) and action.raised_on_exit:
                action.raised_on_exit = False
                name = action.name
        return name

    # Watching

    def _check_body(self) -> None:
        if not self._body_has_ended() or self.fsm.is_changing:
            return
        if self.body.current_state is self.body.states["Failed"]:
            self.blame(self.current_name(), self._how_it_failed())
            self.fsm.send_event(FAILED, self.body.failure)
            return
        goal = self.known_goal()
        if goal is None:  # the goals of the agent have changed
            self.fsm.send_event(NO_GOAL)
            return
        world = self.planner.sense(self.facts)
        if goal.again_after is not None or goal.holds(world):
            self.doubted = None
            self.count_successes(self.plan or ())
            self.reach(goal)
            self.fsm.send_event(DONE)
        else:
            self.blame(*self._unfulfilled(goal, world))
            self.fsm.send_event(FAILED)

    def _how_it_failed(self) -> str:
        said = self.body.failure
        if isinstance(said, str) and said:
            return f"failed: {shortened(said)}"
        is_on_its_way = self.body.previous_state is self.body.states["GoTo"]
        return "could not get to its target" if is_on_its_way else "failed"

    def _unfulfilled(self, goal: Goal, world: Facts) -> tuple[str | None, str]:
        """Return the last action that claims an unmet condition of `goal`, and why it failed."""
        missing = {
            fact: value
            for fact, value in goal.conditions.items()
            if not is_met(value, world.get(fact, False))
        }
        for action in reversed(self.known_plan().actions):
            for fact, value in missing.items():
                if fact in action.effects and leads_to(action.effects[fact], value):
                    return action.name, f"was done, but {fact!r} is {world.get(fact, False)}"
        return None, f"all was done, but {', '.join(map(repr, missing))} did not come about"

    def _hands_down(self, event: str) -> bool:
        return event not in (FINISHED, ERROR) and not self._body_has_ended()

    @property
    def is_failing(self) -> bool:
        return self.body.is_changing

    def _body_has_ended(self) -> bool:
        state = self.body.current_state
        return state is not None and state.final

    def _check_world(self) -> None:
        world, goal = self.planner.look(self), self.known_goal()
        wanted = self.planner.wanted_goals(world, self)
        if goal is None or goal not in [each.goal for each in wanted]:
            self.fsm.send_event(NO_GOAL)
        elif not self._still_reaches(goal.conditions, world):
            self.doubt(self._done_in_vain(goal, world), self.planner.settings.patience)
            self.fsm.send_event(PLAN_INVALID)
        else:
            self._consider(better_than(goal, wanted), world)

    def _done_in_vain(self, goal: Goal, world: Facts) -> tuple[str, str] | None:
        """Return the last completed action with an effect that does not hold, and why; or None."""
        later: set[str] = set()
        for index in reversed(range(max(0, self.step))):
            action = self.known_plan().actions[index]
            for fact, effect in action.effects.items():
                if isinstance(effect, bool):
                    is_missing = fact not in later and world.get(fact, False) is not effect
                else:
                    is_missing = self._is_missing(fact, effect, goal, world, index)
                if is_missing:
                    return action.name, f"was done, but {fact!r} is {world.get(fact, False)}"
                later.add(fact)
        return None

    def _is_missing(self, fact: str, effect: Effect, goal: Goal, world: Facts, index: int) -> bool:
        """Return True if with that effect on a count the plan would reach `goal` after `index`.

        The count itself says nothing: some may have been used up since.
        """
        then = {fact: changed(world.get(fact, 0), effect)}
        with_it = ChainMap(then, cast("MutableMapping[str, FactValue]", world))  # it is only read
        return self.known_plan().reaches(goal.conditions, with_it, index + 1)

    def _still_reaches(self, conditions: Conditions, world: Facts) -> bool:
        is_under_way = self.body.current_state is not self.body.states["GoTo"]
        step = max(0, self.step)
        return self.known_plan().reaches(conditions, world, step, is_under_way=is_under_way)

    def _consider(self, better: Sequence[Goal], world: Facts) -> None:
        """Plan for better goals than the current one, unless a search for one is under way."""
        goals = [goal for goal in better if self.may_try(goal)]
        search = self.unsaved.search
        if search is None or search.goal not in goals:
            self.planner.search(goals, world, self)

    def _plan_for_better_goal(self) -> None:
        search = self.unsaved.search
        if search is not None and search.step(self.planner.settings.nodes_per_update):
            self.fsm.send_event(BETTER_GOAL)
