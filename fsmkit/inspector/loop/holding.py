"""Holding: keeps the loop in the middle of a call to a machine, until a page lets it go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from fsmkit import Fsm
from fsmkit.inspector.loop.held_time import HeldTime
from fsmkit.inspector.loop.signal import Signal
from fsmkit.inspector.loop.stops.halt import Halt


class Holding:
    """Waits at a breakpoint.

    `signal` is given with each request; without one, the loop cannot wait. `is_alone` says that no
    page is open any more, which ends it. `meanwhile` is called again and again, every `interval`
    seconds.
    """

    def __init__(
        self,
        signal: Signal | None,
        *,
        is_alone: Callable[[], bool],
        meanwhile: Callable[[], object],
        interval: float,
    ) -> None:
        self.halt: Halt | None = None
        """The change before which a machine is held; None if none is."""
        self.time = HeldTime()
        self._by: Mapping[str, Any] = {}
        self._signal = signal
        self._is_alone = is_alone
        self._meanwhile = meanwhile
        self._interval = interval

    @property
    def can_wait(self) -> bool:
        """False if a call cannot be held here."""
        return self._signal is not None

    def hold(self, halt: Halt, by: Mapping[str, Any]) -> None:
        """Wait before a change; `by` says who has called for it."""
        self.halt, self._by = halt, by
        begun = monotonic()
        try:
            while self.halt is not None and not self._is_alone():
                self._wait()
        finally:
            self.halt = None
            self.time.add(monotonic() - begun)

    def release(self) -> None:
        """Let the machine go on."""
        self.halt = None

    def wake(self) -> None:
        """Look for requests at once. Called in any thread."""
        if self._signal is not None:
            self._signal.set()

    def to_json(self, names: Mapping[Fsm[Any], str]) -> dict[str, Any] | None:
        """Return the change for the page; None if no machine is held."""
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
        assert self._signal is not None, "ask can_wait before"
        self._signal.clear()
        self._meanwhile()
        if self.halt is not None:
            self._signal.wait(self._interval)
