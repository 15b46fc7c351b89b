"""AllNews: the news of all machines that wait for one page."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, Protocol

from attrs import define, field

from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.machine_record import Change
from fsmkit.inspector.reading.ring import Ring

PORTION: Final = 5_000
"""Changes, and entries, that may wait; the rest stays in the rings until there is room."""


class Rings(Protocol):
    """What all machines have done lately: those of `AllMachines`, or of a recording."""

    @property
    def changes(self) -> Ring[Change]:
        """Their changes of state."""
        ...

    @property
    def entries(self) -> Ring[Entry]:
        """Their errors and unhandled events."""
        ...


@define(eq=False)
class AllNews:
    """Takes changes and entries out of the rings of all machines, a portion at a time.

    A page that wants them gets first what the rings hold, then what is new. A slow one gets them
    later; what has been dropped from a ring by then is counted.
    """

    is_wanted: bool = False
    _position: int = field(default=0, init=False)
    _entry_position: int = field(default=0, init=False)
    _changes: list[list[Any]] = field(factory=list, init=False)
    _entries: list[Entry] = field(factory=list, init=False)
    _repeats: dict[int, tuple[int, float]] = field(factory=dict, init=False)
    _dropped: int = field(default=0, init=False)
    _begins: bool = field(default=False, init=False)

    def want(self, is_wanted: bool) -> None:
        """Begin with what the rings hold, or end."""
        self._drop_all()
        self.is_wanted = self._begins = is_wanted
        self._position = self._entry_position = self._dropped = 0

    def collect(
        self,
        machines: Rings,
        repeats: Mapping[int, tuple[int, float]],
        left: Collection[str],
    ) -> None:
        """Take what there is room for; machines that have left are forgotten."""
        if not self.is_wanted:
            return
        if left:
            self._changes = [change for change in self._changes if change[2] not in left]
        self._collect_changes(machines)
        self._collect_entries(machines)
        self._repeats.update(repeats)

    def take(self) -> dict[str, Any] | None:
        """Return what has been collected; None if it is not wanted, or nothing."""
        has_news = self._begins or self._changes or self._entries or self._repeats or self._dropped
        if not self.is_wanted or not has_news:
            return None
        news = {
            "reset": self._begins,
            "changes": self._changes,
            "entries": self._entries,
            "repeats": self._repeats,
            "dropped": self._dropped,
        }
        self._drop_all()
        return news

    def _drop_all(self) -> None:
        self._changes, self._entries, self._repeats = [], [], {}
        self._dropped, self._begins = 0, False

    def _collect_changes(self, machines: Rings) -> None:
        ring = machines.changes
        if self._position < ring.first:
            self._dropped += 0 if self._position == 0 else ring.first - self._position
            self._position = ring.first
        new = list(ring.since(self._position, PORTION - len(self._changes)))
        self._position += len(new)
        self._changes += [
            [each.seq, each.time, each.record.name, each.kind, each.state, each.event]
            for each in new
            if not each.record.is_gone
        ]

    def _collect_entries(self, machines: Rings) -> None:
        ring = machines.entries
        self._entry_position = max(self._entry_position, ring.first)
        new = list(ring.since(self._entry_position, PORTION - len(self._entries)))
        self._entry_position += len(new)
        self._entries += [dict(entry) for entry in new]
