"""Observation: an observer of a number of machines that changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fsmkit import Fsm


class Observation:
    """Attaches one observer to those machines that it has to hear of."""

    def __init__(self, observer: object) -> None:
        self._observer = observer
        self._undo: dict[Fsm[Any], Callable[[], None]] = {}

    def __iter__(self) -> Iterator[Fsm[Any]]:
        return iter(self._undo)

    def keep_to(self, machines: Iterable[Fsm[Any]]) -> None:
        """Observe these machines, and no others."""
        wanted = dict.fromkeys(machines)
        for machine in [machine for machine in self._undo if machine not in wanted]:
            self.drop(machine)
        for machine in wanted:
            if machine not in self._undo:
                self._undo[machine] = machine.observe(self._observer)

    def drop(self, machine: Fsm[Any]) -> None:
        """Observe this machine no more."""
        if undo := self._undo.pop(machine, None):
            undo()
