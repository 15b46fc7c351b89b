"""Handles: which delayed event stands for which, when a machine is put at another time.

Somebody may still have what `send_event_after` returned, and cancel it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeAlias

from fsmkit.core.delayed import DelayedEvent

Waiting: TypeAlias = "Sequence[Any]"
"""What a tool keeps of a delayed event: `due`, `event`, `data`, `keep`."""


def matching_handles(
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
