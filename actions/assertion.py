"""Assert: raise an error if a condition does not hold."""

from __future__ import annotations

from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.conditions import Polling, answered
from actions.parts.parameters import (
    ContextT,
    Function,
    LogText,
    is_function,
    is_message,
    text_of,
)
from fsmkit.timing import WithoutArguments


@define_action
class Assert(Polling[ContextT]):
    """Raise AssertionError unless `predicate` is true; then finish.

    `predicate` is a function that takes the state or nothing. The error contains the machine, the
    state and `message`, a string or such a function. With `every_update` it does not finish but
    checks on enter and in every update. Like any error it goes to the caller of the machine, or
    becomes the event ERROR; `python -O` does not remove it.

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

    predicate: Function[ContextT] = field(validator=is_function)
    message: LogText[ContextT] = field(validator=is_message)

    finishes = Polling.finishes  # pyright: ignore[reportIncompatibleMethodOverride]  # the same

    @property
    def _answer_(self) -> str:
        return answered(self, self.predicate, holds=self._fsmkit_asked is True)

    def on_update(self) -> None:
        ask: Any = self.predicate  # as in Waiting
        is_plain = type(ask) is WithoutArguments
        self._fsmkit_asked = bool(ask.function() if is_plain else ask(self._fsmkit_state))
        if not self._fsmkit_asked:
            raise AssertionError(f"{self.state}: {text_of(self.message, self)}")
