"""Sequence: run one action after another."""

from attrs import define, field

from actions.parts.attempts import attempts
from actions.parts.composite import ActionList
from actions.parts.finishing import Finishes, finishes_with_all
from actions.parts.parameters import ContextT


@define(eq=False, repr=False, slots=False, init=False)
class Sequence(ActionList[ContextT]):
    """Run the actions one after another: enter one, wait until it finishes, exit it, go on.

    Finishes with the last one. Actions that finish on enter follow each other at once; one that is
    entered during an update gets its first update in the next, or, where the machine carries time
    over, with what is left of this one.

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
        self.position = -1
        self._begin_next()
        self.look_at_children()

    def go_on(self) -> None:
        if self._has_one_to_end():
            with attempts(self) as attempt:
                while self._has_one_to_end():
                    with self.moment(self.seconds_left):
                        attempt(self.end_child, self.actions[self.position])
                        self._begin_next()
                    if self.entered:
                        self.follow_up(self.actions[self.position])
        if self.position == len(self.actions):
            self.finish(self.seconds_left)

    def _has_one_to_end(self) -> bool:
        """Whether it goes on: the current action has finished."""
        return bool(self.entered) and self.actions[self.position].finished and self.may_go_on

    def _begin_next(self) -> None:
        """Enter the next action that takes part, if there is one."""
        following = range(self.position + 1, len(self.actions))
        self.position = next((i for i in following if self.actions[i].enabled), len(self.actions))
        if self.position < len(self.actions):
            self.begin_child(self.actions[self.position])
