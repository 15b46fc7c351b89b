"""Events that wait: posted from other threads, or due at a later time."""

from __future__ import annotations

from bisect import insort
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from fsmkit.core.deciding import offer
from fsmkit.core.failing import check_event
from fsmkit.core.types import BETWEEN, EXIT

if TYPE_CHECKING:
    from fsmkit.core.fsm import Fsm

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


def schedule(fsm: Fsm[Any], delay: float, event: str, data: object, keep: bool) -> DelayedEvent:
    """Schedule `event`; those due at the same time keep their order."""
    check_event(fsm, event)
    if not 0.0 <= delay < inf:
        raise ValueError(
            f"Fsm {fsm.name!r}: a delay is in seconds, finite and >= 0, not {delay!r}."
        )
    due = fsm.time + delay
    delayed = DelayedEvent(fsm._delayed, due, event, data, keep or fsm._current_state is None)
    if keep or fsm._phase is not EXIT:
        insort(fsm._delayed, delayed, key=attrgetter("due"))
        fsm._visit = fsm._visit.untidy()
        fsm._waiting = True
    return delayed


def drop_delayed(fsm: Fsm[Any]) -> None:
    """Forget the events that were meant for the state which is being left."""
    if fsm._delayed:
        fsm._delayed[:] = [delayed for delayed in fsm._delayed if delayed.keep]


def deliver(fsm: Fsm[Any]) -> bool:
    """Send the events left by an error, then the posted ones, then those whose time has come.

    What is posted or delayed meanwhile waits for the next update. Each event settles before the
    next one is sent; one that raises leaves those behind it in their place. True if one of them
    changed the state.
    """
    fsm._phase = BETWEEN
    fsm._waiting = False  # first of all, so that what is posted meanwhile is not overlooked
    try:
        changes = fsm._settle()
        for _ in range(len(fsm._posted)):
            offer(fsm, *fsm._posted.pop(0))
            changes += fsm._settle()
        for delayed in _due(fsm):
            if delayed.pending:
                delayed.cancel()
                offer(fsm, delayed.event, delayed.data)
                changes += fsm._settle()
    finally:
        if fsm._queue or fsm._posted or fsm._delayed:
            fsm._waiting = True
    return changes > 0


def _due(fsm: Fsm[Any]) -> list[DelayedEvent]:
    now = fsm.time + TIME_TOLERANCE
    return [delayed for delayed in fsm._delayed if delayed.due <= now]
