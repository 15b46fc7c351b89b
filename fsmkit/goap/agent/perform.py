"""Perform: runs the actions of a GoapAction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from fsmkit import Fsm, FsmAction


@define(eq=False, repr=False)
class Perform(FsmAction[Any]):
    """Run the actions of the GoapAction `name` side by side, until all have finished.

    It is enabled while that is the plan's current action.
    """

    name: str
    actions: tuple[FsmAction[Any], ...]
    entered: list[int] = field(factory=list, init=False)
    """The indices of the actions that were entered and not exited."""
    raised_on_exit: bool = field(default=False, init=False)
    """Whether the last exit raised: by then the body has turned to the next step of the plan."""

    @property
    def children(self) -> Sequence[FsmAction[Any]]:
        return self.actions

    def on_enter(self) -> None:
        self.entered = []
        for index, child in enumerate(self.actions):
            if child.enabled:
                self._enter(index, child)
                if self.fsm.is_changing:
                    return
        self._finish_with_the_last()

    def on_update(self) -> None:
        for index in self.entered:
            self.update_child(self.actions[index])
            if self.fsm.is_changing:
                return
        self._finish_with_the_last()

    def offers_to(self, event: str) -> Sequence[FsmAction[Any] | Fsm[Any]]:  # noqa: ARG002  # any event
        return [self.actions[index] for index in self.entered]

    def on_event(self, event: str, data: object) -> bool:
        return any(self.actions[index].on_event(event, data) for index in tuple(self.entered))

    def on_exit(self) -> None:
        self.raised_on_exit = True
        self._exit_all()
        self.raised_on_exit = False

    def _enter(self, index: int, child: FsmAction[Any]) -> None:
        try:
            self.enter_child(child)
            self.entered.append(index)
            return
        except BaseException as error:
            failure = error
        # This action does not count as entered, so nobody else would exit the others.
        self._exit_all(failure)

    def _exit_all(self, *errors: BaseException) -> None:
        self.entered = []
        self.exit_children(*errors)

    def _finish_with_the_last(self) -> None:
        if all(self.actions[index].finished for index in self.entered):
            self.finish()
