"""Simulation: machines that run for a while in equal steps, with events at given times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from operator import itemgetter
from typing import Any, Final

from attrs import define, field

from fsmkit import Fsm, FsmGroup
from fsmkit.cli.changes import Change, Changes
from fsmkit.timing import TIME_TOLERANCE

EVERY_MACHINE: Final = "(all)"
NO_EFFECT: Final = "(no effect)"


@define(eq=False)
class Simulation:
    """Steps `machines` through `seconds` seconds, `fps` steps a second.

    Each of `events` is a name and a time in seconds; it is sent to every machine at the first step
    at or after that time. What happens goes to `report`.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> run = Simulation(FsmGroup([lamp]), 4.0, 1.0, [("PRESSED", 0.5)], print)
    >>> run.start()
    Change(step=0, machine='Lamp', source='', event='(start)', target='Off')
    >>> while run.is_running:
    ...     run.update()
    Change(step=2, machine='Lamp', source='Off', event='PRESSED', target='On')
    """

    machines: FsmGroup
    fps: float
    seconds: float
    events: Sequence[tuple[str, float]]
    report: Callable[[Change], object]
    step: int = field(default=0, init=False)
    changes: Changes = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.changes = Changes(lambda: self.step, self.report)
        self._watch_all()

    @property
    def time(self) -> float:
        """Seconds from the start to the present step; no sum, so that nothing adds up wrong."""
        return self.step / self.fps

    @property
    def is_running(self) -> bool:
        """Whether a step is left, and a machine to make it."""
        return self.step < self._step_at(self.seconds) and self.machines.is_running

    def start(self, state: str | None = None) -> None:
        """Start the machines that do not run yet, and all that know `state` in that state."""
        for machine in self.machines:
            if state in machine.states:
                machine.start(state)
            elif machine.is_running:
                self.changes.report_running(machine)
            else:
                machine.start()
        self._send_due()

    def update(self, _dt: float = 0.0) -> None:
        """Make one step. Its length is always the same, however long the caller took."""
        self.step += 1
        self.machines.update(1.0 / self.fps)
        self._watch_all()  # some may have joined
        self._send_due()

    def _send_due(self) -> None:
        due = [event for event in self.events if self._step_at(event[1]) == self.step]
        for name, _ in sorted(due, key=itemgetter(1)):
            self._send(name)
        self.changes.report_stopped()

    def _send(self, event: str) -> None:
        answers = [(machine, machine.offer_event(event)) for machine in self.machines]
        if not any(taken for _, taken in answers):
            name = self.changes.names[answers[0][0]] if len(answers) == 1 else EVERY_MACHINE
            self.report(Change(self.step, name, _state_of(answers), event, NO_EFFECT))

    def _watch_all(self) -> None:
        for machine in self.machines:
            self.changes.watch(machine)

    def _step_at(self, seconds: float) -> int:
        return ceil(seconds * self.fps - TIME_TOLERANCE)


def _state_of(answers: Sequence[tuple[Fsm[Any], bool]]) -> str:
    state = answers[0][0].current_state if len(answers) == 1 else None
    return state.name if state is not None else ""
