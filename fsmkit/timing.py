"""Time: references that scale it, timers that count it, fixed steps, and loops.

`run` and `run_async` drive machines by the computer's clock; nothing else in fsmkit reads a clock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import inf
from typing import Protocol

from attrs import define, field

from fsmkit.core.delayed import TIME_TOLERANCE

__all__ = ["TIME_TOLERANCE", "CountdownTimer", "FixedStep", "TimeReference", "run", "run_async"]


def _check_scale(reference: TimeReference, _attribute: object, scale: float) -> None:
    if not 0.0 <= scale < inf:
        raise ValueError(
            f"TimeReference {reference.name!r}: scale must be a finite number >= 0, got {scale!r}."
        )


@define(eq=False)
class TimeReference:
    """A named pace of time: slow motion for enemies, a pause for the world but not for menus.

    Actions that take time accept one as `time=`. `scale` is the number of its seconds per
    second of the machine; it may be changed at any time. Raises ValueError unless it is finite and
    not negative.

    >>> world = TimeReference("world", scale=0.5)
    >>> world.scaled(2.0)
    1.0
    >>> world.paused = True
    >>> world.scaled(2.0)
    0.0
    """

    name: str
    scale: float = field(default=1.0, validator=_check_scale)
    paused: bool = False

    def scaled(self, dt: float) -> float:
        """Return the seconds that pass here while `dt` seconds pass for the machine."""
        return 0.0 if self.paused else dt * self.scale


@define(eq=False)
class CountdownTimer:
    """A countdown of `duration` seconds, advanced by `update`.

    A duration of zero has elapsed from the start, with the ratio 1.

    >>> timer = CountdownTimer(2.0)
    >>> timer.update(0.5)
    >>> timer.ratio, timer.remaining, timer.has_elapsed
    (0.25, 1.5, False)
    >>> timer.update(99.0)
    >>> timer.ratio, timer.remaining, timer.has_elapsed
    (1.0, 0.0, True)
    """

    duration: float = field()
    time: TimeReference | None = field(default=None, kw_only=True)
    elapsed: float = field(default=0.0, init=False)

    def __attrs_post_init__(self) -> None:
        self.reset(self.duration)

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass, scaled by the time reference.

        Raises ValueError unless `dt` is finite and not negative.
        """
        checked_seconds(dt, "The time step of a timer")
        self.elapsed += self.time.scaled(dt) if self.time is not None else dt

    def reset(self, duration: float | None = None) -> None:
        """Begin again, with another duration if given: ValueError unless finite and >= 0."""
        if duration is not None:
            self.duration = checked_seconds(duration, "The duration of a timer")
        self.elapsed = 0.0

    @property
    def has_elapsed(self) -> bool:
        """True if the whole duration is over."""
        return self.elapsed >= self.duration - TIME_TOLERANCE

    @property
    def ratio(self) -> float:
        """The share of the duration that is over, from 0 to 1; exactly 1 when it has elapsed."""
        return 1.0 if self.has_elapsed else self.elapsed / self.duration

    @property
    def remaining(self) -> float:
        """The seconds still to go."""
        return 0.0 if self.has_elapsed else self.duration - self.elapsed


@define(eq=False)
class FixedStep:
    """A divider of frame times of any length into equal steps, for physics and reproducible runs.

    At most `max_steps` are made for one frame; the time beyond is dropped, so that a long frame
    does not make the next one longer still.

    >>> fixed = FixedStep(0.25)
    >>> list(fixed.steps(0.6)), list(fixed.steps(0.2))
    ([0.25, 0.25], [0.25])
    """

    step: float = field()
    max_steps: int = 8
    accumulated: float = field(default=0.0, init=False)

    def __attrs_post_init__(self) -> None:
        if not 0.0 < self.step < inf:
            raise ValueError(
                f"A fixed step must be a finite number of seconds > 0, got {self.step!r}."
            )
        if self.max_steps < 1:
            raise ValueError(f"max_steps must be at least 1, got {self.max_steps!r}.")

    def steps(self, frame_time: float) -> Iterator[float]:
        """Return the steps due after `frame_time` more seconds, each as its length in seconds."""
        self.accumulated += checked_seconds(frame_time, "A frame time")
        due = int((self.accumulated + min(TIME_TOLERANCE, self.step / 1000)) / self.step)
        self.accumulated = max(0.0, self.accumulated - due * self.step)
        return iter([self.step] * min(due, self.max_steps))

    @property
    def alpha(self) -> float:
        """The position of the present moment between the last step and the next, from 0 to 1."""
        return self.accumulated / self.step


def checked_seconds(seconds: float, what: str) -> float:
    """Return `seconds`; raise ValueError unless finite and >= 0, TypeError if not a number."""
    try:
        if 0.0 <= seconds < inf:
            return seconds
    except TypeError:
        raise TypeError(f"{what} must be a number of seconds, got {seconds!r}.") from None
    raise ValueError(f"{what} must be a finite number of seconds >= 0, got {seconds!r}.")


class Updatable(Protocol):
    """Anything with `update(dt)`, such as an Fsm or an FsmGroup."""

    def update(self, dt: float, /) -> None:
        """Let `dt` seconds pass."""


def run(machine: Updatable, fps: float = 60.0, seconds: float | None = None) -> None:
    """Update `machine` `fps` times a second for `seconds` (None: until an exception ends it).

    Each update gets the seconds that have really passed; after a long one the loop goes on from
    there and does not make up for missed frames. A machine that stops, or a group whose machines
    have all stopped, ends the loop. Raises ValueError unless `fps` and `seconds` are > 0.
    """
    for pause in _frames(machine, fps, seconds):
        time.sleep(pause)


async def run_async(machine: Updatable, fps: float = 60.0, seconds: float | None = None) -> None:
    """Do the same as `run`, but sleep with asyncio, so that other tasks go on meanwhile."""
    import asyncio  # here: it takes longer to import than all of fsmkit

    for pause in _frames(machine, fps, seconds):
        await asyncio.sleep(pause)


def _frames(machine: Updatable, fps: float, seconds: float | None) -> Iterator[float]:
    """Update once per frame; yield the seconds to sleep until the next one."""
    if not 0.0 < fps < inf:
        raise ValueError(f"fps must be a finite number of frames per second > 0, got {fps!r}.")
    if seconds is not None and not 0.0 < seconds < inf:
        raise ValueError(
            f"seconds must be a finite number > 0, or None for no end, got {seconds!r}."
        )
    last = due = time.monotonic()
    end = inf if seconds is None else last + seconds
    while getattr(machine, "is_running", True):
        now = time.monotonic()
        due = min(max(due + 1.0 / fps, now), end)
        yield max(0.0, due - now)
        now = time.monotonic()
        machine.update(now - last)
        last = now
        if now >= end:
            return
