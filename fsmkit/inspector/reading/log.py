"""Log: the latest events and changes of a machine, numbered."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

Entry: TypeAlias = dict[str, Any]

LIMIT: Final = 5_000


class Log:
    """A ring of entries; the oldest ones are dropped."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._entries: deque[Entry] = deque(maxlen=limit)
        self.next = 0
        """The number of the next entry."""

    def add(self, time: float, machine: str, kind: str, **more: object) -> None:
        """Add an entry; what is empty is left out."""
        details = {name: value for name, value in more.items() if value}
        self._entries.append(
            {"seq": self.next, "time": time, "machine": machine, "kind": kind, **details}
        )
        self.next += 1

    def take_over(self, entry: Entry, machine: str) -> None:
        """Add an entry that was kept elsewhere, under the next number of this log."""
        self._entries.append({"machine": machine, **entry, "seq": self.next})
        self.next += 1

    def since(self, number: int) -> Iterator[Entry]:
        """Yield the entries from that number on, as far as they are still kept."""
        new = min(self.next - number, len(self._entries))
        for index in range(len(self._entries) - new, len(self._entries)):
            yield self._entries[index]
