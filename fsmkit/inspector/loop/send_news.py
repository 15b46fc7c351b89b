"""SendNews: the events sent between machines that wait for one page."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.ring import Ring


@define(eq=False)
class SendNews:
    """Takes entries out of the ring of what machines have sent each other.

    A page that wants them gets first what the ring holds, then what is new. Of what a slow one has
    not taken by then, the oldest are dropped.
    """

    is_wanted: bool = False
    _position: int = field(default=0, init=False)
    _waiting: list[Entry] = field(factory=list, init=False)
    _begins: bool = field(default=False, init=False)

    def want(self, is_wanted: bool) -> None:
        """Begin with what the ring holds, or end."""
        self.is_wanted = self._begins = is_wanted
        self._position, self._waiting = 0, []

    def collect(self, ring: Ring[Entry], most: int) -> None:
        """Take what is new; at most that many wait."""
        if not self.is_wanted or self._position == ring.next:
            return
        self._position = max(self._position, ring.first)
        new = [dict(entry) for entry in ring.since(self._position, most)]
        self._position += len(new)
        self._waiting = [*self._waiting, *new][-most:]

    def take(self) -> dict[str, Any] | None:
        """Return what has been collected; None if it is not wanted, or nothing."""
        if not self.is_wanted or not (self._begins or self._waiting):
            return None
        news = {"reset": self._begins, "entries": self._waiting}
        self._waiting, self._begins = [], False
        return news
