"""GroupRewind: the last minutes of a whole group, to go back to one moment together."""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.reading.plain_values import PlainValues, capture
from fsmkit.recording import snapshot
from fsmkit.recording.snapshots.reader import SnapshotReader

INTERVAL: Final = 1.0
"""Seconds between two frames: of 32 machines each takes about 4 ms."""

LIMIT: Final = 300
"""Frames, five minutes of them."""

LARGEST: Final = 32_000_000
"""Bytes that they may take together, roughly."""


@frozen(eq=False)
class GroupFrame:
    """The machines of a group as they were at one moment."""

    seq: int
    time: float
    machines: Sequence[Fsm[Any]]
    """Those that could be saved."""
    unsaved: Collection[Fsm[Any]]
    """Those that could not."""
    packed: bytes
    """A snapshot of each, compressed."""
    plain_values: Sequence[PlainValues]
    """Those of the context of each."""
    size: int

    def put_back(self, present: Collection[Fsm[Any]]) -> None:
        """Put those of the machines back that are `present`: all of them, or none.

        Raises SnapshotError or FsmError if one of them cannot be restored.
        """
        saved = json.loads(zlib.decompress(self.packed))
        staying = [
            (machine, data, values)
            for machine, data, values in zip(self.machines, saved, self.plain_values, strict=True)
            if machine in present
        ]
        readers = [
            SnapshotReader((machine,), data, None, exactly=True) for machine, data, _ in staying
        ]
        for reader in readers:  # each has been checked, so none fails any more
            reader.apply()
        for _, _, values in staying:
            values.put_back()

    def too_large(self, names: Mapping[Fsm[Any], str]) -> Iterator[str]:
        """Yield the names of the containers that are not restored: `Wolf: context.tiles`."""
        for machine, values in zip(self.machines, self.plain_values, strict=True):
            if machine in names:
                for each in values.too_large("context"):
                    yield f"{names[machine]}: {each}"


class GroupRewind:
    """A ring of frames of a group; the oldest ones are dropped."""

    def __init__(self) -> None:
        self._ring: deque[GroupFrame] = deque()
        self._next = 0
        self._size = 0

    def is_due(self, time: float) -> bool:
        """Return True if the group as it is at `time` should be kept."""
        return not self._ring or not 0.0 <= time - self._ring[-1].time < INTERVAL

    def keep(self, time: float, machines: Sequence[Fsm[Any]]) -> None:
        """Keep the machines as they are now, between two calls to them."""
        saved: dict[Fsm[Any], dict[str, Any]] = {}
        for machine in machines:
            if (data := _snapshot(machine)) is not None:
                saved[machine] = data
        packed = zlib.compress(json.dumps(list(saved.values())).encode(), level=1)
        before = self._values_before()
        values = [capture(machine.context, before.get(machine)) for machine in saved]
        pairs = zip(saved, values, strict=True)
        size = len(packed) + sum(each.added_size(before.get(machine)) for machine, each in pairs)
        unsaved = tuple(machine for machine in machines if machine not in saved)
        frame = GroupFrame(self._next, time, tuple(saved), unsaved, packed, values, size)
        self._ring.append(frame)
        self._next += 1
        self._size += size
        while len(self._ring) > LIMIT or (self._size > LARGEST and len(self._ring) > 1):
            self._size -= self._ring.popleft().size

    def at(self, time: float) -> GroupFrame | None:
        """Return the last frame up to that time; None if there is none."""
        index = bisect_right(self._ring, time, key=attrgetter("time"))
        return self._ring[index - 1] if index else None

    def frame(self, seq: int) -> GroupFrame | None:
        """Return the frame of that number; None if it is not kept."""
        return next((each for each in self._ring if each.seq == seq), None)

    def _values_before(self) -> dict[Fsm[Any], PlainValues]:
        if not self._ring:
            return {}
        last = self._ring[-1]
        return dict(zip(last.machines, last.plain_values, strict=True))


def _snapshot(machine: Fsm[Any]) -> dict[str, Any] | None:
    try:
        return snapshot(machine)
    except Exception:  # a SnapshotError, or what a user's class raises when it is read
        return None
