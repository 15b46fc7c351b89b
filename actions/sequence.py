"""Sequence: run one action after another."""

from attrs import define, field

from actions.parts.composite import ActionList
from actions.parts.finishing import Finishes, finishes_with_all
from actions.parts.parameters import ContextT


@define(eq=False, repr=False, slots=False, init=False)
class Sequence(ActionList[ContextT]):
    """Run the actions one after another: enter one, wait until it finishes, exit it, go on.

    Finishes with the last one. Actions that finish on enter follow each other at once; one that is
    entered during an update gets its first update in the next.

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

    position: int = field(default=0, init=False)
    """The index of the current action."""

    @property
    def finishes(self) -> Finishes | None:
        return finishes_with_all(self.actions)

    def begin(self) -> None:
        self.position = 0
        self._begin_next()

    def go_on(self) -> None:
        for child in self.present:
            if child.finished:
                try:
                    self.end_child(child)
                finally:
                    self.position += 1
                    self._begin_next()

    def _begin_next(self) -> None:
        while self.position < len(self.actions):
            child = self.actions[self.position]
            if child.enabled:
                self.begin_child(child)
                if self.fsm.is_changing or not child.finished:
                    return
                self.end_child(child)
            self.position += 1
        self.finish()
