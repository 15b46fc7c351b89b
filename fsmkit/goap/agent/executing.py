"""Executing: carrying out a plan while watching the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final, Literal

from fsmkit import ERROR, FINISHED, Fsm, FsmAction
from fsmkit.core.errors import as_one
from fsmkit.goap.action import Conditions, Facts, GoapAction
from fsmkit.goap.agent.body import DONE, FAILED
from fsmkit.goap.agent.memory import AgentMemory
from fsmkit.goap.agent.planner import Planner
from fsmkit.goap.agent.unsaved import UnsavedState
from fsmkit.goap.agent.wanted_goals import better_than
from fsmkit.goap.goal import Goal
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

    An error on the way is raised to the caller, and the plan has failed.
    """

    def __init__(
        self,
        actions: Mapping[str, GoapAction],
        goals: Mapping[str, Goal],
        unsaved: UnsavedState,
        planner: Planner,
        body: Fsm[None],
    ) -> None:
        super().__init__(actions, goals, unsaved)
        self.planner = planner
        self.body = body
        self.look_at = 0.0

    @property
    def sends(self) -> Sequence[str]:
        return (DONE, FAILED, NO_GOAL, PLAN_INVALID, BETTER_GOAL)

    @property
    def finishes(self) -> Literal["never"]:
        return "never"

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return (self.body,)

    def offers_to(self, event: str) -> Sequence[FsmAction[Any] | Fsm[Any]]:
        return (self.body,) if self._hands_down(event) else ()

    def on_enter(self) -> None:
        self.look_at = self.fsm.time + self.planner.settings.look_every
        try:
            with self._failing_with_errors():
                self._reserve()
                if not self.fsm.is_changing:
                    self.body.start()
                    self._check_body()
            return
        except BaseException as error:
            failure = error
        # This action does not count as entered, so nobody else would clean up.
        self._end(failure)

    def on_update(self) -> None:
        with self._failing_with_errors():
            if not self.unsaved.reservations.were_made:
                self._reserve()
        if not self.fsm.is_changing and self.fsm.time + TIME_TOLERANCE >= self.look_at:
            self.look_at = self.fsm.time + self.planner.settings.look_every
            self._check_world()
        if not self.fsm.is_changing:
            self._plan_for_better_goal()
        with self._failing_with_errors():
            if not self.fsm.is_changing:
                self.body.update(self.fsm.delta_time)
                self._check_body()

    def on_event(self, event: str, data: object) -> bool:
        if not self._hands_down(event):
            return False
        with self._failing_with_errors():
            taken = self.body.offer_event(event, data)
            self._check_body()
        return taken

    def on_exit(self) -> None:
        self._end()

    # Beginning and ending

    def _reserve(self) -> None:
        """Reserve what the plan uses: on enter, and after a restore, when nothing is reserved.

        The snapshot may come from an agent that knew other actions.
        """
        plan = self.known_plan()
        if self.known_goal() is None or not plan:
            self.fsm.send_event(PLAN_INVALID)
        elif not self.unsaved.reservations.make(plan.actions):
            self.fsm.send_event(FAILED)

    def _end(self, *errors: BaseException) -> None:
        """Stop the body, give back what was reserved, and raise what failed after `errors`."""
        raised = list(errors)
        for call in chain((self.body.stop,), self.unsaved.reservations.release()):
            try:
                call()
            except BaseException as error:
                raised.append(error)
        if raised:
            raise as_one(raised, "several failed")

    @contextmanager
    def _failing_with_errors(self) -> Iterator[None]:
        """Let an error pass, and the plan fail in the next update unless ERROR led elsewhere."""
        try:
            yield
        except BaseException:
            self.fsm.send_event_after(0.0, FAILED)
            raise

    # Watching

    def _check_body(self) -> None:
        if self._body_has_ended() and not self.fsm.is_changing:
            self.fsm.send_event(DONE if self._has_reached_goal() else FAILED)

    def _hands_down(self, event: str) -> bool:
        """Whether the body gets the event."""
        return event not in (FINISHED, ERROR) and not self._body_has_ended()

    def _body_has_ended(self) -> bool:
        state = self.body.current_state
        return state is not None and state.final

    def _has_reached_goal(self) -> bool:
        goal = self.known_goal()
        is_done = self.body.current_state is self.body.states["Done"]
        return is_done and goal is not None and goal.holds(self.planner.sense(self.facts))

    def _check_world(self) -> None:
        world, goal = self.planner.sense(self.facts), self.known_goal()
        wanted = self.planner.wanted_goals(world)
        if goal is None or goal not in [each.goal for each in wanted]:
            self.fsm.send_event(NO_GOAL)
        elif not self._still_reaches(goal.conditions, world):
            self.fsm.send_event(PLAN_INVALID)
        else:
            self._consider(better_than(goal, wanted), world)

    def _still_reaches(self, conditions: Conditions, world: Facts) -> bool:
        is_under_way = self.body.current_state is not self.body.states["GoTo"]
        step = max(0, self.step)
        return self.known_plan().reaches(conditions, world, step, is_under_way=is_under_way)

    def _consider(self, better: Sequence[Goal], world: Facts) -> None:
        """Plan for goals that are better than the present one, unless that is under way."""
        goals = [goal for goal in better if self.may_try(goal)]
        search = self.unsaved.search
        if search is None or search.goal not in goals:
            self.planner.search(goals, world, self)

    def _plan_for_better_goal(self) -> None:
        """Look at a few nodes for better goals. The state Planning adopts the plan found."""
        search = self.unsaved.search
        if search is not None and search.step(self.planner.settings.nodes_per_update):
            self.fsm.send_event(BETTER_GOAL)
