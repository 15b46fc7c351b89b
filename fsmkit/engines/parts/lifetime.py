"""Lifetime: machines that end with the thing they move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define

from fsmkit import Fsm, FsmGroup
from fsmkit.engines.parts.delivering import Machines


class ThingGoneError(RuntimeError):
    """Raised by a transform whose thing has been removed from its engine."""


@define(eq=False)
class Lifetime:
    """The machines that are stopped when their thing is gone.

    `thing` is one for all of them, or a function from a machine to its own: that machine alone is
    stopped then, and leaves its group. Their exits run; what these still write to a thing that is
    gone is no error.
    """

    machines: Machines
    thing: Any
    is_gone: Callable[[Any], bool]

    def goes_on(self) -> bool:
        """Stop what has lost its thing; return False once nothing will ever go on."""
        if not _is_function(self.thing):
            gone = self.is_gone(self.thing)
            if gone:
                for machine in _members(self.machines):
                    stop_without_thing(machine)
            return not gone
        for machine in _members(self.machines):
            if self.is_gone(self.thing(machine)):
                if isinstance(self.machines, FsmGroup):
                    self.machines.remove(machine)
                stop_without_thing(machine)
                if machine is self.machines:
                    return False
        return True

    def accounts_for(self, error: Exception) -> bool:
        """Return True if `error` comes of a machine that has removed its own thing."""
        if isinstance(error, ExceptionGroup) and error.split(ThingGoneError)[1] is not None:
            return False
        if not _is_function(self.thing):
            return self.is_gone(self.thing)
        return any(self.is_gone(self.thing(machine)) for machine in _members(self.machines))


def stop_without_thing(machine: Fsm[Any]) -> None:
    """Stop a machine whose thing is gone."""
    try:
        machine.stop()
    except* ThingGoneError:
        pass


def _members(machines: Machines) -> tuple[Fsm[Any], ...]:
    return (machines,) if isinstance(machines, Fsm) else tuple(machines)


def _is_function(thing: Any) -> bool:
    return callable(thing) and not (hasattr(thing, "position") or hasattr(thing, "rect"))
