"""Sequence: run one action after another."""

from __future__ import annotations

from collections.abc import Sequence as Actions
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.composite import ActionList, Ends, InTurn, until_first
from actions.parts.declarations import Finishes, finishes_with, named
from actions.parts.parameters import ContextT, Count
from fsmkit import FsmAction


@define_action(init=False)
class Sequence(ActionList[ContextT], InTurn[ContextT]):
    """Run the actions one after another: enter one, wait until it finishes, exit it, continue.

    Finishes with the last one, and fails with the one that fails. Actions that finish on enter
    follow each other at once. An action that is entered during an update gets its first update in
    the next, or, if the machine carries time over, with the rest of this one.

    >>> from actions import DelegateAction, TimedWait
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Cook")
    >>> _ = fsm.add_state("Boil").add_action(Sequence(
    ...     TimedWait(3.0),
    ...     DelegateAction(lambda state: print("ready after", state.fsm.time)),
    ... ))
    >>> fsm.start()
    >>> fsm.update(3.0)
    ready after 3.0
    """

    _looks_when_due_ = True

    position: Count = field(default=0, init=False)
    """The index of the current action."""

    @property
    def finishes(self) -> Finishes | None:
        return finishes_with(self.actions)

    @property
    def is_over(self) -> bool:
        return self.position == len(self.actions)

    @property
    def waits_for(self) -> str:
        if self.is_over:
            return ""
        place = f"{self.position + 1} of {len(self.actions)}"
        return f"{place}: {named(self.actions[self.position])}"

    def entered_first(self, ends: Ends) -> Actions[FsmAction[Any]]:
        return until_first(self.actions, lambda child: not ends(child))

    def begin(self) -> None:
        self.position = -1
        self.begin_next()
        self._look_if_due()

    def begin_next(self) -> None:
        actions = self.actions
        for position in range(self.position + 1, len(actions)):
            if actions[position].enabled:
                self.position = position
                self.begin_child(actions[position])
                return
        self.position = len(self.actions)
