"""Rewind: the last minutes of a machine, to look at and to go back to."""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.plain_values import PlainValues, capture
from fsmkit.recording import restore, snapshot

INTERVAL: Final = 0.2
"""Seconds between two frames while no state changes."""

LIMIT: Final = 1_500
"""Frames, five minutes of them."""

LARGEST: Final = 32_000_000
"""Bytes that they may take together, roughly."""


@frozen(eq=False)
class RewindFrame:
    """A machine as it was at one moment."""

    seq: int
    time: float
    packed: bytes
    """Its details, and its snapshot if it could be saved, compressed to about a tenth."""
    can_go_on: bool
    plain_values: PlainValues
    size: int

    @property
    def too_large(self) -> list[str]:
        """The names of the containers that are not restored, since they have too many entries."""
        return list(self.plain_values.too_large("context"))

    def to_json(self) -> dict[str, Any]:
        """Return the frame for the page."""
        detail, _ = self._unpacked()
        return {"seq": self.seq, "time": self.time, "detail": detail, "can_go_on": self.can_go_on}

    def put_back(self, machine: Fsm[Any]) -> None:
        """Put `machine` back to this moment."""
        _, saved = self._unpacked()
        restore(machine, saved)
        self.plain_values.put_back()

    def _unpacked(self) -> tuple[Detail, dict[str, Any]]:
        detail, saved = json.loads(zlib.decompress(self.packed))
        return detail, saved


class Rewind:
    """A ring of frames of one machine; the oldest ones are dropped."""

    def __init__(self, machine: Fsm[Any]) -> None:
        self.machine = machine
        self._ring: deque[RewindFrame] = deque()
        self._next = 0
        self._size = 0

    def is_due(self, time: float, *, has_changed: bool) -> bool:
        """Return True if the machine as it is at `time` should be kept."""
        if not self._ring or has_changed:
            return True
        return not 0.0 <= time - self._ring[-1].time < INTERVAL

    def keep(self, time: float, detail: Detail) -> None:
        """Keep the machine as it is now, between two calls to it."""
        saved = self._snapshot()
        packed = zlib.compress(json.dumps((detail, saved)).encode(), level=1)
        last = self._ring[-1].plain_values if self._ring else None
        values = capture(self.machine.context, last)
        size = len(packed) + values.added_size(last)
        self._ring.append(RewindFrame(self._next, time, packed, saved is not None, values, size))
        self._next += 1
        self._size += size
        while len(self._ring) > LIMIT or (self._size > LARGEST and len(self._ring) > 1):
            self._size -= self._ring.popleft().size

    def past(self, names: Sequence[str]) -> Iterator[tuple[float, object]]:
        """Yield the times that are kept, and the plain value of the context at the path `names`."""
        for frame in self._ring:
            yield frame.time, frame.plain_values.at(names)

    def at(self, time: float) -> RewindFrame | None:
        """Return the last frame up to that time, or else the first one; None if there is none."""
        index = bisect_right(self._ring, time, key=attrgetter("time"))
        return self._ring[max(0, index - 1)] if self._ring else None

    def go_back(self, seq: int) -> RewindFrame | None:
        """Go back to a frame and return it; None if it is not kept or has no snapshot."""
        frame = next((each for each in reversed(self._ring) if each.seq == seq), None)
        if frame is None or not frame.can_go_on:
            return None
        frame.put_back(self.machine)
        return frame

    def _snapshot(self) -> dict[str, Any] | None:
        try:
            return snapshot(self.machine)
        except Exception:  # a SnapshotError, or what a user's class raises when it is read
            return None
