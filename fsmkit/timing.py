"""Time: references that scale it, timers that count it, fixed steps, and loops.

`run` and `run_async` drive machines by the computer's clock; nothing else in fsmkit reads a clock.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Coroutine, Generator, Iterator
from math import inf
from types import TracebackType
from typing import Any, Final, Protocol

from attrs import define, field

from fsmkit.core.checks import arguments as arguments  # noqa: PLC0414  # for actions too
from fsmkit.core.checks.functions import WithoutArguments as WithoutArguments  # noqa: PLC0414  # for actions
from fsmkit.core.delayed import TIME_TOLERANCE
from fsmkit.core.fsm import Fsm
from fsmkit.core.group import FsmGroup
from fsmkit.core.known_events import hosts
from fsmkit.core.running import stop_all
from fsmkit.core.words import notes as notes  # noqa: PLC0414  # for actions
from fsmkit.core.words import suggestions as suggestions  # noqa: PLC0414  # for actions

__all__ = ["TIME_TOLERANCE", "CountdownTimer", "FixedStep", "TimeReference", "run", "run_async"]


def _check_name(_reference: TimeReference, _attribute: object, name: str) -> None:
    arguments.instance(name, "TimeReference: name", str, "a str")


def _check_scale(reference: TimeReference, _attribute: object, scale: float) -> None:
    arguments.number(scale, f"TimeReference {reference.name!r}: scale", least=0.0)


@define(eq=False)
class TimeReference:
    """A named pace of time: slow motion for enemies, a pause for the world but not for menus.

    Actions that take time accept one as `time=`. `scale` is the number of its seconds per
    second of the machine; it may be changed at any time. Raises ValueError unless it is finite and
    not negative, TypeError unless it is a number.

    >>> world = TimeReference("world", scale=0.5)
    >>> world.scaled(2.0)
    1.0
    >>> world.paused = True
    >>> world.scaled(2.0)
    0.0
    """

    name: str = field(validator=_check_name)
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
        if self.time is not None:
            arguments.instance(self.time, "CountdownTimer: time", TimeReference, "a TimeReference")
        self.duration = checked_seconds(self.duration, "The duration of a timer")

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass, scaled by the time reference.

        Raises ValueError unless `dt` is finite and not negative.
        """
        dt = checked_seconds(dt, "The time step of a timer")
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

    At most `max_steps` are made for one frame; time beyond that is dropped, so that a long frame
    does not make the next one even longer.

    >>> fixed = FixedStep(0.25)
    >>> list(fixed.steps(0.6)), list(fixed.steps(0.2))
    ([0.25, 0.25], [0.25])
    """

    step: float = field()
    max_steps: int = 8
    accumulated: float = field(default=0.0, init=False)

    def __attrs_post_init__(self) -> None:
        self.step = arguments.number(self.step, "A fixed step", above=0.0, unit=" of seconds")
        self.max_steps = arguments.integer(self.max_steps, "max_steps", least=1)

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


def checked_seconds(seconds: object, what: str) -> float:
    """Return `seconds` as a float; ValueError unless finite and >= 0, TypeError if not a number."""
    return arguments.seconds(seconds, what)


class Updatable(Protocol):
    """Anything with `update(dt)`, such as an Fsm or an FsmGroup."""

    def update(self, dt: float, /) -> None:
        """Let `dt` seconds pass."""


def run(machine: Updatable, fps: float = 60.0, seconds: float | None = None) -> None:
    """Run `machine` by the clock: start it, and update it `fps` times a second for `seconds`.

    `seconds=None` means: until it stops, or an exception ends it. Each update gets the seconds that
    have actually passed; after a long one the loop continues from there and does not make up for
    missed frames. A machine that stops, or a group whose machines have all stopped, ends the loop.
    A final state does not stop a machine: let an action in it call `state.fsm.stop()`.

    *Starting.* A machine that is not running is started. In a group, machines that have never run
    are started, and all of them if none is running.

    *Stopping.* `run` stops the machines that it has started, so that every `on_exit` is called. A
    machine that was running before keeps running after `seconds`, for the next `run`. But Ctrl-C,
    the cancellation of a task, `sys.exit` or an error from an update end the run for good: then all
    machines are stopped, and the exception propagates to the caller. Errors of stopping are raised
    with it, as an ExceptionGroup; a KeyboardInterrupt and the like are raised as they are, with
    those errors as notes.

    Raises ValueError unless `fps` and `seconds` are > 0, TypeError unless they are numbers or if
    `machine` has no `update`.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("On")
    >>> run(fsm, fps=100, seconds=0.02)
    >>> fsm.time >= 0.02, fsm.is_running
    (True, False)
    """
    frames = _frames(machine, fps, seconds)
    with _KeptRunning(machine):
        for pause in frames:
            time.sleep(pause)


def run_async(
    machine: Updatable, fps: float = 60.0, seconds: float | None = None
) -> Coroutine[Any, Any, None]:
    """Do the same as `run`, but sleep with asyncio, so that other tasks run meanwhile: await it.

    It too continues in a final state, until an action or a task stops the machine. When its task is
    cancelled, the machines are stopped before the task ends, even if it has not had its first turn.
    Tasks that an action of these machines has cancelled, as `Await` does when its state is exited,
    have ended when this returns.

    >>> import asyncio
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("On")
    >>> asyncio.run(run_async(fsm, fps=100, seconds=0.02))
    >>> fsm.time >= 0.02, fsm.is_running
    (True, False)
    """
    return _AsyncRun(machine, _run_async(machine, fps, seconds))


class _AsyncRun(Coroutine[Any, Any, None]):
    """The coroutine of `run_async`, which stops the machines even if it ends before it has begun.

    A task that is cancelled before its first turn raises CancelledError in a coroutine of which no
    line has run, so no `finally` in an `async def` would see it.
    """

    def __init__(self, machine: Updatable, run: Coroutine[Any, Any, None]) -> None:
        self._machine = machine
        self._run = run
        self._has_begun = False

    def send(self, value: Any) -> Any:
        self._has_begun = True
        return self._run.send(value)

    def throw(self, kind: Any, value: Any = None, _traceback: TracebackType | None = None) -> Any:
        error = kind if value is None else value
        if self._has_begun:
            return self._run.throw(error)
        self._run.close()
        self._run = _end_async(self._machine, error if isinstance(error, BaseException) else kind())
        return self.send(None)

    def close(self) -> None:
        self._run.close()
        if not self._has_begun:
            self._has_begun = True
            stop_all(_members(self._machine))

    def __await__(self) -> Generator[Any, Any, None]:
        self._has_begun = True
        return self._run.__await__()

    def __getattr__(self, name: str) -> Any:
        """Return what asyncio and debuggers ask of a coroutine, such as its name and frame."""
        return getattr(self._run, name)


async def _run_async(machine: Updatable, fps: float, seconds: float | None) -> None:
    import asyncio  # here: it takes longer to import than all of fsmkit

    frames = _frames(machine, fps, seconds)
    before = set(_ENDING)
    try:
        with _KeptRunning(machine):
            for pause in frames:
                await asyncio.sleep(pause)
    finally:
        await _ends_of_tasks(machine, before)


async def _end_async(machine: Updatable, error: BaseException) -> None:
    """End a run that has not begun, because of an error."""
    before = set(_ENDING)
    try:
        stop_all(_members(machine), error)
        raise error
    finally:
        await _ends_of_tasks(machine, before)


_run_async.__name__ = _run_async.__qualname__ = "run_async"  # in the names of tasks and warnings
if sys.version_info >= (3, 12):  # for frameworks that ask
    inspect.markcoroutinefunction(run_async)


async def _ends_of_tasks(machine: Updatable, before: set[Any]) -> None:
    """Wait for the tasks that `machine` has cancelled, and those cancelled in this run of it.

    The latter are of machines that have left a group, or that only the updated object knows.
    `before` are the tasks that had been cancelled before the run: by whom, does not matter.
    """
    import asyncio

    run = asyncio.current_task()
    members = _members(machine)
    ending = [
        task
        for task, (owner, canceller) in [*_ENDING.items()]
        if owner in members or (canceller is run and task not in before)
    ]
    if ending := [task for task in ending if task.get_loop() is asyncio.get_running_loop()]:
        await asyncio.wait(ending)


def await_at_end(task: Any, machine: Fsm[Any]) -> None:
    """Keep a cancelled asyncio task of `machine` alive until it has ended.

    The `run_async` of the machine awaits it; also that of a machine around it.
    """
    import asyncio

    for left in [each for each in _ENDING if each.get_loop().is_closed()]:
        _has_ended(left)  # it never will
    if not task.done():
        outermost = [machine, *(host.fsm for host in hosts(machine))][-1]
        _ENDING[task] = outermost, asyncio.current_task(task.get_loop())
        task.add_done_callback(_has_ended)


def _has_ended(task: Any) -> None:
    _ENDING.pop(task, None)


_ENDING: Final[dict[Any, tuple[Fsm[Any], Any]]] = {}
"""Tasks that were cancelled and have not ended yet; asyncio itself does not keep them alive.

Each with its machine, the outermost one, and the task in which it was cancelled.
"""


class _KeptRunning:
    """A block that starts machines, and stops at the end those that have to be stopped.

    Not a `contextmanager`, which writes to the error of a user: a frozen dataclass refuses that.
    """

    def __init__(self, machine: Updatable) -> None:
        self._machine = machine
        self._ran_before = [member for member in _members(machine) if member.is_running]

    def __enter__(self) -> None:
        try:
            self._start()
        except BaseException as error:
            stop_all(_members(self._machine), error)
            raise

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        members = _members(self._machine)
        if error is None:
            stop_all(member for member in members if member not in self._ran_before)
        else:
            stop_all(members, error)

    def _start(self) -> None:
        if isinstance(self._machine, Fsm | FsmGroup):  # any other kind starts its machine itself
            for member in _members(self._machine):
                is_new = not self._ran_before or member.previous_state is None
                if is_new and not member.is_running:
                    member.start()


def _members(machine: Updatable) -> tuple[Fsm[Any], ...]:
    """The machines behind `machine`: itself, those of a group, or the one that it wraps."""
    if isinstance(machine, FsmGroup):
        return tuple(machine)
    inner = getattr(machine, "machine", machine)
    return (inner,) if isinstance(inner, Fsm) else ()


def _frames(machine: Updatable, fps: float, seconds: float | None) -> Iterator[float]:
    """Return an iterator that updates once per frame and yields the seconds to sleep until then."""
    if not callable(getattr(machine, "update", None)):
        raise TypeError(f"machine must be an Fsm, or anything with update(dt), got {machine!r}.")
    frame = 1.0 / arguments.number(fps, "fps", above=0.0, unit=" of frames per second")
    length = inf
    if seconds is not None:
        length = arguments.number(seconds, "seconds", above=0.0, otherwise=", or None for no end")
    return _updating(machine, frame, length)


def _updating(machine: Updatable, frame: float, length: float) -> Iterator[float]:
    last = due = time.monotonic()
    end = last + length
    while getattr(machine, "is_running", True):
        now = time.monotonic()
        due = min(max(due + frame, now), end)
        yield max(0.0, due - now)
        now = time.monotonic()
        machine.update(now - last)
        last = now
        if now >= end:
            return
