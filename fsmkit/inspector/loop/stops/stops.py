"""Stops: everything that stops the machines, and why they have stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fsmkit import Fsm
from fsmkit.inspector.loop.clock import Clock
from fsmkit.inspector.loop.inspected import Inspected
from fsmkit.inspector.loop.stops.breakpoint import Breakpoint, Kind
from fsmkit.inspector.loop.stops.breakpoints import Breakpoints
from fsmkit.inspector.loop.stops.changes import ChangeObserver
from fsmkit.inspector.loop.stops.halt import Halt, Reason
from fsmkit.inspector.loop.stops.next_change import NextChange
from fsmkit.inspector.loop.stops.observation import Observation
from fsmkit.inspector.loop.stops.troubles import ErrorObserver, UnhandledObserver
from fsmkit.inspector.loop.stops.value_changes import ValueChanges
from fsmkit.inspector.reading.chart import machines_of
from fsmkit.inspector.reading.named_values import NamedValues


class Stops:
    """Watches the machines that have breakpoints, and no others.

    `hold` holds the loop in the middle of a call; between two updates the clock is paused.
    `may_stop` says if it may be held now, `is_seen` if there is a page to let it go on. `log`
    writes a line about a machine.
    """

    def __init__(
        self,
        inspected: Inspected,
        clock: Clock,
        values: NamedValues,
        *,
        hold: Callable[[Halt, Reason], None],
        may_stop: Callable[[], bool],
        is_seen: Callable[[], bool],
        log: Callable[[Fsm[Any], str], object],
    ) -> None:
        self.inspected = inspected
        self.values = values
        self.reason: Reason | None = None
        """Why the machines are stopped, unless a page has paused them."""
        self.breakpoints = Breakpoints(inspected.naming.names, values, log)
        self.next_change = NextChange()
        self._clock = clock
        self._is_seen = is_seen
        self._changes = ChangeObserver(self.breakpoints, hold, may_stop)
        self._value_changes = ValueChanges(self.breakpoints, values)
        self._observations: dict[tuple[Kind, ...], Observation] = {
            ("state", "event"): Observation(self._changes),
            ("error",): Observation(ErrorObserver(self.breakpoints, hold, may_stop)),
            ("unhandled",): Observation(UnhandledObserver(self.breakpoints, hold, may_stop)),
        }
        self._known: object = None

    def close(self) -> None:
        """Detach from the machines."""
        self.breakpoints.remove(*self.breakpoints)
        self.next_change.cancel()
        self.refresh()

    def forget(self, machine: Fsm[Any]) -> None:
        """Detach from a machine that has left; one of its name will take its place."""
        for observation in self._observations.values():
            observation.drop(machine)
        self._changes.forget(machine)
        self.next_change.forget(machine)
        self._known = None

    def stop_on_error(self) -> None:
        """Set a breakpoint on any error of any machine, which stops without a page as well."""
        self.breakpoints.add(Breakpoint(0, "error", None, stays=True))
        self.refresh()

    # Around an update

    def before_update(self) -> None:
        """Follow the machines that have joined; pause if one has changed between two updates."""
        self.refresh()
        self._pause(self.next_change.take(self.inspected.naming.names))

    def after_update(self) -> None:
        """Pause the clock if a value or the next change says so."""
        self.breakpoints.forget_errors()
        change = self.next_change.take(self.inspected.naming.names)
        self._pause(self._value_changes.check() or change)

    def _pause(self, reason: Reason | None) -> None:
        if reason is not None and self._is_seen():
            self.reason = reason
            self._clock.pause(by_page=True)

    def begin_next_change(self, name: str | None, held: Halt | None) -> None:
        """Wait for the next change of that machine, or of any."""
        self.next_change.begin(name or "", self._followed(name or ""), held)

    def refresh(self) -> None:
        """Observe the machines that the breakpoints are on, as they are now."""
        names = self.inspected.naming.names
        known = self.breakpoints.version, len(names), self.next_change.awaited
        if known == self._known:
            return
        for kinds, observation in self._observations.items():
            on = [point for point in self.breakpoints if point.is_on and point.kind in kinds]
            observation.keep_to(self._machines(on))
        values = [point for point in self.breakpoints if point.is_on and point.kind == "value"]
        self._value_changes.keep_to({point: self._machines([point]) for point in values})
        if self.next_change.awaited is not None:
            self.next_change.follow(self._followed(self.next_change.awaited))
        self._known = known

    def _followed(self, name: str) -> list[Fsm[Any]]:
        """Return the machine of that name and those nested in it; all of them without a name."""
        names = self.inspected.naming.names
        outermost = [machine for machine, other in names.items() if name in ("", other)]
        return [inner for machine in outermost for inner in machines_of(machine)]

    def _machines(self, points: Iterable[Breakpoint]) -> list[Fsm[Any]]:
        """Return the machines that these are on."""
        wanted = {point.machine for point in points}
        if not wanted:
            return []
        names = self.inspected.naming.names
        return [each for each, name in names.items() if None in wanted or name in wanted]
