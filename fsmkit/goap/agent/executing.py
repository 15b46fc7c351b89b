"""Executing: carrying out a plan, with an eye on the world."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal

from fsmkit import ERROR, FINISHED, Fsm
from fsmkit.goap.action import Facts
from fsmkit.goap.agent.body import DONE, FAILED
from fsmkit.goap.agent.failing import errors_of, raise_together
from fsmkit.goap.agent.leading import leads_to
from fsmkit.goap.agent.memory import Mind
from fsmkit.goap.agent.wanted_goals import better_than, wishes
from fsmkit.timing import TIME_TOLERANCE

if TYPE_CHECKING:
    from fsmkit.goap.agent.goap_agent import GoapAgent

PLAN_INVALID: Final = "PLAN_INVALID"
BETTER_GOAL: Final = "BETTER_GOAL"
NO_GOAL: Final = "NO_GOAL"


class ExecutePlan(Mind):
    """Run the agent's body until the plan is done or fails, or the world wants another one.

    Every `look_every` seconds it looks whether the goal is still wanted, whether the rest of the
    plan still leads there, and whether there are better goals: for those it plans beside, and
    breaks off only when there is a plan. What the plan has reserved is given back in reverse order
    when the state is left, whatever the reason.

    An error on the way goes to the caller, and the plan has failed.
    """

    def __init__(self, agent: GoapAgent[Any]) -> None:
        super().__init__(agent.actions_by_name, agent.goals_by_name)
        self.agent = agent
        self.look_at = 0.0

    @property
    def sends(self) -> Sequence[str]:
        return (DONE, FAILED, NO_GOAL, PLAN_INVALID, BETTER_GOAL)

    @property
    def finishes(self) -> Literal["never"]:
        return "never"

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return (self.agent.body,)

    def on_enter(self) -> None:
        self.look_at = self.fsm.time + self.agent.look_every
        try:
            with self._failing_with_errors():
                self._get_ready()
                if not self.fsm.is_changing:
                    self.agent.body.start()
                    self._see_how_it_goes()
        except BaseException as error:
            # This action does not count as entered, so nobody else would tidy up.
            raise_together([error, *self._end()])

    def on_update(self) -> None:
        with self._failing_with_errors():
            if not self.agent.passing.reservations.were_made:
                self._get_ready()
        if not self.fsm.is_changing and self.fsm.time + TIME_TOLERANCE >= self.look_at:
            self.look_at = self.fsm.time + self.agent.look_every
            self._look()
        if not self.fsm.is_changing:
            self._plan_beside()
        with self._failing_with_errors():
            if not self.fsm.is_changing:
                self.agent.body.update(self.fsm.delta_time)
                self._see_how_it_goes()

    def on_event(self, event: str, data: object) -> bool:
        if event in (FINISHED, ERROR) or self._body_is_at_its_end():
            return False
        with self._failing_with_errors():
            taken = self.agent.body.offer_event(event, data)
            self._see_how_it_goes()
        return taken

    def on_exit(self) -> None:
        raise_together(self._end())

    # Beginning and ending

    def _get_ready(self) -> None:
        """Reserve what the plan uses: on enter, and after a restore, when nothing is reserved.

        The snapshot may come from an agent that knew other actions.
        """
        plan = self.known_plan()
        if self.known_goal() is None or not plan:
            self.fsm.send_event(PLAN_INVALID)
        elif not self.agent.passing.reservations.make(plan.actions):
            self.fsm.send_event(FAILED)

    def _end(self) -> list[BaseException]:
        """Stop the body and give back what was reserved; the errors of doing so."""
        return [*errors_of([self.agent.body.stop]), *self.agent.passing.reservations.give_back()]

    @contextmanager
    def _failing_with_errors(self) -> Iterator[None]:
        """Let an error go on, and the plan fail in the next update unless ERROR led elsewhere."""
        try:
            yield
        except BaseException:
            self.fsm.send_event_after(0.0, FAILED)
            raise

    # Watching

    def _see_how_it_goes(self) -> None:
        if self._body_is_at_its_end() and not self.fsm.is_changing:
            self.fsm.send_event(DONE if self._has_reached_goal() else FAILED)

    def _body_is_at_its_end(self) -> bool:
        state = self.agent.body.current_state
        return state is not None and state.final

    def _has_reached_goal(self) -> bool:
        body, goal = self.agent.body, self.known_goal()
        is_done = body.current_state is body.states["Done"]
        return is_done and goal is not None and goal.holds(self.agent.sense())

    def _look(self) -> None:
        world, goal = self.agent.sense(), self.known_goal()
        wanted = wishes(self.agent.goals, world)
        if goal is None or goal not in [wish.goal for wish in wanted]:
            self.fsm.send_event(NO_GOAL)
        elif not self._still_leads_to(goal.conditions, world):
            self.fsm.send_event(PLAN_INVALID)
        else:
            self.agent.consider(better_than(goal, wanted), world)

    def _still_leads_to(self, conditions: Facts, world: Facts) -> bool:
        body = self.agent.body
        is_going = body.current_state is body.states["GoTo"]
        rest = self.known_plan().actions[max(0, self.step) :]
        return leads_to(conditions, rest, world, skip=0 if is_going else 1)

    def _plan_beside(self) -> None:
        """Plan a bit for better goals. What is found is taken up by the state Planning."""
        search = self.agent.passing.search
        if search is not None and search.go_on(self.agent.nodes_per_update):
            self.fsm.send_event(BETTER_GOAL)
