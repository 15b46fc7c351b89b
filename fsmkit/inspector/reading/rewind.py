"""Moments: the last minutes of a machine, to look at and to go back to."""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections import deque
from operator import attrgetter
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.plain_values import Memory, remember
from fsmkit.recording import SnapshotError, restore, snapshot

INTERVAL: Final = 0.2
"""Seconds of the machine's time between two moments, while no state changes."""

LIMIT: Final = 1_500
"""Five minutes of them."""

LARGEST: Final = 32_000_000
"""Bytes, about, that they may take together."""


@frozen(eq=False)
class Moment:
    """A machine as it was."""

    seq: int
    time: float
    packed: bytes
    """What was to be seen of it, and its snapshot, if it could be saved: a tenth of their size."""
    can_go_on: bool
    memory: Memory
    size: int

    @property
    def too_large(self) -> list[str]:
        """What is not put back, for it has too many entries."""
        return list(self.memory.too_large("context"))

    def told(self) -> dict[str, Any]:
        """The moment for the page."""
        detail, _ = self._unpacked()
        return {"seq": self.seq, "time": self.time, "detail": detail, "can_go_on": self.can_go_on}

    def put_back(self, machine: Fsm[Any]) -> None:
        """Bring `machine` to it."""
        _, saved = self._unpacked()
        restore(machine, saved)
        self.memory.put_back()

    def _unpacked(self) -> tuple[Detail, dict[str, Any]]:
        detail, saved = json.loads(zlib.decompress(self.packed))
        return detail, saved


class Moments:
    """A ring of moments of one machine; the oldest ones make room."""

    def __init__(self, machine: Fsm[Any]) -> None:
        self.machine = machine
        self._ring: deque[Moment] = deque()
        self._next = 0
        self._size = 0

    def are_due(self, time: float, *, has_changed: bool) -> bool:
        """Whether this one is to be kept."""
        if not self._ring or has_changed:
            return True
        return not 0.0 <= time - self._ring[-1].time < INTERVAL

    def keep(self, time: float, detail: Detail) -> None:
        """Keep the machine as it is now, between two calls to it."""
        saved = self._snapshot()
        packed = zlib.compress(json.dumps((detail, saved)).encode(), level=1)
        last = self._ring[-1].memory if self._ring else None
        memory = remember(self.machine.context, last)
        size = len(packed) + memory.size_beside(last)
        self._ring.append(Moment(self._next, time, packed, saved is not None, memory, size))
        self._next += 1
        self._size += size
        while len(self._ring) > LIMIT or (self._size > LARGEST and len(self._ring) > 1):
            self._size -= self._ring.popleft().size

    def at(self, time: float) -> Moment | None:
        """The last moment up to that time, or else the first one; None if there is none."""
        index = bisect_right(self._ring, time, key=attrgetter("time"))
        return self._ring[max(0, index - 1)] if self._ring else None

    def go_back(self, seq: int) -> Moment | None:
        """Bring the machine to that moment; None if it is not kept, or cannot be gone back to."""
        moment = next((each for each in reversed(self._ring) if each.seq == seq), None)
        if moment is None or not moment.can_go_on:
            return None
        moment.put_back(self.machine)
        return moment

    def _snapshot(self) -> dict[str, Any] | None:
        try:
            return snapshot(self.machine)
        except SnapshotError:
            return None
