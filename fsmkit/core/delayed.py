"""Delayed events: events that are due at a later time."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import Final

from fsmkit.core.words.quoting import quote

TIME_TOLERANCE: Final = 1e-9
"""Seconds by which a time may be missed and still count as reached.

Ten steps of 0.1 add up to 0.9999999999999999: without it a wait of one second would take eleven.
"""


class DelayedEvent:
    """A pending event, as returned by `Fsm.send_event_after`."""

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
        """Join its schedule; events due at the same time keep their order."""
        schedule = self._schedule
        if not schedule or schedule[-1].due <= self.due:  # as most are
            schedule.append(self)
        else:
            schedule.insert(bisect_right(schedule, self.due, key=_due), self)

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
        return self in self._schedule

    def cancel(self) -> None:
        """Cancel the event; without effect if it is no longer pending."""
        if self.pending:
            self._schedule.remove(self)

    def __repr__(self) -> str:
        return f"<DelayedEvent {quote(self.event)} due at {self.due:g} s>"


def due_by(time: float, schedule: list[DelayedEvent]) -> list[DelayedEvent]:
    """Return the events of a schedule that are due by `time`, in order."""
    if not schedule or schedule[0].due > time:
        return []
    if schedule[-1].due <= time:
        return schedule[:]
    return schedule[: bisect_right(schedule, time, key=_due)]


_due = attrgetter("due")


def as_delayed(value: object) -> DelayedEvent | None:
    """Return the delayed event that `value` is or delegates to; None for anything else."""
    try:
        delayed = getattr(value, "_fsmkit_delayed", None)
    except Exception:  # a user's __getattr__ may raise anything
        return None
    return delayed if isinstance(delayed, DelayedEvent) else None
