"""Clocks: one time for many machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsmkit import Fsm


class Clocks:
    """The time of a recording: seconds since the first machine began; it never goes back.

    A machine's own time stands still while the machine is stopped, and each has begun at a moment
    of its own. So each outermost one has an offset to add to its time.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self.offsets: dict[Fsm[Any], float] = {}
        """Outermost machine -> what to add to its time."""
        self._outermost: dict[Fsm[Any], Fsm[Any]] = {}

    def add(self, machine: Fsm[Any], outermost: Fsm[Any]) -> None:
        """Add a machine, whose time is that of the outermost one around it."""
        self._outermost[machine] = outermost
        if machine is outermost:
            self.offsets[machine] = self.time - machine.time if self.time else 0.0

    def remove(self, machine: Fsm[Any]) -> None:
        """Remove a machine that has left."""
        del self._outermost[machine]
        self.offsets.pop(machine, None)

    def adjust(self, machine: Fsm[Any]) -> None:
        """Adjust the offset of an outermost machine: its own time begins now."""
        if machine in self.offsets:
            self.offsets[machine] = self.time - machine.time

    def shift(self, machine: Fsm[Any], before: float) -> None:
        """An outermost machine, whose time was `before`, was put elsewhere; the time goes on."""
        if machine in self.offsets:
            self.offsets[machine] += before - machine.time

    def advance(self, machine: Fsm[Any]) -> float:
        """Let it be as late as it is for `machine`, and return the time."""
        clock = self._outermost[machine]
        self.time = max(self.time, clock.time + self.offsets[clock])
        return self.time

    def go_to(self, time: float, offsets: Mapping[Fsm[Any], float]) -> None:
        """Be at another moment."""
        self.time = time
        self.offsets.update(offsets)
