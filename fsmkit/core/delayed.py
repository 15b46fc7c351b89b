"""Events that are due at a later time."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from operator import attrgetter
from typing import Final, TypeAlias

TIME_TOLERANCE: Final = 1e-9
"""Seconds by which a time may be missed and still count as reached.

Ten steps of 0.1 add up to 0.9999999999999999: without it a wait of one second would take eleven.
"""


class DelayedEvent:
    """An event on its way, as returned by `Fsm.send_event_after`."""

    __slots__ = ("_schedule", "data", "due", "event", "keep")

    def __init__(
        self, schedule: list[DelayedEvent], due: float, event: str, data: object, keep: bool
    ) -> None:
        self._schedule = schedule
        self.due = due
        self.event = event
        self.data = data
        self.keep = keep

    def schedule(self) -> None:
        """Take its place; events due at the same time keep their order."""
        insort(self._schedule, self, key=attrgetter("due"))

    def move(self, schedule: list[DelayedEvent], seconds: float) -> None:
        """Take its place in another schedule, due `seconds` later."""
        self._schedule = schedule
        self.due += seconds
        self.schedule()

    def resume(self, schedule: list[DelayedEvent], due: float, data: object) -> None:
        """Take its place in a schedule as it was at another time."""
        self._schedule, self.due, self.data = schedule, due, data
        self.schedule()

    @property
    def pending(self) -> bool:
        """True until it is delivered, cancelled or dropped."""
        return self in self._schedule

    def cancel(self) -> None:
        """Take the event back; without effect if it is no longer pending."""
        if self.pending:
            self._schedule.remove(self)

    def __repr__(self) -> str:
        return f"<DelayedEvent {self.event!r} due at {self.due:g} s>"


Waiting: TypeAlias = "tuple[float, str, object, bool]"
"""What a tool keeps of a delayed event: `due`, `event`, `data`, `keep`."""


def put_back(
    schedule: list[DelayedEvent], events: Sequence[Waiting], handles: list[DelayedEvent]
) -> None:
    """Have `events` alone in `schedule`, by their own `handles`, which somebody may still have.

    Their own is one that is due at the same time, else one that carries no data either.
    """
    schedule.clear()
    own = [_taken(handles, event, exactly=True) for event in events]
    for event, exact in zip(events, own, strict=True):
        handle = exact or _taken(handles, event, exactly=False) or DelayedEvent(schedule, *event)
        due, _, data, _ = event
        handle.resume(schedule, due, data)


def _taken(handles: list[DelayedEvent], event: Waiting, *, exactly: bool) -> DelayedEvent | None:
    """Take a handle for `event` out of `handles`; None if there is none."""
    due, name, data, keep = event
    for handle in handles:
        is_own = handle.due == due if exactly else handle.data is data is None
        if is_own and (handle.event, handle.keep) == (name, keep):
            handles.remove(handle)
            return handle
    return None
