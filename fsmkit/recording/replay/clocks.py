"""Clocks: one time for many machines."""

from __future__ import annotations

from typing import Any

from fsmkit import Fsm


class Clocks:
    """The time of a recording: seconds since the first machine began; it never goes back.

    A machine's own time stands still while the machine is stopped, and each has begun at a moment
    of its own. So each outermost one has an offset to add to its time.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self._clocks: dict[Fsm[Any], tuple[Fsm[Any], float]] = {}
        """Machine -> the outermost one around it, and the offset."""

    def add(self, machine: Fsm[Any], outermost: Fsm[Any]) -> None:
        """Add a machine, whose time is that of the outermost one around it."""
        self._clocks[machine] = (outermost, self.time - outermost.time if self.time else 0.0)

    def adjust(self, machine: Fsm[Any]) -> None:
        """Adjust the offset of an outermost machine: its own time begins now."""
        clock, _ = self._clocks[machine]
        if clock is machine:
            for each, (other, _) in self._clocks.items():
                if other is clock:
                    self._clocks[each] = (clock, self.time - clock.time)

    def advance(self, machine: Fsm[Any]) -> float:
        """Let it be as late as it is for `machine`, and return the time."""
        clock, offset = self._clocks[machine]
        self.time = max(self.time, clock.time + offset)
        return self.time
