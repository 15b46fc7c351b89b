"""Time: references that scale it, timers that count it, steps that cut it even, and loops.

`run` and `run_async` drive machines by the clock of the computer; the rest of fsmkit reads none.
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
            f"TimeReference {reference.name!r}: scale is finite and >= 0, not {scale!r}."
        )


@define(eq=False)
class TimeReference:
    """A named pace of time: slow motion for enemies, a pause for the world but not for menus.

    Actions that take time accept one as `time=`. `scale` is seconds of its time per second of the
    machine's; it may be changed at any moment. Raises ValueError unless it is finite and not
    negative.

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
        """The seconds that pass here while `dt` seconds pass for the machine."""
        return 0.0 if self.paused else dt * self.scale


@define(eq=False)
class CountdownTimer:
    """Counts `duration` seconds down, by the seconds it is handed.

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
        """Let `dt` seconds pass, or what the time reference makes of them.

        Raises ValueError unless they are finite and not negative.
        """
        checked_seconds(dt, "The time step of a timer")
        self.elapsed += self.time.scaled(dt) if self.time is not None else dt

    def reset(self, duration: float | None = None) -> None:
        """Begin anew, with another duration if one is given. ValueError unless finite and >= 0."""
        if duration is not None:
            self.duration = checked_seconds(duration, "The duration of a timer")
        self.elapsed = 0.0

    @property
    def has_elapsed(self) -> bool:
        """Whether the whole duration is over."""
        return self.elapsed >= self.duration - TIME_TOLERANCE

    @property
    def ratio(self) -> float:
        """How much of the duration is over, from 0 to 1; exactly 1 when it has elapsed."""
        return 1.0 if self.has_elapsed else self.elapsed / self.duration

    @property
    def remaining(self) -> float:
        """Seconds still to go."""
        return 0.0 if self.has_elapsed else self.duration - self.elapsed


@define(eq=False)
class FixedStep:
    """Cuts frame times of any length into equal steps, for physics and reproducible runs.

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
            raise ValueError(f"A fixed step is in seconds, finite and > 0, not {self.step!r}.")
        if self.max_steps < 1:
            raise ValueError(f"max_steps is at least 1, not {self.max_steps!r}.")

    def steps(self, frame_time: float) -> Iterator[float]:
        """The steps, each as its length in seconds, due after `frame_time` more seconds."""
        self.accumulated += checked_seconds(frame_time, "A frame time")
        due = int((self.accumulated + min(TIME_TOLERANCE, self.step / 1000)) / self.step)
        self.accumulated = max(0.0, self.accumulated - due * self.step)
        return iter([self.step] * min(due, self.max_steps))

    @property
    def alpha(self) -> float:
        """How far the present moment lies between the last step and the next, from 0 to 1."""
        return self.accumulated / self.step


def checked_seconds(seconds: float, what: str) -> float:
    """Return `seconds`; raise ValueError unless finite and >= 0, TypeError if no number."""
    try:
        if 0.0 <= seconds < inf:
            return seconds
    except TypeError:
        raise TypeError(f"{what} is a number of seconds, not {seconds!r}.") from None
    raise ValueError(f"{what} is in seconds, finite and >= 0, not {seconds!r}.")


class Updatable(Protocol):
    """What can be driven: an Fsm, an FsmGroup, or anything else with `update(dt)`."""

    def update(self, dt: float, /) -> None:
        """Let `dt` seconds pass."""


def run(machine: Updatable, fps: float = 60.0, seconds: float | None = None) -> None:
    """Update `machine` `fps` times a second for `seconds` (None: until an exception ends it).

    Each update is handed the seconds that really went by; after a long one the loop goes on from
    there and does not make up for frames. A machine that stops, or a group whose machines have all
    stopped, ends the loop. Raises ValueError unless `fps` and `seconds` are > 0.
    """
    for pause in _frames(machine, fps, seconds):
        time.sleep(pause)


async def run_async(machine: Updatable, fps: float = 60.0, seconds: float | None = None) -> None:
    """The same as `run`, sleeping with asyncio so that other tasks go on meanwhile."""
    import asyncio  # here: it takes longer to import than all of fsmkit

    for pause in _frames(machine, fps, seconds):
        await asyncio.sleep(pause)


def _frames(machine: Updatable, fps: float, seconds: float | None) -> Iterator[float]:
    """Update once per frame; yield the seconds to sleep until the next one."""
    if not 0.0 < fps < inf:
        raise ValueError(f"fps is frames per second, finite and > 0, not {fps!r}.")
    if seconds is not None and not 0.0 < seconds < inf:
        raise ValueError(f"seconds is finite and > 0, or None for no end, not {seconds!r}.")
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
