"""Parallel: run several actions at the same time, until all have finished."""

from attrs import define

from actions.parts.composite import ActionList
from actions.parts.finishing import Finishes, finishes_with_all
from actions.parts.parameters import ContextT


@define(eq=False, repr=False, slots=False, init=False)
class Parallel(ActionList[ContextT]):
    """Run the actions side by side, in list order; finish when all of them have.

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

    @property
    def finishes(self) -> Finishes | None:
        return finishes_with_all(self.actions)

    def begin(self) -> None:
        for child in self.actions:
            if child.enabled:
                self.begin_child(child)
                if self.fsm.is_changing:
                    return
        self.go_on()

    def go_on(self) -> None:
        if all(child.finished for child in self.present):
            self.finish()
