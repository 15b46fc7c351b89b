"""Assert: raise an error if a condition does not hold."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from actions.parts.parameters import ContextT, Message, text_of
from actions.parts.polling import Polling
from actions.parts.validators import is_callable
from fsmkit import FsmState


@define(eq=False, repr=False, slots=False)
class Assert(Polling[ContextT]):
    """Raise AssertionError unless `predicate`, called with the state, is true; then finish.

    The error names the machine, the state and `message`, a text or a function of the state. With
    `every_update` it does not finish but looks on enter and in every update. Like any error it goes
    to the caller of the machine, or becomes the event ERROR; `python -O` does not remove it.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Hero", context={"health": -5})
    >>> check = Assert(lambda state: state.context["health"] > 0, "the dead do not fight")
    >>> _ = fsm.add_state("Fight").add_action(check)
    >>> fsm.start()
    Traceback (most recent call last):
        ...
    AssertionError: Fsm 'Hero', state 'Fight': the dead do not fight
    Fsm 'Hero', state 'Fight', actions[0] (Assert), on_enter
    """

    predicate: Callable[[FsmState[ContextT]], object] = field(validator=is_callable)
    message: Message[ContextT]

    def look(self) -> None:
        if not self.predicate(self.state):
            raise AssertionError(f"{self.state}: {text_of(self.message, self.state)}")
