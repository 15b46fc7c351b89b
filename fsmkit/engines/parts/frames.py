"""Frames: the updates of machines by the frames of an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field

from fsmkit import TimeReference
from fsmkit.engines.parts.delivering import Machines
from fsmkit.engines.parts.lifetime import Lifetime, ThingGoneError
from fsmkit.timing import FixedStep


@define(eq=False)
class Frames:
    """Updates `machines` by frames of any length.

    They get the seconds of the frame, at most `max_dt`, scaled by `time`; with a `step` in steps of
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
        step = self.step
        if step is None or isinstance(step, FixedStep):
            self._fixed = step
        else:
            self._fixed = FixedStep(step)
            self._fixed.max_steps = max(1, round(self.max_dt / self._fixed.step))

    def update(self, passed: float) -> bool:
        """Let `passed` seconds of the engine pass; return False once the machines have ended."""
        if not self._goes_on():
            return False
        dt = min(passed, self.max_dt)
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


def lifetime_of(machines: Machines, thing: Any, is_gone: Callable[[Any], bool]) -> Lifetime | None:
    """Return the lifetime of machines that end with `thing`; None for those without one."""
    return None if thing is None else Lifetime(machines, thing, is_gone)
