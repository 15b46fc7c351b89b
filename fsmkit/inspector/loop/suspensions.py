"""Suspensions: machines that get no updates, since a page has suspended them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fsmkit import Fsm


class Suspensions:
    """Keeps updates from single machines; events still reach them. Others are not touched.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Guard")
    >>> suspensions = Suspensions()
    >>> suspensions.set(fsm, on=True)
    >>> fsm.update(1.0)
    >>> fsm.time
    0.0
    """

    def __init__(self) -> None:
        self._undo: dict[Fsm[Any], Callable[[], None]] = {}

    def __iter__(self) -> Iterator[Fsm[Any]]:
        return iter(self._undo)

    def __bool__(self) -> bool:
        return bool(self._undo)

    def __contains__(self, machine: object) -> bool:
        return machine in self._undo

    def set(self, machine: Fsm[Any], *, on: bool) -> None:
        """Suspend a machine, or resume it."""
        if on and machine not in self._undo:
            self._undo[machine] = machine.observe(self)
        elif not on and (undo := self._undo.pop(machine, None)):
            undo()

    def forget(self, machine: Fsm[Any]) -> None:
        """Resume a machine that leaves."""
        self.set(machine, on=False)

    def clear(self) -> None:
        """Resume all machines."""
        for machine in tuple(self._undo):
            self.set(machine, on=False)

    def intercept(
        self, _fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        """Carry out all calls but update."""
        return None if call == "update" else carry_out(**arguments)
