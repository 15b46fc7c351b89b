"""LiveMachines: the machines of a run that goes on while their code is changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsmkit import FsmGroup
from fsmkit.cli.errors import explained
from fsmkit.cli.report import RunReport
from fsmkit.cli.simulation import SimulatedMachines
from fsmkit.cli.timed_event import TimedEvent
from fsmkit.reloading import Origin, Reloader


class LiveMachines(SimulatedMachines):
    """Machines that are built anew when their code has changed.

    An error does not end the run: the machines stand still until the code has changed.
    """

    def __init__(self, group: FsmGroup, origin: Origin, report: RunReport) -> None:
        super().__init__(group, report.change)
        self.is_held = False
        self._origin = origin
        self._run_report = report
        self._seconds = 0.0
        self._reloader = Reloader(
            lambda text: report.note(self.step, text), clock=lambda: self._seconds
        )
        self._reloader.reloaded_from(origin, group)  # from now on it watches the files

    @property
    def is_running(self) -> bool:
        """True if any machine is running, or will when the code is mended."""
        return self.is_held or super().is_running

    def start(self, state: str | None) -> None:
        """Start the machines."""
        self._attempt(lambda: super(LiveMachines, self).start(state))

    def update(self, dt: float) -> None:
        """Take over what has changed, and update all machines."""
        self._seconds += dt
        before = tuple(self.group)
        self._reloader.reloaded_from(self._origin, self.group)
        if tuple(self.group) != before:
            self.changes.exchange(before, self.group)
            self._run_report.widen(self.changes.names)
            self.is_held = False
        if self.is_held:
            self.step += 1
        else:
            self._attempt(lambda: super(LiveMachines, self).update(dt))

    def send(self, events: Sequence[TimedEvent]) -> None:
        """Send the events."""
        if not self.is_held:
            self._attempt(lambda: super(LiveMachines, self).send(events))

    def _attempt(self, call: Callable[[], object]) -> None:
        try:
            call()
        except Exception as error:
            self.is_held = True
            waits = "The machines wait until the code has changed."
            self._run_report.note(self.step, "\n".join([*explained(error), waits]))
