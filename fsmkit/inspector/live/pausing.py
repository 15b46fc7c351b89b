"""Pausing: calls to machines that are intercepted, their clock, and the loop held in the middle."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil, inf
from time import monotonic
from typing import Any, Final, Protocol, TypeAlias

from attrs import Factory, define, field, frozen

from fsmkit import Fsm
from fsmkit.core.checks import arguments
from fsmkit.inspector.live.breakpoints.breakpoint import Halt
from fsmkit.inspector.live.requests.page_request import RequestError

Advance: TypeAlias = Callable[[float], None]
"""Updates the machines by that many seconds."""

UpdateHandler: TypeAlias = Callable[[Advance, float], None]
"""Called in place of an update, with the function that carries it out and its seconds."""


class Interceptable(Protocol):
    def __len__(self) -> int: ...

    def intercept(self, handler: UpdateHandler, /) -> Callable[[], None]:
        """Have `handler` called in place of `update`, until the result is called."""
        ...


Updated: TypeAlias = "Fsm[Any] | Interceptable"
"""The object that a loop updates."""


def check_uninspected(machines: Updated) -> None:
    """Raise ValueError if the machines are already inspected."""
    if machines in _HANDLERS:
        raise ValueError(f"{machines!r} is already inspected. Close that inspector first.")


def intercept_updates(machines: Updated, handler: UpdateHandler) -> Callable[[], None]:
    """Have `handler` called in place of `machines.update`, until the result is called.

    For a group it replaces the update of the group only: its machines are not touched, so that
    thousands of them cost nothing. The same holds for a crowd.
    """
    _HANDLERS[machines] = handler
    if isinstance(machines, Fsm):
        detach = machines.observe(
            Interceptor("update", lambda _, update, dt: handler(lambda dt: update(dt=dt), dt))
        )
    else:
        detach = machines.intercept(handler)

    def undo() -> None:
        if _HANDLERS.pop(machines, None) is not None:
            detach()

    return undo


@frozen
class Interceptor:
    """Has `handler` carry out one method of a machine: it gets that, and the arguments by name."""

    call: str
    handler: Callable[..., Any]

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        if call != self.call:
            return carry_out(**arguments)
        return self.handler(fsm, carry_out, **arguments)


@frozen
class InterceptedMachines:
    """The machines of which an interceptor handles one method. Others are not touched.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Guard")
    >>> suspended = InterceptedMachines(Interceptor("update", lambda fsm, update, dt: None))
    >>> suspended.add(fsm)
    >>> fsm.update(1.0)
    >>> fsm.time
    0.0
    """

    interceptor: Interceptor
    _undo: dict[Fsm[Any], Callable[[], None]] = Factory(dict)

    def __iter__(self) -> Iterator[Fsm[Any]]:
        return iter(self._undo)

    def __bool__(self) -> bool:
        return bool(self._undo)

    def __contains__(self, machine: object) -> bool:
        return machine in self._undo

    def add(self, machine: Fsm[Any]) -> None:
        if machine not in self._undo:
            self._undo[machine] = machine.observe(self.interceptor)

    def discard(self, machine: Fsm[Any]) -> None:
        if undo := self._undo.pop(machine, None):
            undo()

    def keep_to(self, machines: Iterable[Fsm[Any]]) -> None:
        wanted = dict.fromkeys(machines)
        for machine in [machine for machine in self._undo if machine not in wanted]:
            self.discard(machine)
        for machine in wanted:
            self.add(machine)


_HANDLERS: Final[dict[Updated, UpdateHandler]] = {}


SLOWEST: Final = 0.1
FASTEST: Final = 10.0
ROUNDING: Final = 1e-9
"""Tolerance for a speed that was computed from others."""

REMEMBERED: Final = 16
"""Latest steps that count as ordinary: a game may alternate long and short ones."""

PATIENCE: Final = 2
"""Steps after a hold that may contain it: a game may have read its clock before the hold."""


def checked_speed(factor: float) -> float:
    return arguments.number(factor, "The speed", least=SLOWEST, most=FASTEST, error=RequestError)


@define
class UpdateClock:
    time: float = 0.0
    """Seconds that have passed for the machines."""
    paused: bool = False
    speed: float = 1.0
    steps: int = 0
    """Updates still to be passed on while paused."""
    waits_for_page: bool = False
    """True if a page has paused, not the program: the pause ends when the last page closes."""

    def pause(self, *, by_page: bool = False) -> None:
        self.waits_for_page = by_page and (self.waits_for_page or not self.paused)
        self.paused = True
        self.steps = 0

    def resume(self) -> None:
        self.paused = self.waits_for_page = False
        self.steps = 0

    def step(self) -> None:
        """Pass the next update on, then pause. Called for pages only."""
        self.waits_for_page = self.waits_for_page or not self.paused
        self.paused = True
        self.steps += 1

    def portions(self, dt: float) -> Sequence[float]:
        """Return the updates that replace one of `dt` seconds.

        Above normal speed there are several, none of them longer than `dt`.
        """
        if self.paused and not self.steps:
            return ()
        if self.paused:
            self.steps -= 1
            return (dt,)
        count = ceil(self.speed - ROUNDING)
        return (dt * self.speed / count,) * count


@define
class HeldTime:
    """Finds the step that contains the time of a hold, and shortens only that step.

    A game with a real clock measures the hold as one very long step, longer than any before: the
    time of the hold is subtracted, down to the last ordinary step. A game with fixed steps goes on
    with steps like those before, which stay as they are.

    >>> held = HeldTime()
    >>> held.without(0.02)
    0.02
    >>> held.add(3.0)
    >>> round(held.without(3.03), 6), held.without(0.02)
    (0.03, 0.02)
    """

    _held: float = 0.0
    """Seconds that have not been subtracted yet."""
    _steps_left: int = 0
    _ordinary: deque[float] = field(factory=lambda: deque(maxlen=REMEMBERED))

    def add(self, seconds: float) -> None:
        self._held += seconds
        self._steps_left = PATIENCE

    def without(self, dt: float) -> float:
        if self._steps_left:
            self._steps_left -= 1
            dt = self._shortened(dt)
            if not self._steps_left:
                self._held = 0.0
        if 0.0 <= dt < inf:  # else the machine raises an error
            self._ordinary.append(dt)
        return dt

    def _shortened(self, dt: float) -> float:
        if not self._ordinary or not max(self._ordinary) < dt < inf:
            return dt
        shorter = min(dt, max(self._ordinary[-1], dt - self._held))
        self._held -= dt - shorter
        return shorter


class Signal(Protocol):
    """Set by pages, awaited by the loop; `threading.Event` is one."""

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def wait(self, timeout: float) -> object: ...


@define(eq=False)
class Holding:
    """Waits at a breakpoint, in the middle of a call to a machine, until a page lets it go on.

    `signal` is set with each request; without one, the loop cannot wait. It goes on once
    `is_alone` returns True: no page is open. `meanwhile` is called every `interval` seconds.
    """

    signal: Signal | None
    is_alone: Callable[[], bool]
    meanwhile: Callable[[], object]
    interval: float
    halt: Halt | None = field(default=None, init=False)
    """The change before which a machine is held; None if none is."""
    time: HeldTime = field(factory=HeldTime, init=False)
    _by: Mapping[str, Any] = field(factory=dict, init=False)

    def hold(self, halt: Halt, by: Mapping[str, Any]) -> None:
        self.halt, self._by = halt, by
        begun = monotonic()
        try:
            while self.halt is not None and not self.is_alone():
                self._wait()
        finally:
            self.halt = None
            self.time.add(monotonic() - begun)

    def release(self) -> None:
        self.halt = None

    def wake(self) -> None:
        """Look for requests at once. Called in any thread."""
        if self.signal is not None:
            self.signal.set()

    def to_json(self, names: Mapping[Fsm[Any], str]) -> dict[str, Any] | None:
        halt = self.halt
        if halt is None:
            return None
        return {
            "machine": names.get(halt.machine, halt.machine.name),
            "event": halt.event,
            "state": halt.state,
            "target": halt.target,
            "by": self._by,
        }

    def _wait(self) -> None:
        assert self.signal is not None, "hold() needs a signal"
        self.signal.clear()
        self.meanwhile()
        if self.halt is not None:
            self.signal.wait(self.interval)
