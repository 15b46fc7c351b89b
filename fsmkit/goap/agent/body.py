"""Body: the machine inside an agent that carries out the actions of a plan, one after another.

It has the three states of the game F.E.A.R. (Jeff Orkin, "Three States and a Plan: The A.I. of
F.E.A.R.", 2006): go to a place, animate, use an object. An action that has a target is gone to and
then used; one without is animated where the agent is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from fsmkit import FINISHED, Fsm, FsmAction
from fsmkit.goap.action import GoapAction

GO_TO: Final = "GO_TO"
ANIMATE: Final = "ANIMATE"
DONE: Final = "DONE"
FAILED: Final = "FAILED"

MOST_STEPS: Final = 10_000
"""How many changes of state the steps of a plan that take no time may come to."""

Travel: TypeAlias = "Callable[[Callable[[], Any]], FsmAction[Any]]"
"""Makes the action that goes to a target; it is given a function that says where that is."""


class Perform(FsmAction[Any]):
    """Run the actions of the GoapAction whose turn it is, side by side, until all have finished.

    The actions of every GoapAction are its children from the beginning; only those whose turn it
    is are entered.
    """

    def __init__(
        self, made: Mapping[str, Sequence[FsmAction[Any]]], current: Callable[[], GoapAction]
    ) -> None:
        self.made = made
        self.current = current
        self.entered: list[int] = []

    @property
    def children(self) -> Sequence[FsmAction[Any]]:
        return [action for actions in self.made.values() for action in actions]

    def on_enter(self) -> None:
        self.entered = []
        chosen = self.made.get(self.current().name, ())
        for index, child in enumerate(self.children):
            if any(child is other for other in chosen) and child.enabled:
                self._enter(index, child)
                if self.fsm.is_changing:
                    return
        self._finish_with_the_last()

    def on_update(self) -> None:
        for index in self.entered:
            self.update_child(self.children[index])
            if self.fsm.is_changing:
                return
        self._finish_with_the_last()

    def on_event(self, event: str, data: object) -> bool:
        return any(self.children[index].on_event(event, data) for index in tuple(self.entered))

    def on_exit(self) -> None:
        errors = []
        for index in self.entered:
            try:
                self.exit_child(self.children[index])
            except Exception as error:
                errors.append(error)
        self.entered = []
        if errors:
            raise errors[0] if len(errors) == 1 else ExceptionGroup("several failed", errors)

    def _enter(self, index: int, child: FsmAction[Any]) -> None:
        try:
            self.enter_child(child)
        except BaseException:
            self.on_exit()  # this action does not count as entered: nobody else would
            raise
        self.entered.append(index)

    def _finish_with_the_last(self) -> None:
        if all(self.children[index].finished for index in self.entered):
            self.finish()


class ChooseStep(FsmAction[Any]):
    """Turn to the next action of the plan: go to its target, or animate it; or be done."""

    def __init__(self, turn_to_next: Callable[[], GoapAction | None]) -> None:
        self.turn_to_next = turn_to_next

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
        else:
            self.fsm.send_event(ANIMATE if action.target is None else GO_TO)


def build_body(
    name: str,
    actions: Iterable[GoapAction],
    travel: Travel | None,
    turn_to_next: Callable[[], GoapAction | None],
    current: Callable[[], GoapAction],
) -> Fsm[None]:
    """The machine that carries out plans made of `actions`."""
    body = Fsm(name, on_unhandled="ignore", max_transitions=MOST_STEPS)
    choose, go_to = body.add_state("Choose"), body.add_state("GoTo")
    use_object, animate = body.add_state("UseObject"), body.add_state("Animate")
    done, failed = body.add_state("Done", final=True), body.add_state("Failed", final=True)

    going, staying = _made(actions, with_target=True), _made(actions, with_target=False)
    choose.add_action(ChooseStep(turn_to_next))
    if travel is not None:
        go_to.add_action(travel(lambda: _place(current())))
    use_object.add_action(Perform(going, current))
    animate.add_action(Perform(staying, current))

    choose.add_transition(GO_TO, go_to)
    choose.add_transition(ANIMATE, animate)
    choose.add_transition(DONE, done)
    go_to.add_transition(FINISHED, use_object)
    use_object.add_transition(FINISHED, choose)
    animate.add_transition(FINISHED, choose)
    body.add_global_transition(FAILED, failed)
    return body


def _made(
    actions: Iterable[GoapAction], *, with_target: bool
) -> dict[str, tuple[FsmAction[Any], ...]]:
    return {
        action.name: tuple(action.run())
        for action in actions
        if action.run is not None and (action.target is not None) is with_target
    }


def _place(action: GoapAction) -> Any:
    return action.target() if callable(action.target) else action.target
