"""InTurn: the base of actions that run one action after another."""

from __future__ import annotations

from attrs import define

from actions.parts.attempts import attempts
from actions.parts.composite import Composite
from actions.parts.parameters import ContextT
from fsmkit import FsmAction


@define(eq=False, repr=False, slots=False)
class InTurn(Composite[ContextT]):
    """A composite that has at most one child entered: when it finishes, it is exited, and the next.

    A subclass overrides `begin_next` and `is_over`. It finishes when it is over.
    """

    def begin_next(self) -> None:
        """Enter the next child that takes part, if there is one."""
        raise NotImplementedError

    @property
    def is_over(self) -> bool:
        """Whether no child is left."""
        raise NotImplementedError

    def begin(self) -> None:
        self.begin_next()
        self.look_at_children()

    @property
    def is_due(self) -> bool:
        return self.is_over or self._has_one_to_end()

    def go_on(self) -> None:
        if self._has_one_to_end():
            with attempts(self) as attempt:
                while self._has_one_to_end():
                    with self.nested.moment(self.seconds_left):
                        attempt(self.end_child, self._current)
                        self.begin_next()
                    for child in self.present:
                        self.follow_up(child)
        if self.is_over:
            self.finish(self.seconds_left)

    @property
    def _current(self) -> FsmAction[ContextT]:
        return self.present[0]

    def _has_one_to_end(self) -> bool:
        """Whether it goes on: the current child has finished."""
        return bool(self.present) and self._current.finished and self.may_go_on
