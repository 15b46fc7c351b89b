"""Perform: runs the actions of a GoapAction, side by side or one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from fsmkit import Fsm, FsmAction


@define(eq=False, repr=False)
class Perform(FsmAction[Any]):
    """Run the actions of the GoapAction `name` side by side, until all have finished.

    As in a state, nobody waits for those in the background.

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
        self.nested.update_all(self._update)

    def _offers_to_(self, event: str) -> Sequence[FsmAction[Any] | Fsm[Any]]:  # noqa: ARG002  # any event
        return [self.actions[index] for index in self.entered]

    def on_event(self, event: str, data: object) -> bool:
        return any(self.actions[index].on_event(event, data) for index in tuple(self.entered))

    def on_exit(self) -> None:
        self.raised_on_exit = True
        self._exit_all()
        self.raised_on_exit = False

    def _update(self, child: FsmAction[Any]) -> bool:
        """Update one of the actions, and see whether it was the last; False if that is all."""
        self.nested.update(child)
        if not self.fsm.is_changing:
            self._finish_with_the_last()
        return not (self.finished or self.fsm.is_changing)

    def _enter(self, index: int, child: FsmAction[Any]) -> None:
        try:
            self.nested.enter(child)
            self.entered.append(index)
            return
        except BaseException as error:
            failure = error
        # This action does not count as entered, so nobody else would exit the others.
        self._exit_all(failure)

    def _exit_all(self, *errors: BaseException) -> None:
        self.entered = []
        self.nested.exit_all(*errors)

    def _finish_with_the_last(self) -> None:
        entered = [self.actions[index] for index in self.entered]
        if all(child.finished or child.background for child in entered):
            self.finish()


@define(eq=False, repr=False)
class PerformInSequence(Perform):
    """Run the actions of the GoapAction `name` one after another, until the last has finished.

    Each begins when the one before has finished, in the same update; where the machine carries time
    over, with what is left of it.
    """

    position: int = field(default=0, init=False)
    """The index of the present action; after an error in it the next one never begins."""
    is_calling: bool = field(default=False, init=False)
    """Whether a callback of the present action is on the stack; False between calls."""

    def on_enter(self) -> None:
        self.entered = []
        self.is_calling = True
        try:
            self._begin(0)
            self._go_on(0.0)
        finally:
            self.is_calling = False

    def on_update(self) -> None:
        self.is_calling = True
        try:
            self._go_on(self._update_present())
        finally:
            self.is_calling = False

    def on_event(self, event: str, data: object) -> bool:
        if self.is_calling:  # who has finished is seen when that callback has returned
            return self._offer(event, data)
        self.is_calling = True
        try:
            taken = self._offer(event, data)
            self._go_on(0.0)
            return taken
        finally:
            self.is_calling = False

    def _offer(self, event: str, data: object) -> bool:
        return any(self.nested.offer(self.actions[index], event, data) for index in self.entered)

    def _begin(self, index: int) -> None:
        """Enter the first action from `index` on that is enabled, if there is one."""
        rest = range(index, len(self.actions))
        self.position = next((at for at in rest if self.actions[at].enabled), len(self.actions))
        if self.position < len(self.actions):
            self._enter(self.position, self.actions[self.position])

    def _go_on(self, left: float) -> None:
        """Turn from one that has finished to the next; `left` are the seconds left for that."""
        while not self.fsm.is_changing and self._has_finished_one():
            with self.nested.moment(left):
                self.entered = []
                self.nested.exit(self.actions[self.position])
                self._begin(self.position + 1)
            if left and self.entered and not self._has_finished_one():
                left = self._update_present(left)
        if self.position == len(self.actions) and not self.fsm.is_changing:
            self.finish(left)

    def _has_finished_one(self) -> bool:
        return bool(self.entered) and self.actions[self.position].finished

    def _update_present(self, left: float | None = None) -> float:
        """Update the present action, and return the seconds that it did not need."""
        if not self.entered or self._has_finished_one() or self.fsm.is_changing:
            return 0.0
        child = self.actions[self.position]
        self.nested.update(child, left)
        return self.nested.unused_of(child) if child.finished and self.fsm.carry_time else 0.0
