"""Event: the name of an event that says, to type checkers, what its data is (rule 27).

While a program runs, an event is a plain `str`. All but the class itself is for type checkers: the
overloads of the methods that send, which `typed_as` gives to those that do the work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeAlias, TypeVar, overload

from fsmkit.core.checks import arguments
from fsmkit.core.types import EventDataT

MethodT = TypeVar("MethodT")


class Event(str, Generic[EventDataT]):
    """An event that says what its data is: `HIT = Event[Damage]("HIT")`.

    Type checkers then know the data wherever the event is sent or handled: in `send_event` and its
    like, in guards and effects, in `OnEvent`. An `Event[None]` is sent without data. At run time it
    is the plain string, equal to `"HIT"`, and its data is not checked.

    Raises TypeError unless the name is a str, ValueError if it is empty.

    >>> from dataclasses import dataclass
    >>> from fsmkit import Event, Fsm
    >>> @dataclass
    ... class Damage:
    ...     amount: int
    >>> HIT = Event[Damage]("HIT")
    >>> HIT
    'HIT'
    >>> fsm = Fsm("Guard")
    >>> patrol, hurt = fsm.add_state("Patrol"), fsm.add_state("Hurt")
    >>> _ = patrol.add_transition(HIT, hurt, when=lambda state, hit: hit.amount > 3)
    >>> fsm.start()
    >>> fsm.send_event(HIT, Damage(2)), fsm.send_event(HIT, Damage(5))
    (False, True)
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __new__(cls, name: str, /) -> Self: ...

        def __reduce__(self) -> str | tuple[Callable[[EventDataT], EventDataT], ...]: ...

    else:

        def __new__(cls, name: str, /) -> str:
            return str.__str__(arguments.name(name, "The name of an event"))


class EventWith(Protocol[EventDataT]):
    """An `Event` of exactly this data, or a plain string, which fits every data.

    What tells one from the other is the type of a method that nobody calls: that of `str` returns
    an Any.
    """

    def isidentifier(self) -> bool: ...

    def __reduce__(self) -> str | tuple[Callable[[EventDataT], EventDataT], ...]: ...


class Untyped:
    """The data of a plain string, which may be anything."""


class PlainEvent(EventWith[Untyped], Protocol):
    """A plain string, and no `Event`."""


EventAlone: TypeAlias = PlainEvent | Event[EventDataT | None]
"""An event that may be sent without data."""


class Senders:
    """The methods that send an event, with the data that it wants: any with a plain string."""

    @overload
    def send_event(
        self: Any, event: EventAlone[EventDataT], data: EventDataT | None = None
    ) -> bool: ...
    @overload
    def send_event(self: Any, event: Event[EventDataT], data: EventDataT) -> bool: ...
    def send_event(self: Any, event: Any, data: Any = None) -> Any: ...

    @overload
    def offer_event(
        self: Any, event: EventAlone[EventDataT], data: EventDataT | None = None
    ) -> bool: ...
    @overload
    def offer_event(self: Any, event: Event[EventDataT], data: EventDataT) -> bool: ...
    def offer_event(self: Any, event: Any, data: Any = None) -> Any: ...

    @overload
    def send_in_time(
        self: Any,
        event: EventAlone[EventDataT],
        data: EventDataT | None = None,
        unused: float = 0.0,
    ) -> bool: ...
    @overload
    def send_in_time(
        self: Any, event: Event[EventDataT], data: EventDataT, unused: float = 0.0
    ) -> bool: ...
    def send_in_time(self: Any, event: Any, data: Any = None, unused: float = 0.0) -> Any: ...

    @overload
    def post_event(
        self: Any, event: EventAlone[EventDataT], data: EventDataT | None = None
    ) -> None: ...
    @overload
    def post_event(self: Any, event: Event[EventDataT], data: EventDataT) -> None: ...
    def post_event(self: Any, event: Any, data: Any = None) -> Any: ...

    @overload
    def carry_event(
        self: Any, event: EventAlone[EventDataT], data: EventDataT | None = None
    ) -> None: ...
    @overload
    def carry_event(self: Any, event: Event[EventDataT], data: EventDataT) -> None: ...
    def carry_event(self: Any, event: Any, data: Any = None) -> Any: ...

    @overload
    def broadcast(
        self: Any, event: EventAlone[EventDataT], data: EventDataT | None = None
    ) -> int: ...
    @overload
    def broadcast(self: Any, event: Event[EventDataT], data: EventDataT) -> int: ...
    def broadcast(self: Any, event: Any, data: Any = None) -> Any: ...


def typed_as(typed: MethodT) -> Callable[[Callable[..., Any]], MethodT]:  # noqa: ARG001  # it is read, not called
    """Let type checkers see a method with the overloads of `typed`; at run time it stays itself."""
    return lambda method: method  # type: ignore[return-value]  # pyright: ignore[reportReturnType]
