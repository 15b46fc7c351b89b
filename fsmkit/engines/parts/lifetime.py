"""Lifetime: machines that end with the thing they move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field

from fsmkit import Fsm
from fsmkit.engines.parts.delivering import Machines
from fsmkit.engines.parts.things import what_came


class ThingGoneError(RuntimeError):
    """Raised by a transform whose thing has been removed from its engine."""


def _is_no_function(thing: Any) -> bool:
    return not callable(thing)


@define(eq=False)
class Lifetime:
    """The machines that are stopped when their thing is gone.

    `thing` is one for all of them, or a function from a machine to its own, or to None: that
    machine alone is stopped then, and leaves its group. Their exits run; what these still write to
    a thing that is gone is no error. `is_one` tells a thing from all else; `wanted` says which.
    """

    machines: Machines
    thing: Any
    is_gone: Callable[[Any], bool]
    is_one: Callable[[Any], bool] = field(default=_is_no_function)
    wanted: str = field(default="a thing")

    def goes_on(self) -> bool:
        """Stop what has lost its thing; return False once nothing will ever go on."""
        if self.is_one(self.thing):
            gone = self.is_gone(self.thing)
            if gone:
                for machine in _members(self.machines):
                    stop_without_thing(machine)
            return not gone
        if isinstance(self.machines, Fsm):
            lost = self.has_lost_its_own(self.machines)
            if lost:
                stop_without_thing(self.machines)
            return not lost
        for machine in tuple(self.machines):  # of which the exit of an earlier one may remove some
            if machine in self.machines and self.has_lost_its_own(machine):
                self.machines.remove(machine)
                stop_without_thing(machine)
        return True

    def accounts_for(self, error: Exception) -> bool:
        """Return True if `error` comes of a machine that has removed its own thing."""
        if isinstance(error, ExceptionGroup) and error.split(ThingGoneError)[1] is not None:
            return False
        return self.has_lost_any()

    def has_lost_any(self) -> bool:
        """Return True if a thing is gone; engines only tell so of things that were seen before."""
        if self.is_one(self.thing):
            return self.is_gone(self.thing)
        lost = [self.has_lost_its_own(machine) for machine in _members(self.machines)]
        return any(lost)

    def has_lost_its_own(self, machine: Fsm[Any]) -> bool:
        """Return True if the thing that the function returns is gone; TypeError for no thing."""
        thing = self.thing(machine)
        if thing is not None and not self.is_one(thing):
            raise not_one(self.wanted, thing)
        return thing is not None and self.is_gone(thing)


def lifetime_of(
    machines: Machines,
    thing: Any,
    is_gone: Callable[[Any], bool],
    is_one: Callable[[Any], bool],
    wanted: str,
) -> Lifetime | None:
    """Return the lifetime of machines that end with `thing`; None for those without one.

    TypeError for what is neither a thing, by `is_one`, nor a function. The things that are there
    are looked at, so that those are missed that are gone by the first frame.
    """
    if thing is None:
        return None
    if isinstance(thing, type) or not (is_one(thing) or callable(thing)):
        raise not_one(wanted, thing)
    lifetime = Lifetime(machines, thing, is_gone, is_one, wanted)
    lifetime.has_lost_any()
    return lifetime


def not_one(wanted: str, got: object) -> TypeError:
    """Return the error for what is no thing of the engine."""
    return TypeError(f"attach: {wanted}, or a function from a machine to one, {what_came(got)}")


def stop_without_thing(machine: Fsm[Any]) -> None:
    """Stop a machine whose thing is gone."""
    try:
        machine.stop()
    except* ThingGoneError:
        pass


def _members(machines: Machines) -> tuple[Fsm[Any], ...]:
    return (machines,) if isinstance(machines, Fsm) else tuple(machines)
