"""Parallel: run several actions at the same time, until all or some have finished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import field

from actions.definition import define_action
from actions.parts.composite import MYPY, ActionList, AnyContext, Ends, has_succeeded
from actions.parts.declarations import Fails, Finishes, fails_with, finishes_with, unfinished
from actions.parts.parameters import ContextT
from fsmkit import FsmAction
from fsmkit.timing import arguments


@define_action(init=False)
class Parallel(ActionList[ContextT]):
    """Run the actions in parallel, in list order; finish when all of them have finished.

    With `needed`, finish when that many have finished: 2 of 3 for a majority. It fails once so many
    have failed that the others are not enough; without `needed`, when the first one fails. The
    others are then no longer updated, and stay entered until the state is exited; `Race` exits them
    at once. Disabled ones take no part; if at most `needed` are enabled, all of these must finish.
    Raises ValueError or TypeError unless `needed` is an integer from 1 to the number of actions, or
    None.

    This is what a state does with its own actions; it is useful inside another composite.

    >>> from actions import Sequence, TimedWait
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Cook")
    >>> both = Parallel(TimedWait(3.0), TimedWait(5.0))
    >>> _ = fsm.add_state("Boil").add_action(Sequence(both, TimedWait(1.0)))
    >>> fsm.start()
    >>> fsm.update(3.0)
    >>> [action.finished for action in both.actions], both.finished
    ([True, False], False)
    """

    _looks_when_due_ = True

    needed: int | None = field(default=None, kw_only=True)

    if MYPY or not TYPE_CHECKING:  # as in ActionList

        def __init__(  # pyright: ignore[reportRedeclaration]
            self,
            *actions: FsmAction[ContextT],
            needed: int | None = None,
            finish_event: str | None = None,
        ) -> None:
            self._accept(actions, needed=needed, finish_event=finish_event)
            if needed is not None:
                what = f"{type(self).__name__}: needed"
                arguments.integer(needed, what, least=1, most=len(actions))

    else:

        def __init__(
            self,
            *actions: FsmAction[ContextT] | FsmAction[AnyContext],
            needed: int | None = None,
            finish_event: str | None = None,
        ) -> None: ...

    @property
    def finishes(self) -> Finishes | None:
        return finishes_with(self.actions, self.needed)

    def _may_fail_(self, fails: Fails) -> bool | None:
        return fails_with(self.actions, fails, self.needed)

    @property
    def waits_for(self) -> str:
        waiting = unfinished(self.present, "and")
        if self.needed is None:
            return f"for {waiting}"
        done = sum(child.finished for child in self.present)
        return f"{done} of {self.needed} so far, for {waiting}"

    def entered_first(self, ends: Ends) -> Sequence[FsmAction[Any]]:  # noqa: ARG002  # all are
        return [child for child in self.actions if child.enabled]

    def begin(self) -> None:
        for child in self.actions:
            if child.enabled:
                self.begin_child(child)
                if not self.may_go_on:
                    return
        self._look_if_due()

    def go_on(self) -> None:
        if self.is_due:
            self.finish(self.seconds_left)

    def failed_with(self, failed: Sequence[FsmAction[Any]]) -> FsmAction[Any] | None:
        """Return the child with which so many have failed that the others are not enough."""
        present = self.present
        spare = 0 if self.needed is None else max(0, len(present) - self.needed)
        return failed[spare] if len(failed) > spare else None

    @property
    def is_due(self) -> bool:
        present = self.present
        if all(child.finished for child in present):
            return True
        if self.needed is None:
            return False
        return self.needed <= sum(map(has_succeeded, present))
