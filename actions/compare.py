"""Compare: send an event depending on which of two values is greater."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.conditions import Polling
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.validators import is_event_name, is_number
from fsmkit.timing import WithoutArguments, arguments


@define_action
class Compare(Polling):
    """Send `equal`, `less` or `greater`, depending on how `value` compares to `other`; then finish.

    The values are anything that can be compared, or functions that return it. Numbers that differ
    by at most `tolerance` count as equal. An event that is None is not sent. With `every_update` it
    does not finish but compares and sends on enter and in every update; in the `background` it does
    not hold back the state's `FINISHED`. Raises ValueError if there is no event to send, or the
    tolerance is negative.

    >>> from fsmkit import Fsm
    >>> hero = {"health": 100}
    >>> fsm = Fsm("Hero")
    >>> fight, flee = fsm.add_state("Fight"), fsm.add_state("Flee")
    >>> compare = Compare(lambda: hero["health"], 20, less="WEAK", every_update=True)
    >>> _ = fight.add_action(compare)
    >>> _ = fight.add_transition("WEAK", flee)
    >>> fsm.start()
    >>> hero["health"] = 15
    >>> fsm.update(0.1)
    >>> fsm.current_state.name
    'Flee'
    """

    value: Param[Any] = field(validator=is_parameter)
    other: Param[Any] = field(validator=is_parameter)
    equal: str | None = field(default=None, kw_only=True, validator=is_event_name)
    less: str | None = field(default=None, kw_only=True, validator=is_event_name)
    greater: str | None = field(default=None, kw_only=True, validator=is_event_name)
    tolerance: float = field(default=0.0, kw_only=True, validator=is_number)

    def __attrs_post_init__(self) -> None:
        if not self.sends:
            raise ValueError("Compare must have an event to send. Give equal=, less= or greater=.")
        if not self.tolerance >= 0.0:
            raise ValueError(f"Compare: tolerance must be a number >= 0, got {self.tolerance!r}.")

    finishes = Polling.finishes  # pyright: ignore[reportIncompatibleMethodOverride]  # the same

    @property
    def sends(self) -> Sequence[str]:
        events = (self.equal, self.less, self.greater)
        return tuple(event for event in events if event is not None)

    @property
    def _answer_(self) -> str:
        if self._fsmkit_asked is None:
            return ""
        value, sign, other = self._fsmkit_asked
        words = f"{arguments.shown(value)} {sign} {arguments.shown(other)}"
        are_numbers = isinstance(value, Real) and isinstance(other, Real)
        is_apart = are_numbers and value != other and sign != "!="
        return f"{words}, by {abs(value - other):.4g}" if is_apart else words

    def on_update(self) -> None:
        value: Any = self.value
        other: Any = self.other
        if type(value) is WithoutArguments:  # as `value_of`, which takes a sixth of such an update
            value = value.function()
        elif callable(value):
            value = value_of(value, self)
        if callable(other):
            other = value_of(other, self)
        if value == other or (self.tolerance and abs(value - other) <= self.tolerance):
            event, sign = self.equal, "="
        elif value < other:
            event, sign = self.less, "<"
        elif value > other:
            event, sign = self.greater, ">"
        else:
            event, sign = None, "!="  # one of them is not a number
        self._fsmkit_asked = value, sign, other
        if event is not None:
            self.fsm.send_event(event)
