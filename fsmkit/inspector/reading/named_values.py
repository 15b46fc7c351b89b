"""NamedValues: the values of a machine that a reader may name in a condition or a log point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.reading.values import name_of, public_fields
from fsmkit.inspector.reading.watches import ABSENT, Unreadable, Watches


@frozen
class Occasion:
    """Something that has happened to a machine, or an update of it."""

    machine: Fsm[Any]
    event: str = ""
    data: object = None
    """The data of the event."""
    error: BaseException | None = None


class UnreadableValueError(Exception):
    """A value could not be read: the function that the program watches it by raises."""


OWN: Final[Mapping[str, Callable[[Occasion], object]]] = {
    "time": lambda occasion: occasion.machine.time,
    "time_in_state": lambda occasion: occasion.machine.time_in_state,
    "state": lambda occasion: _state(occasion.machine),
}
OF_EVENTS: Final[Mapping[str, Callable[[Occasion], object]]] = {
    "event": lambda occasion: occasion.event,
    "data": lambda occasion: occasion.data,
}
DATA: Final = "data."
"""What the name of an entry or a field of the event's data begins with."""


@frozen
class NamedValues:
    """Reads a value by its name: a watched one, a field of the context, one of the machine's own.

    Fields and entries are read, never properties: those only if the program watches them.

    >>> values = NamedValues(Watches())
    >>> hit = Occasion(Fsm("Guard", context={"health": 19}), "HIT", {"by": 3})
    >>> values.read("health", hit), values.read("data.by", hit)
    (19, 3)
    """

    watches: Watches

    def read(self, name: str, occasion: Occasion) -> object:
        """Return the value; `ABSENT` if there is none now. Raises what reading it raises."""
        if name in self.watches.names:
            return _checked(self.watches.read_now(occasion.machine, name))
        fields = public_fields(occasion.machine.context)
        if name and name in fields:
            return fields[name]
        read = OWN.get(name) or OF_EVENTS.get(name)
        if read is not None:
            return read(occasion)
        if name.startswith(DATA):
            return public_fields(occasion.data).get(name.removeprefix(DATA), ABSENT)
        return ABSENT

    def names(self, machine: Fsm[Any], *, of_events: bool) -> Iterator[str]:
        """Yield the names that can be read now, each once; those of events only on one."""
        fields = (name_of(key) for key in public_fields(machine.context) if key != "")
        own = (*OWN, *OF_EVENTS) if of_events else OWN
        yield from dict.fromkeys((*self.watches.names, *fields, *own))


def _checked(value: object) -> object:
    if isinstance(value, Unreadable) and value is not ABSENT:
        raise UnreadableValueError(value.text)
    return value


def _state(machine: Fsm[Any]) -> str | None:
    state = machine.current_state
    return state.name if state is not None else None
