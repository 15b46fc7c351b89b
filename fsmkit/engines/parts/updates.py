"""Updates of machines by the frames of an engine, for as long as the things they move exist."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from sys import maxsize
from typing import Any, Final
from weakref import WeakValueDictionary

from attrs import Factory, define, field

from fsmkit import Fsm, TimeReference
from fsmkit.core.checks import arguments
from fsmkit.engines.parts.delivery import Machines, check_machines
from fsmkit.engines.parts.things import got
from fsmkit.timing import FixedStep


class ThingGoneError(RuntimeError):
    """Raised by a transform whose thing has been removed from its engine."""


def _predicate(kind: type | Callable[[Any], bool]) -> Callable[[Any], bool]:
    return (lambda thing: isinstance(thing, kind)) if isinstance(kind, type) else kind


@define(eq=False)
class Lifetime:
    """Stops machines when their thing is gone.

    `thing` is one for all of them, or None, or a function from a machine to its own, or to None:
    then only that machine is stopped, and it leaves its group. Their exits run, and may write to a
    thing that is gone. `is_one`, a class or a function, tells the engine's things from all else;
    `wanted` names them. TypeError for anything but a thing or a function.
    """

    machines: Machines
    thing: Any
    is_gone: Callable[[Any], bool]
    is_one: Callable[[Any], bool] = field(
        default=lambda thing: not callable(thing), converter=_predicate
    )
    wanted: str = "a thing"

    def __attrs_post_init__(self) -> None:
        thing = self.thing
        if thing is not None:
            if isinstance(thing, type) or not (self.is_one(thing) or callable(thing)):
                raise self._not_one(thing)
            self.has_lost_any()  # notes the things that exist, to notice when they go

    def goes_on(self) -> bool:
        """Stop the machines that lost their thing; return False once none will ever run again."""
        if self.thing is None:
            return True
        if self.is_one(self.thing) or isinstance(self.machines, Fsm):
            if not self.has_lost_any():
                return True
            for machine in _members(self.machines):
                stop_without_thing(machine)
            return False
        for machine in tuple(self.machines):  # the exit of an earlier one may remove some of them
            if machine in self.machines and self.has_lost_its_own(machine):
                self.machines.remove(machine)
                stop_without_thing(machine)
        return True

    def accounts_for(self, error: Exception) -> bool:
        """Return True if `error` comes from a machine that has removed its own thing."""
        if isinstance(error, ExceptionGroup) and error.split(ThingGoneError)[1] is not None:
            return False
        return self.has_lost_any()

    def has_lost_any(self) -> bool:
        """Return True if a thing is gone; some engines know this only of things seen before."""
        if self.thing is None:
            return False
        if self.is_one(self.thing):
            return self.is_gone(self.thing)
        lost = [self.has_lost_its_own(machine) for machine in _members(self.machines)]
        return any(lost)

    def has_lost_its_own(self, machine: Fsm[Any]) -> bool:
        """Return True if the thing of a machine is gone; TypeError for anything else."""
        thing = self.thing(machine)
        if thing is not None and not self.is_one(thing):
            raise self._not_one(thing)
        return thing is not None and self.is_gone(thing)

    def _not_one(self, thing: object) -> TypeError:
        return TypeError(
            f"attach: {self.wanted}, or a function from a machine to one, {got(thing)}"
        )


@define(eq=False)
class Frames:
    """Updates `machines` by frames of any length.

    They get the seconds of the frame, at most `max_dt`, and 0 where the engine's clock has been set
    back, scaled by `time`; with a `step` in steps of exactly that many seconds, as many as are due
    (a FixedStep of your own also tells its `alpha`, for drawing in between). With a `lifetime` they
    end with their thing.
    """

    machines: Machines
    max_dt: float = 0.25
    time: TimeReference | None = None
    step: float | FixedStep | None = None
    lifetime: Lifetime = field(
        default=Factory(lambda frames: Lifetime(frames.machines, None, bool), takes_self=True)
    )
    _fixed: FixedStep | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        check_machines("attach", self.machines)
        check_max_dt(self.max_dt)
        self._fixed = None if self.step is None else fixed_step(self.step, self.max_dt)

    def update(self, passed: float) -> bool:
        """Let `passed` seconds of the engine pass; return False once the machines have ended."""
        if not self.lifetime.goes_on():
            return False
        dt = min(max(passed, 0.0), self.max_dt)
        if self.time is not None:
            dt = self.time.scaled(dt)
        for seconds in (dt,) if self._fixed is None else self._fixed.steps(dt):
            self._update(seconds)
            if not self.lifetime.goes_on():
                return False
        return True

    def _update(self, seconds: float) -> None:
        try:
            self.machines.update(seconds)
        except (ThingGoneError, ExceptionGroup) as error:
            if not self.lifetime.accounts_for(error):
                raise


def fixed_step(step: float | FixedStep, max_dt: float) -> FixedStep:
    """Return a FixedStep that makes at most as many steps per frame as fit into `max_dt`."""
    if isinstance(step, FixedStep):
        return step
    fixed = FixedStep(step)
    fixed.max_steps = maxsize if max_dt == inf else max(1, round(max_dt / fixed.step))
    return fixed


def check_max_dt(max_dt: float) -> None:
    arguments.number(max_dt, "attach: max_dt", above=0.0, most=inf, unit=" of seconds")


def was_removed(thing: Any, is_there: bool) -> bool:
    """Return True if a thing is not there now, but was at the last call for it."""
    was_there = _seen.get(id(thing)) is thing
    if is_there and not was_there:
        _seen[id(thing)] = thing
    return was_there and not is_there


_seen: Final[WeakValueDictionary[int, Any]] = WeakValueDictionary()
"""The things that were in their space, group or list when asked, by their id."""


def stop_without_thing(machine: Fsm[Any]) -> None:
    try:
        machine.stop()
    except* ThingGoneError:
        pass


def _members(machines: Machines) -> tuple[Fsm[Any], ...]:
    return (machines,) if isinstance(machines, Fsm) else tuple(machines)
