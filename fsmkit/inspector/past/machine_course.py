"""MachineCourse: the changes of one machine in a recording."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter, itemgetter
from typing import Any, Final

from attrs import define, field, frozen

SPACING: Final = 256
"""Changes between two sums of the time spent in each state."""

NAMELESS: Final = "(no name)"
"""In place of an empty name, which only a damaged file has."""


@frozen
class Change:
    """The state of a machine from a moment on, and how it got there."""

    position: int
    """The number of steps after which it holds."""
    time: float
    state: str | None
    """None if it is not running."""
    event: str = ""
    """The event that led there; empty after a start."""
    sender: str = ""
    """The action that sent the event; empty if it came from outside."""
    previous: str | None = None
    suspended: tuple[str, ...] = ()
    is_resumed: bool = False
    order: int = 0
    """Its place among the changes of all machines."""


@define(eq=False)
class MachineCourse:
    """A machine of a recording over time."""

    name: str
    outer: str | None
    """The machine that it is nested in."""
    start: float
    """Seconds at the beginning."""
    depth: int = 0
    inner: list[str] = field(factory=list)
    log: list[tuple[int, int, str]] = field(factory=list)
    """For each entry, nested machines included: its step, its place there, the state then."""
    errors: list[tuple[int, str]] = field(factory=list)
    """The position after each of its errors, and what was raised."""
    unhandled: int = 0
    """The number of its unhandled events."""
    positions: list[int] = field(factory=list)
    """The position after each change, nested machines included."""
    changes: list[Change] = field(init=False)
    _sums: list[dict[str, float]] = field(init=False, default=[{}])
    """The seconds spent in each state up to every `SPACING`th change."""
    _decided: str = field(init=False, default="")
    """The event that last decided a change."""
    _sender: str = field(init=False, default="")

    def __attrs_post_init__(self) -> None:
        self.changes = [Change(0, self.start, None)]
        self._sums = [{}]

    @property
    def title(self) -> str:
        """Its name without those of the machines around it."""
        return self.name if self.outer is None else self.name[len(self.outer) + 1 :]

    # Looking up

    def at(self, position: int) -> Change:
        """Return the change that led to the state at a position."""
        return self.changes[self._index(position)]

    def last_entry(self, position: int) -> Change | None:
        """Return the last change to a state, not to none, up to a position."""
        index = self._index(position)
        while index > 0 and self.changes[index].state is None:
            index -= 1
        return self.changes[index] if index else None

    def errors_of_visit(self, position: int) -> list[str]:
        """Return what has been raised in the current visit to a state."""
        since = self.at(position).position
        first = bisect_left(self.errors, since, key=itemgetter(0))
        return [text for place, text in self.errors[first:] if place <= position]

    def seconds(self, position: int, now: float) -> dict[str, float]:
        """Return the time spent in each state up to a position, whose time is `now`."""
        last = self._index(position)
        first = last // SPACING * SPACING
        sums = dict(self._sums[last // SPACING])
        for index in range(first, last + 1):
            change = self.changes[index]
            end = now if index == last else self.changes[index + 1].time
            if change.state is not None:
                sums[change.state] = sums.get(change.state, 0.0) + end - change.time
        return sums

    def _index(self, position: int) -> int:
        return bisect_right(self.changes, position, key=attrgetter("position")) - 1

    # Reading

    def begin(self, state: str) -> None:
        """The recording began when it was in that state."""
        self.changes = [Change(0, self.start, state)]

    def read(self, position: int, time: float, order: int, entry: Sequence[Any]) -> bool:
        """Read an entry of the journal; return True if it is now in a state."""
        kind, _, *rest = entry
        if kind == "event":
            if rest[1] == "changed":
                self._decided, self._sender = rest[0], rest[2]
            self.unhandled += rest[1] == "unhandled"
            return False
        if kind == "error":
            self.errors.append((position, rest[0]))
            return False
        state = (rest[0] or NAMELESS) if rest else None
        change = self._changed(kind, state, rest[1] if kind == "enter" else "")
        if change is not None:
            self._add(
                Change(position, time, **change, previous=self._previous(), order=order)
            )  # fmt: skip
        return kind in ("enter", "resume", "in")

    def _changed(self, kind: str, state: str | None, event: str) -> dict[str, Any] | None:
        """Return the parts of the change that an entry tells of; None if there is none."""
        waiting = self.changes[-1].suspended
        without = tuple(name for name in waiting if name != state)
        if kind == "leave":
            return {"state": self.changes[-1].state if state in waiting else None,
                    "suspended": without}  # fmt: skip
        if kind == "enter":
            sender = self._sender if event else ""
            return {"state": state, "event": event, "sender": sender, "suspended": waiting}
        if kind == "suspend":
            return {"state": None, "suspended": (*waiting, state)}
        if kind == "resume":
            return {
                "state": state, "event": self._decided, "sender": self._sender,
                "suspended": without, "is_resumed": True,
            }  # fmt: skip
        return {"state": state, "suspended": () if kind == "restored" else waiting}

    def _previous(self) -> str | None:
        """Return the last state that it was in."""
        last = self.changes[-1]
        return last.state if last.state is not None else last.previous

    def _add(self, change: Change) -> None:
        if len(self.changes) % SPACING == 0:
            self._sums.append(self.seconds(change.position, change.time))
        self.changes.append(change)
