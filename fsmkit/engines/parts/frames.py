"""Frames: the updates of machines by the frames of an engine."""

from __future__ import annotations

from math import inf
from numbers import Real
from sys import maxsize

from attrs import define, field

from fsmkit import TimeReference
from fsmkit.engines.parts.delivering import Machines, checked_machines
from fsmkit.engines.parts.lifetime import Lifetime, ThingGoneError
from fsmkit.timing import FixedStep


@define(eq=False)
class Frames:
    """Updates `machines` by frames of any length.

    They get the seconds of the frame, at most `max_dt`, and 0 where the engine's clock has been put
    back, scaled by `time`; with a `step` in steps of
    exactly so many seconds, as many as have come due (a FixedStep of your own also tells its
    `alpha`, for drawing in between). With a `lifetime` they end with their thing.
    """

    machines: Machines
    max_dt: float = 0.25
    time: TimeReference | None = None
    step: float | FixedStep | None = None
    lifetime: Lifetime | None = None
    _fixed: FixedStep | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        checked_machines("attach", self.machines)
        checked_max_dt(self.max_dt)
        self._fixed = None if self.step is None else fixed_step(self.step, self.max_dt)

    def update(self, passed: float) -> bool:
        """Let `passed` seconds of the engine pass; return False once the machines have ended."""
        if not self._goes_on():
            return False
        dt = min(max(passed, 0.0), self.max_dt)
        if self.time is not None:
            dt = self.time.scaled(dt)
        for seconds in (dt,) if self._fixed is None else self._fixed.steps(dt):
            self._update(seconds)
            if not self._goes_on():
                return False
        return True

    def _update(self, seconds: float) -> None:
        try:
            self.machines.update(seconds)
        except (ThingGoneError, ExceptionGroup) as error:
            if self.lifetime is None or not self.lifetime.accounts_for(error):
                raise

    def _goes_on(self) -> bool:
        return self.lifetime is None or self.lifetime.goes_on()


def fixed_step(step: float | FixedStep, max_dt: float) -> FixedStep:
    """Return what divides frames into these steps: of one frame as many as make up `max_dt`."""
    if isinstance(step, FixedStep):
        return step
    fixed = FixedStep(step)
    fixed.max_steps = maxsize if max_dt == inf else max(1, round(max_dt / fixed.step))
    return fixed


def checked_max_dt(max_dt: float) -> float:
    """Return `max_dt`; TypeError if it is no number, ValueError if it is not > 0."""
    message = f"attach: max_dt must be a number of seconds > 0, got {max_dt!r}."
    if not isinstance(max_dt, Real):
        raise TypeError(message)
    if not max_dt > 0.0:
        raise ValueError(message)
    return max_dt
