"""Switch: send an event depending on a value."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.conditions import Polling
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.validators import is_event_map, is_event_name
from fsmkit.timing import WithoutArguments, arguments


@define_action
class Switch(Polling):
    """Send the event that `events` has for `value`, else `default` if given; then finish.

    The value is a number, string, enum member or anything that can be a key, or a function that
    returns it. With `every_update` it does not finish but sends on enter and in every update; in
    the `background` it does not hold back the state's `FINISHED`. Raises ValueError if there is no
    event to send.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Game")
    >>> menu, play, bye = (fsm.add_state(name) for name in ("Menu", "Play", "Bye"))
    >>> choice = "quit"
    >>> _ = menu.add_action(Switch(lambda: choice, {"new game": "PLAY", "quit": "QUIT"}))
    >>> _ = menu.add_transition("PLAY", play)
    >>> _ = menu.add_transition("QUIT", bye)
    >>> fsm.start()
    >>> fsm.current_state.name
    'Bye'
    """

    value: Param[Hashable] = field(validator=is_parameter)
    events: Mapping[Any, str] = field(validator=is_event_map)
    default: str | None = field(default=None, kw_only=True, validator=is_event_name)

    def __attrs_post_init__(self) -> None:
        if not self.sends:
            raise ValueError("Switch must have an event to send. Give it events, or a default=.")

    finishes = Polling.finishes  # pyright: ignore[reportIncompatibleMethodOverride]  # the same

    @property
    def sends(self) -> Sequence[str]:
        default = () if self.default is None else (self.default,)
        return tuple(dict.fromkeys((*self.events.values(), *default)))

    @property
    def _answer_(self) -> str:
        if self._fsmkit_asked is None:
            return ""
        (value,) = self._fsmkit_asked
        event = self.events.get(value, self.default)
        return f"{arguments.shown(value)}: {'no event' if event is None else event}"

    def on_update(self) -> None:
        value: Any = self.value
        if type(value) is WithoutArguments:  # as in Compare
            value = value.function()
        elif callable(value):
            value = value_of(value, self)
        self._fsmkit_asked = (value,)
        event = self.events.get(value, self.default)
        if event is not None:
            self.fsm.send_event(event)
