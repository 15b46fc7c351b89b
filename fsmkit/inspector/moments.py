"""Moments: the last minutes of a machine, to look at and to go back to."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from operator import attrgetter
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.details import Detail
from fsmkit.inspector.memory import Memory, remember
from fsmkit.recording import SnapshotError, restore, snapshot

INTERVAL: Final = 0.2
"""Seconds of the machine's time between two moments, while no state changes."""

LIMIT: Final = 1_500
"""Five minutes of them."""


@frozen(eq=False)
class Moment:
    """A machine as it was."""

    seq: int
    time: float
    detail: Detail
    snapshot: dict[str, Any] | None
    """None if it cannot be saved."""
    memory: Memory

    def told(self) -> dict[str, Any]:
        """The moment for the page."""
        return {
            "seq": self.seq,
            "time": self.time,
            "detail": self.detail,
            "can_go_on": self.snapshot is not None,
        }


class Moments:
    """A ring of moments of one machine."""

    def __init__(self, machine: Fsm[Any]) -> None:
        self.machine = machine
        self._ring: deque[Moment] = deque(maxlen=LIMIT)
        self._next = 0

    def are_due(self, time: float, *, has_changed: bool) -> bool:
        """Whether this one is to be kept."""
        if not self._ring or has_changed:
            return True
        return not 0.0 <= time - self._ring[-1].time < INTERVAL

    def keep(self, time: float, detail: Detail) -> None:
        """Keep the machine as it is now, between two calls to it."""
        moment = Moment(self._next, time, detail, self._snapshot(), remember(self.machine.context))
        self._ring.append(moment)
        self._next += 1

    def at(self, time: float) -> Moment | None:
        """The last moment up to that time, or else the first one; None if there is none."""
        index = bisect_right(self._ring, time, key=attrgetter("time"))
        return self._ring[max(0, index - 1)] if self._ring else None

    def go_back(self, seq: int) -> Moment | None:
        """Bring the machine to that moment; None if it is not kept, or cannot be gone back to."""
        moment = next((each for each in reversed(self._ring) if each.seq == seq), None)
        if moment is None or moment.snapshot is None:
            return None
        restore(self.machine, moment.snapshot)
        moment.memory.put_back()
        return moment

    def _snapshot(self) -> dict[str, Any] | None:
        try:
            return snapshot(self.machine)
        except SnapshotError:
            return None
