"""Race: run several actions at the same time, until one has finished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actions.definition import define_action
from actions.parts.composite import ActionList, Ends, has_succeeded, until_first
from actions.parts.declarations import Fails, Finishes, fails_with, finishes_with, unfinished
from actions.parts.parameters import ContextT
from fsmkit import FsmAction


@define_action(init=False)
class Race(ActionList[ContextT]):
    """Run the actions in parallel, in list order, until the first of them finishes.

    Then all are exited at once and the race finishes. One that fails is out of the race; if all
    have failed, the race fails with the reason of the last. Actions after one that finishes on
    enter are not entered; a race without actions finishes on enter.

    >>> from actions import TimedWait
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Cook")
    >>> race = fsm.add_state("Boil").add_action(Race(TimedWait(3.0), TimedWait(5.0)))
    >>> fsm.start()
    >>> fsm.update(3.0)
    >>> race.finished
    True
    """

    _looks_when_due_ = True

    @property
    def finishes(self) -> Finishes | None:
        return finishes_with(self.actions, needed=1)

    def _may_fail_(self, fails: Fails) -> bool | None:
        return fails_with(self.actions, fails, needed=1)

    @property
    def waits_for(self) -> str:
        return f"for {unfinished(self.present, 'or')}"

    def entered_first(self, ends: Ends) -> Sequence[FsmAction[Any]]:
        return until_first(self.actions, ends)

    def begin(self) -> None:
        for child in self.actions:
            if child.enabled:
                self.begin_child(child)
                if not self.may_go_on:
                    return
                if self.nested.has_news and self._is_won:
                    break
        self._look_if_due()

    @property
    def is_due(self) -> bool:
        return self._is_won or all(child.failed for child in self.present)

    def go_on(self) -> None:
        if self.is_due:
            self.end_all()
            self.finish(self.seconds_left)

    def failed_with(self, failed: Sequence[FsmAction[Any]]) -> FsmAction[Any] | None:
        """Return the last one, if all have failed."""
        return failed[-1] if len(failed) == len(self.present) else None

    def end_failed(self) -> None:
        self.end_all()

    @property
    def _is_won(self) -> bool:
        return any(map(has_succeeded, self.present))
