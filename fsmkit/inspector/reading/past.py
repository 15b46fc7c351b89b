"""Past: what is known of a machine from before it was looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from attrs import frozen

from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.machine_record import Change


@frozen
class Past:
    """The entries with which the log of a machine begins, and where its time has gone."""

    entries: Sequence[Entry] = ()
    state: str | None = None
    """The state in the last entry about one."""
    since: float = 0.0
    """When that was entered."""
    seconds: Mapping[str, float] = {}
    """State -> the time spent there before that."""


def past_of(changes: Sequence[Change], troubles: Iterable[Entry], now: float) -> Past:
    """Return the past of a machine: its changes of state, and its latest troubles, in order."""
    if not changes:
        return Past([dict(entry) for entry in troubles])
    seconds: dict[str, float] = {}
    for change, following in pairwise(changes):
        if change.state is not None:
            spent = following.time - change.time
            seconds[change.state] = seconds.get(change.state, 0.0) + spent
    mixed = [*map(_entry, changes), *(dict(entry) for entry in troubles)]
    mixed.sort(key=lambda entry: entry["seq"])
    last = changes[-1]
    return Past(mixed, last.state, min(last.time, now), seconds)


LASTING: Final = ("machine", "states", "graph")
"""Details that are the same at all times."""


def unwatched_detail(detail: Detail, change: Change, time: float) -> Detail:
    """Return the details of a machine at a time from which only its state is known."""
    unknown: Detail = {
        key: [] if isinstance(value, (list, tuple)) else None for key, value in detail.items()
    }
    return {
        **unknown,
        **{key: detail[key] for key in LASTING},
        "running": change.state is not None,
        "state": change.state,
        "previous": None,
        "time": time,
        "time_in_state": time - change.time,
        "last_event": change.event,
        "resumed_by": None,
        "edge": None,
        "shade": {},
        "is_unwatched": True,
    }


def _entry(change: Change) -> Entry:
    more = {"state": change.state, "event": change.event}
    known = {name: text for name, text in more.items() if text}
    return {"seq": change.seq, "time": change.time, "kind": change.kind, **known}
