"""Body: the machine inside an agent that carries out the actions of a plan, one after another.

It has the three states of the game F.E.A.R. (Jeff Orkin, "Three States and a Plan: The A.I. of
F.E.A.R.", 2006): go to a place, animate, use an object. For an action that has a target the body
goes there and uses it; one without a target is animated where the agent is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, TypeAlias

from fsmkit import FINISHED, Fsm, FsmAction
from fsmkit.goap.action import GoapAction
from fsmkit.goap.agent.perform import Perform, PerformInSequence
from fsmkit.goap.arguments import checked_members

GO_TO: Final = "GO_TO"
ANIMATE: Final = "ANIMATE"
DONE: Final = "DONE"
FAILED: Final = "FAILED"

MAX_TRANSITIONS: Final = 10_000
"""The limit for changes of state within one call, for plans whose steps take no time."""

Travel: TypeAlias = "Callable[[Callable[[], Any]], FsmAction[Any]]"
"""Makes the action that goes to a target, from a function that returns where the target is."""


class ChooseStep(FsmAction[Any]):
    """Turn to the next action of the plan: go to its target, or animate it; or finish."""

    def __init__(
        self, turn_to_next: Callable[[], GoapAction | None], performing: Sequence[Perform]
    ) -> None:
        self.turn_to_next = turn_to_next
        self.performing = performing

    @property
    def sends(self) -> Sequence[str]:
        return (GO_TO, ANIMATE, DONE)

    @property
    def finishes(self) -> Literal["at once"]:
        return "at once"

    def on_enter(self) -> None:
        action = self.turn_to_next()
        if action is None:
            self.fsm.send_event(DONE)
            return
        for perform in self.performing:
            perform.enabled = perform.name == action.name
        self.fsm.send_event(ANIMATE if action.target is None else GO_TO)


def new_body(name: str) -> Fsm[None]:
    """Return the machine that is to carry out plans, without its states."""
    return Fsm(name, on_unhandled="ignore", max_transitions=MAX_TRANSITIONS)


def build_body(
    body: Fsm[None],
    actions: Iterable[GoapAction],
    travel: Travel | None,
    turn_to_next: Callable[[], GoapAction | None],
    current: Callable[[], GoapAction],
) -> None:
    """Give `body` the states in which it carries out plans made of `actions`."""
    choose, go_to = body.add_state("Choose"), body.add_state("GoTo")
    use_object, animate = body.add_state("UseObject"), body.add_state("Animate")
    done, failed = body.add_state("Done", final=True), body.add_state("Failed", final=True)

    performing: list[Perform] = []
    for action in actions:
        if action.run is not None:
            state = animate if action.target is None else use_object
            perform = PerformInSequence if action.in_sequence else Perform
            performing.append(state.add_action(perform(action.name, _made(action, action.run))))
    choose.add_action(ChooseStep(turn_to_next, performing))
    if travel is not None:
        go_to.add_action(travel(lambda: _place(current())))

    choose.add_transition(GO_TO, go_to)
    choose.add_transition(ANIMATE, animate)
    choose.add_transition(DONE, done)
    go_to.add_transition(FINISHED, use_object)
    use_object.add_transition(FINISHED, choose)
    animate.add_transition(FINISHED, choose)
    body.add_global_transition(FAILED, failed)


def _made(action: GoapAction, run: Callable[[], Iterable[Any]]) -> tuple[FsmAction[Any], ...]:
    rule = f"GoapAction {action.name!r}: run must return FsmActions, got"
    return checked_members(run(), FsmAction, rule, "run=lambda: [TimedWait(1.0)]")


def _place(action: GoapAction) -> Any:
    return action.target() if callable(action.target) else action.target
