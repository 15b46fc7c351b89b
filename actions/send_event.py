"""SendEvent: send an event, at once or after a delay, to its own machine or to others."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, TypeAlias, overload

from attrs import Attribute, field

from actions.definition import define_action
from actions.parts.parameters import EventDataT, Param, is_function, is_parameter, value_of
from actions.parts.timed_action import AfterDelay
from actions.parts.validators import is_event_name
from fsmkit import (
    Event,
    EventAlone,
    Fsm,
    FsmError,
    FsmGroup,
    FsmState,
    TimeReference,
)


class Host(Enum):
    """The receiver of a `SendEvent`: the machine that runs this one, when the event is sent."""

    # An Enum, so that copies share it.

    HOST = "HOST"


HOST: Final = Host.HOST
"""The receiver of a `SendEvent`: the machine that runs this one, as in a `RunFsm`."""

Receiver: TypeAlias = Fsm[Any] | FsmGroup | FsmState[Any] | Host
"""The receivers of an event; a state stands for its machine."""


def _is_receiver(action: SendEvent, attribute: Attribute[Any], value: Any) -> None:
    if callable(value):
        is_function(action, attribute, value)
    elif value is not None and not isinstance(value, Fsm | FsmGroup | FsmState | Host):
        raise TypeError(f"SendEvent: to must be {_WANTED}, or a function, got {value!r}.")


@define_action(init=False)
class SendEvent(AfterDelay):
    """Send `event`, after `delay` seconds in the state, then finish.

    Without a delay it is sent on enter. The delay is in seconds of `time`; if the state is
    exited first, nothing is sent. `data` goes with the event; a function is called when it is sent.

    The event goes to its own machine, or `to` another receiver: a machine, all machines of an
    `FsmGroup`, `HOST` (the machine that runs this one), or the result of a function, which may also
    be a state of a machine, or None for its own machine. The host does not pass it back to this
    machine.

    Raises ValueError for an invalid delay, TypeError for an invalid receiver, FsmError if there is
    no host when it is sent.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Bomb")
    >>> lit, blown = fsm.add_state("Lit"), fsm.add_state("Blown")
    >>> _ = lit.add_action(SendEvent("BOOM", delay=3.0))
    >>> _ = lit.add_transition("BOOM", blown)
    >>> guard = Fsm("Guard")
    >>> rest, flee = guard.add_state("Rest"), guard.add_state("Flee")
    >>> _ = rest.add_transition("NOISE", flee)
    >>> _ = blown.add_action(SendEvent("NOISE", to=guard))
    >>> guard.start()
    >>> fsm.start()
    >>> fsm.update(3.0)
    >>> fsm.current_state.name, guard.current_state.name
    ('Blown', 'Flee')
    """

    event: str = field(validator=is_event_name)
    data: Param[object] = field(default=None, validator=is_parameter)
    to: Param[Receiver | None] = field(default=None, kw_only=True, validator=_is_receiver)

    @overload
    def __init__(
        self,
        event: EventAlone[EventDataT],
        data: Param[EventDataT | None] = None,
        *,
        to: Param[Receiver | None] = None,
        delay: Param[float] = 0.0,
        time: TimeReference | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        event: Event[EventDataT],
        data: Param[EventDataT],
        *,
        to: Param[Receiver | None] = None,
        delay: Param[float] = 0.0,
        time: TimeReference | None = None,
    ) -> None: ...
    def __init__(  # type: ignore[misc]  # each of them is a str
        self,
        event: str,
        data: Param[object] = None,
        *,
        to: Param[Receiver | None] = None,
        delay: Param[float] = 0.0,
        time: TimeReference | None = None,
    ) -> None:
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            event, data, to=to, delay=delay, time=time
        )

    @property
    def sends(self) -> Sequence[str]:
        """The event, if it is known to go to its own machine."""
        to = self.to.fsm if isinstance(self.to, FsmState) else self.to
        is_among = isinstance(to, FsmGroup) and self.fsm in to
        return (self.event,) if to is None or to is self.fsm or is_among else ()

    def act(self, unused: float) -> None:
        data: Any = self.data
        to: Any = self.to
        if callable(data):
            data = value_of(data, self)
        if to is not None:
            to = value_of(to, self)
        if to is None:
            self.fsm.send_in_time(self.event, data, unused)
        elif to is HOST:
            self._send_to_host(data)
        elif isinstance(to, FsmGroup):
            to.broadcast(self.event, data)
        elif isinstance(to, Fsm | FsmState):
            to.send_event(self.event, data)
        else:
            raise TypeError(f"SendEvent: to must return {_WANTED}, got {to!r}.")

    def _send_to_host(self, data: object) -> None:
        host = self.fsm.host
        if host is None:
            raise FsmError(
                f"{self.state}: SendEvent({str.__repr__(self.event)}, to=HOST) must have a host, "
                f"but no other machine runs {self.fsm.name!r}. Run it in a RunFsm, or name the "
                "machine."
            )
        host._send_outward_(self.event, data)


_WANTED: Final = "a machine, a group, a state, HOST or None"
