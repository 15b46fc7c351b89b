"""Events that are due at a later time."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final, TypeAlias

from fsmkit.core.quoting import quote

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
    def _fsmkit_delayed(self) -> DelayedEvent:
        """This one, also if asked of what stands for it and hands on what it does not know."""
        return self

    @property
    def pending(self) -> bool:
        """True until it is delivered, cancelled or dropped."""
        return self in self._schedule

    def cancel(self) -> None:
        """Take the event back; without effect if it is no longer pending."""
        if self.pending:
            self._schedule.remove(self)

    def __repr__(self) -> str:
        return f"<DelayedEvent {quote(self.event)} due at {self.due:g} s>"


Waiting: TypeAlias = "Sequence[Any]"
"""What a tool keeps of a delayed event: `due`, `event`, `data`, `keep`."""


def as_delayed(value: object) -> DelayedEvent | None:
    """Return the delayed event that `value` is, or stands for; None for anything else."""
    try:
        delayed = getattr(value, "_fsmkit_delayed", None)
    except Exception:  # a user's __getattr__ may raise anything
        return None
    return delayed if isinstance(delayed, DelayedEvent) else None


def handles_for(
    schedules: Sequence[Sequence[Waiting]], present: Iterable[DelayedEvent]
) -> list[list[DelayedEvent]]:
    """Return a handle for each event of each schedule: its own, or a new one.

    Its own is one of `present`, which somebody may still have: one that is due at the same time,
    else one that carries no data either.
    """
    events = [event for schedule in schedules for event in schedule]
    handles: dict[int, DelayedEvent] = {}
    left = [*present]
    for likeness in (_same_time, _without_data):
        left = _match(events, left, likeness, handles)
    every = (handles.get(n) or DelayedEvent([], *event) for n, event in enumerate(events))
    return [[next(every) for _ in schedule] for schedule in schedules]


def put_back(
    schedule: list[DelayedEvent], handles: Sequence[DelayedEvent], events: Sequence[Waiting]
) -> None:
    """Have `events` alone in `schedule`, each by its handle."""
    schedule.clear()
    for handle, (due, _, data, _) in zip(handles, events, strict=True):
        handle.resume(schedule, due, data)


def _match(
    events: Sequence[Waiting],
    free: Sequence[DelayedEvent],
    likeness: Callable[[float, str, object, bool], Hashable],
    handles: dict[int, DelayedEvent],
) -> list[DelayedEvent]:
    """Add the handle for each event that has none yet and is like one; return those left over."""
    waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for number, event in enumerate(events):
        if number not in handles:
            waiting[likeness(*event)].append(number)
    left = []
    for handle in free:
        like = likeness(handle.due, handle.event, handle.data, handle.keep)
        if like is not None and waiting[like]:
            handles[waiting[like].popleft()] = handle
        else:
            left.append(handle)
    return left


def _same_time(due: float, event: str, _: object, keep: bool) -> Hashable:
    return due, event, keep


def _without_data(_: float, event: str, data: object, keep: bool) -> Hashable:
    return (event, keep) if data is None else None
