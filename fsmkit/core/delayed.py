"""Delayed events: events that are due at a later time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import inf
from operator import attrgetter
from sys import float_info
from typing import Any, Final, overload

from fsmkit.core.event_types import Event, EventAlone, Senders, typed_as
from fsmkit.core.types import EventDataT
from fsmkit.core.words import messages
from fsmkit.core.words.quoting import quote

TIME_TOLERANCE: Final = 1e-9
"""Seconds by which a time may be missed and still count as reached.

Ten steps of 0.1 add up to 0.9999999999999999: without it a wait of one second would take eleven.
"""


END_OF_TIME: Final = float_info.max
"""When an event is due that waits for a state that takes it: finite, as times in snapshots are."""

CARRIED: Final[Any] = "carried"
"""The mark of an event that is offered to a state, and kept for the next one if it is not taken."""


class DelayedEvent:
    """A pending event, as returned by `Fsm.send_event_after`."""

    __slots__ = ("_schedule", "data", "due", "event", "keep", "rank")

    def __init__(
        self, schedule: list[DelayedEvent], due: float, event: str, data: object, keep: bool
    ) -> None:
        self._schedule = schedule
        self.rank = 0
        """The order among those that are due at the same time."""
        self.due = due
        self.event = event
        self.data = data
        self.keep = keep

    def schedule(self) -> None:
        """Join its schedule; events due at the same time keep their order."""
        schedule = self._schedule
        position = len(schedule)
        if schedule and schedule[-1].due > self.due:  # as few are
            position = bisect_right(schedule, self.due, key=_due)
        before = schedule[position - 1] if position else self
        is_alone = before is self or before.due != self.due
        self.rank = 0 if is_alone else before.rank + 1
        schedule.insert(position, self)

    def move(self, schedule: list[DelayedEvent], seconds: float) -> None:
        """Move to another schedule, due `seconds` later."""
        self.cancel()
        self._schedule = schedule
        self.due += seconds
        self.schedule()

    def resume(self, schedule: list[DelayedEvent], due: float, data: object) -> None:
        """Join a schedule, as it was when the run was saved."""
        self._schedule, self.due, self.data = schedule, due, data
        self.schedule()

    @property
    def _fsmkit_delayed(self) -> DelayedEvent:
        """This event, also when asked of a proxy that delegates unknown attributes."""
        return self

    @property
    def pending(self) -> bool:
        """True until it is delivered, cancelled or dropped."""
        return self._position() is not None

    def cancel(self) -> None:
        """Cancel the event; without effect if it is no longer pending."""
        if (position := self._position()) is not None:
            del self._schedule[position]

    def leave(self, schedule: list[DelayedEvent]) -> bool:
        """Leave this schedule to be delivered; False if it is not pending there."""
        if self._schedule is not schedule or (position := self._position()) is None:
            return False
        del schedule[position]
        return True

    def _position(self) -> int | None:
        """Its place in the schedule, by halving: searching is slow among 20,000 others."""
        schedule = self._schedule
        if schedule and schedule[0] is self:
            return 0
        place = bisect_left(schedule, (self.due, self.rank), key=_due_and_rank)
        return place if place < len(schedule) and schedule[place] is self else None

    def __repr__(self) -> str:
        return f"<DelayedEvent {quote(self.event)} due at {self.due:g} s>"


class DelayingSenders:
    """As `Senders`, for the method that delays an event."""

    @overload
    def send_event_after(
        self: Any,
        delay: float,
        event: EventAlone[EventDataT],
        data: EventDataT | None = None,
        *,
        keep: bool = False,
    ) -> DelayedEvent: ...
    @overload
    def send_event_after(
        self: Any, delay: float, event: Event[EventDataT], data: EventDataT, *, keep: bool = False
    ) -> DelayedEvent: ...
    def send_event_after(self: Any, *delayed: Any, **named: Any) -> Any: ...


class HasDelayed:
    """The part of an `Fsm` that holds delayed events, and those that wait for another state.

    An event that waits for a state that takes it is delayed until the end of time. So it is saved,
    copied and kept while the machine changes, as any other with `keep`; and each state that is
    entered is offered it. Only a state that takes it ends its journey, or `stop()`.
    """

    __slots__ = ()

    @typed_as(Senders.carry_event)
    def carry_event(self: Any, event: str, data: object = None) -> None:
        """Keep `event` for the next state with a transition or an action that takes it.

        Each state that is entered is offered it, before any later event. Without effect while the
        machine is not running. Raises TypeError unless `event` is a str.
        """
        if not isinstance(event, str):
            raise messages.no_event(self.name, event)
        if self._visit_.state is not None:
            DelayedEvent(self._delayed_, END_OF_TIME, event, data, keep=True).schedule()
            self._visit_.is_special = True  # exiting it takes more than calling hooks

    def _leave_delayed_(self: Any) -> None:
        """Drop the events of the state that is exited; others may wait for the next one."""
        self._delayed_[:] = [delayed for delayed in self._delayed_ if delayed.keep]
        self._offer_carried_()

    def _suspend_delayed_(self: Any, schedule: list[DelayedEvent]) -> None:
        """Move the events of the state that is suspended to `schedule`."""
        for delayed in self._delayed_[:]:
            if not delayed.keep:
                delayed.move(schedule, -self._time_)
        self._offer_carried_()

    def _offer_carried_(self: Any) -> None:
        """Queue what waits for another state, before all that came later."""
        carried = [each for each in reversed(self._delayed_) if each.due == END_OF_TIME]
        for delayed in carried:
            delayed.cancel()
            self._queue_ = ((delayed.event, delayed.data, CARRIED), *self._queue_)


def first_due(schedule: list[DelayedEvent]) -> float:
    """The time at which the first event of a schedule is due; inf if that will never come."""
    return schedule[0].due if schedule and schedule[0].due < END_OF_TIME else inf


def due_by(time: float, schedule: list[DelayedEvent]) -> list[DelayedEvent]:
    """Return the events of a schedule that are due by `time`, in order."""
    if not schedule or schedule[0].due > time:
        return []
    if schedule[-1].due <= time:
        return schedule[:]
    return schedule[: bisect_right(schedule, time, key=_due)]


_due = attrgetter("due")
_due_and_rank = attrgetter("due", "rank")


def as_delayed(value: object) -> DelayedEvent | None:
    """Return the delayed event that `value` is or delegates to; None for anything else."""
    try:
        delayed = getattr(value, "_fsmkit_delayed", None)
    except Exception:  # a user's __getattr__ may raise anything
        return None
    return delayed if isinstance(delayed, DelayedEvent) else None
