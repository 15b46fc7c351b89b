"""Log: the latest events and changes of a machine, numbered; what repeats itself is counted."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

Entry: TypeAlias = dict[str, Any]

LIMIT: Final = 5_000

REPEATING: Final = frozenset({"event", "error", "note", "log point"})
"""Kinds of entries that may repeat themselves, as opposed to changes of state."""

NEIGHBOURS: Final = 16
"""Entries back to which a repeated one is looked for: several may take turns in each update."""

OWN: Final = frozenset({"seq", "change", "time", "times", "last"})
"""What two entries about the same do not have in common."""


class Log:
    """A ring of entries; the oldest ones are dropped.

    An entry that says the same as one shortly before, while its machine has stayed in its state, is
    not added: the earlier one gets the number of `times` and the time of the `last`. So an error in
    every update does not push its cause out of the ring. An entry keeps its number, `seq`; each
    addition and repetition has a number of its own, `change`.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._entries: deque[Entry] = deque(maxlen=limit)
        self._seq = 0
        self.next = 0
        """The number of the next change."""

    def add(self, time: float, machine: str, kind: str, **more: object) -> None:
        """Add an entry, or count it as a repetition; what is empty is left out."""
        details = {name: value for name, value in more.items() if value}
        entry = {"time": time, "machine": machine, "kind": kind, **details}
        index = self._index_of_same(entry)
        if index is None:
            self._append(entry)
            return
        same = self._entries[index]  # not changed itself: it may be on its way to a page
        times = same.get("times", 1) + 1
        self._entries[index] = {**same, "times": times, "last": time, "change": self.next}
        self.next += 1

    def take_over(self, entry: Entry, machine: str) -> None:
        """Add an entry that was kept elsewhere, under the next number of this log."""
        self._append({"machine": machine, **entry})

    def since(self, number: int) -> Iterator[Entry]:
        """Yield the entries changed from that number on, in the order of their last changes."""
        last = min(self.next - number + NEIGHBOURS, len(self._entries))
        found = [
            self._entries[index]
            for index in range(len(self._entries) - last, len(self._entries))
            if self._entries[index]["change"] >= number
        ]
        yield from sorted(found, key=lambda entry: int(entry["change"]))

    def _append(self, entry: Entry) -> None:
        self._entries.append({**entry, "seq": self._seq, "change": self.next})
        self._seq += 1
        self.next += 1

    def _index_of_same(self, entry: Entry) -> int | None:
        if entry["kind"] not in REPEATING:
            return None
        said = _content(entry)
        first = max(0, len(self._entries) - NEIGHBOURS)
        for index in range(len(self._entries) - 1, first - 1, -1):
            other = self._entries[index]
            if other["machine"] == entry["machine"]:
                if other["kind"] not in REPEATING:
                    return None
                if _content(other) == said:
                    return index
        return None


def _content(entry: Entry) -> Entry:
    return {name: text for name, text in entry.items() if name not in OWN}
