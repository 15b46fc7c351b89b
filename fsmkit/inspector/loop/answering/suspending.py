"""Suspending: the request that keeps the updates from one machine of several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.loop.inspected import Inspected
from fsmkit.inspector.loop.requests import RequestError
from fsmkit.inspector.loop.suspensions import Suspensions


@frozen
class Suspending:
    """Suspends and resumes single machines."""

    inspected: Inspected
    suspensions: Suspensions
    note: Callable[[Fsm[Any], str], None]
    """Called after that, with the machine and a text for its log."""

    def suspend(self, machine: str, on: bool) -> None:
        """Suspend a machine, or resume it."""
        target = self.inspected.machine(machine)
        if target is self.inspected.machines:
            raise RequestError(f"{machine!r} is the only machine here. Pause instead.")
        if on != (target in self.suspensions):
            self.suspensions.set(target, on=on)
            self.note(target, f"{'suspended' if on else 'resumed'} on the page")
