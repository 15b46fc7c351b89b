"""Stopping: the requests about breakpoints."""

from __future__ import annotations

from attrs import frozen

from fsmkit.inspector.loop.breakpoints import Breakpoints
from fsmkit.inspector.loop.inspected import Inspected
from fsmkit.inspector.loop.requests import RequestError


@frozen
class Stopping:
    """Sets and removes breakpoints."""

    inspected: Inspected
    breakpoints: Breakpoints

    def break_(self, machine: str, kind: str, name: str, on: bool) -> None:
        """Set or remove a breakpoint."""
        target = self.inspected.machine(machine)
        if kind not in ("state", "event"):
            raise RequestError(f"A breakpoint must be on a state or an event, got {kind!r}.")
        if kind == "state" and name not in target.states:
            raise RequestError(f"{machine!r} has no state {name!r}.")
        self.breakpoints.set(target, kind, name, on=on)
