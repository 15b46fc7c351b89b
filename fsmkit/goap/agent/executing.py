"""Executing: carrying out a plan, with an eye on the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from fsmkit import ERROR, FINISHED, Fsm, FsmAction
from fsmkit.goap.action import Facts, GoapAction
from fsmkit.goap.agent.body import DONE, FAILED

if TYPE_CHECKING:
    from fsmkit.goap.agent.goap_agent import GoapAgent

PLAN_INVALID: Final = "PLAN_INVALID"
BETTER_GOAL: Final = "BETTER_GOAL"


class ExecutePlan(FsmAction[Any]):
    """Run the agent's body until the plan is done or fails, or the world wants another one.

    Every `look_every` seconds it looks whether the rest of the plan still leads to the goal, and
    whether a better goal has appeared. What the plan has reserved is given back in reverse order
    when the state is left, whatever the reason.
    """

    def __init__(self, agent: GoapAgent[Any], body: Fsm[Any]) -> None:
        self.agent = agent
        self.body = body
        self.look_at = 0.0

    @property
    def sends(self) -> Sequence[str]:
        return (DONE, FAILED, PLAN_INVALID, BETTER_GOAL)

    @property
    def finishes(self) -> Literal["never"]:
        return "never"

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return (self.body,)

    def on_enter(self) -> None:
        self.look_at = self.fsm.time + self.agent.look_every
        if not self._reserve():
            self._give_back()
            self.fsm.send_event(FAILED)
            return
        try:
            self.body.start()
        except BaseException:
            self.on_exit()  # this action does not count as entered: nobody else would
            raise
        self._see_how_it_goes()

    def on_update(self) -> None:
        if self.fsm.time >= self.look_at:
            self.look_at = self.fsm.time + self.agent.look_every
            self._look()
        if not self.fsm.is_changing:
            self.body.update(self.fsm.delta_time)
            self._see_how_it_goes()

    def on_event(self, event: str, data: object) -> bool:
        if event in (FINISHED, ERROR) or self._body_is_at_its_end():
            return False
        taken = self.body.offer_event(event, data)
        self._see_how_it_goes()
        return taken

    def on_exit(self) -> None:
        try:
            self.body.stop()
        finally:
            self._give_back()

    def _see_how_it_goes(self) -> None:
        if self._body_is_at_its_end() and not self.fsm.is_changing:
            is_done = self.body.current_state is self.body.states["Done"]
            self.fsm.send_event(DONE if is_done else FAILED)

    def _body_is_at_its_end(self) -> bool:
        state = self.body.current_state
        return state is not None and state.final

    def _look(self) -> None:
        world = self.agent.sense()
        if self.agent.has_better_goal(world):
            self.fsm.send_event(BETTER_GOAL)
        elif not self.agent.still_leads_to_goal(world, is_going=self._is_going()):
            self.fsm.send_event(PLAN_INVALID)

    def _is_going(self) -> bool:
        return self.body.current_state is self.body.states["GoTo"]

    def _reserve(self) -> bool:
        """Reserve what the plan uses, in its order; False as soon as something is not to be had."""
        for action in self.agent.plan.actions:
            if action.reserve is not None:
                give_back = action.reserve()
                if give_back is None:
                    return False
                self.agent.reservations.append(give_back)
        return True

    def _give_back(self) -> None:
        errors: list[Exception] = []
        while self.agent.reservations:
            try:
                self.agent.reservations.pop()()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0] if len(errors) == 1 else ExceptionGroup("several failed", errors)


def leads_to(goal: Facts, actions: Sequence[GoapAction], world: Facts, *, skip: int) -> bool:
    """Whether `actions`, one after another, lead from `world` to `goal`.

    The preconditions of the first `skip` are not asked for: those are under way.
    """
    state: dict[str, bool] = {}
    for index, action in enumerate(actions):
        if index >= skip and not _holds(action.preconditions, state, world):
            return False
        state.update(action.effects)
    return _holds(goal, state, world)


def _holds(conditions: Facts, changed: Facts, world: Facts) -> bool:
    for fact, value in conditions.items():
        now = changed[fact] if fact in changed else world.get(fact, False)
        if now is not value:
            return False
    return True
