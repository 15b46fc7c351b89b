"""Simulation: a run in equal steps, with events at given times, of machines or of a crowd."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from math import ceil, inf
from operator import attrgetter
from typing import Any, Final, Generic, Protocol, TypeVar

from attrs import define, field

from fsmkit import Fsm, FsmGroup
from fsmkit.cli.changes import Change, Changes
from fsmkit.cli.timed_event import TimedEvent
from fsmkit.core.words.suggestions import similar
from fsmkit.timing import TIME_TOLERANCE
from fsmkit.tooling.taking import ever_taken_in, named_events

EVERY_MACHINE: Final = "(all)"
NO_EFFECT: Final = "(no effect)"
UNKNOWN: Final = "(unknown)"


class Simulated(Protocol):
    """The subject of a simulation."""

    @property
    def is_running(self) -> bool:
        """True if a further step has an effect."""
        ...

    def start(self, state: str | None) -> None:
        """Start, in this state or the first one."""

    def update(self, dt: float) -> None:
        """Make a step of `dt` seconds."""

    def send(self, events: Sequence[TimedEvent]) -> None:
        """Send the events that are due after a step, in this order; often there are none."""


SimulatedT = TypeVar("SimulatedT", bound=Simulated)


@define(eq=False)
class Simulation(Generic[SimulatedT]):
    """Steps `simulated` through `seconds` seconds, perhaps `inf`, `fps` steps a second.

    Each of `events` is sent at the first step at or after the time when it is due.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> pressed = TimedEvent("PRESSED", 0.5)
    >>> run = Simulation(SimulatedMachines(FsmGroup([lamp]), print), 4.0, 1.0, [pressed])
    >>> run.start()
    Change(step=0, machine='Lamp', source='', event='(start)', target='Off')
    >>> while run.is_running:
    ...     run.update()
    Change(step=2, machine='Lamp', source='Off', event='PRESSED', target='On')
    """

    simulated: SimulatedT
    fps: float
    seconds: float
    events: Sequence[TimedEvent] = ()
    step: int = field(default=0, init=False)

    @property
    def time(self) -> float:
        """The seconds from the start to the present step; no sum, so that no errors add up."""
        return self.step / self.fps

    @property
    def is_running(self) -> bool:
        """True while there are steps left, and something to step."""
        is_over = self.seconds < inf and self.step >= self._step_at(self.seconds)
        return not is_over and self.simulated.is_running

    def start(self, state: str | None = None) -> None:
        """Start, in this state or the first one."""
        self.simulated.start(state)
        self._send_due()

    def update(self, _dt: float = 0.0) -> None:
        """Make one step. Its length is always the same, however long the caller took."""
        self.step += 1
        self.simulated.update(1.0 / self.fps)
        self._send_due()

    def _send_due(self) -> None:
        due = [event for event in self.events if self._step_at(event.due) == self.step]
        self.simulated.send(sorted(due, key=attrgetter("due")))

    def _step_at(self, seconds: float) -> int:
        return ceil(seconds * self.fps - TIME_TOLERANCE)


class SimulatedMachines:
    """Machines whose changes of state go to `report`, with the number of the step."""

    def __init__(self, group: FsmGroup, report: Callable[[Change], object]) -> None:
        self.group = group
        self.report = report
        self.step = 0
        self.changes = Changes(lambda: self.step, report)
        self._watch_all()

    @property
    def is_running(self) -> bool:
        """True if any machine is running."""
        return self.group.is_running

    def start(self, state: str | None) -> None:
        """Start the machines that are not running yet, and all that know `state` in that state."""
        for machine in self.group:
            if state in machine.states:
                machine.start(state)
            elif machine.is_running:
                self.changes.report_running(machine)
            else:
                machine.start()

    def update(self, dt: float) -> None:
        """Update all machines."""
        self.step += 1
        self.group.update(dt)
        self._watch_all()  # some may have joined

    def send(self, events: Sequence[TimedEvent]) -> None:
        """Send the events to every machine; report those without effect, and stopped machines."""
        for event in events:
            with self.changes.showing(event.name, event.shown):
                self._send(event)
        self.changes.report_stopped()

    def _send(self, event: TimedEvent) -> None:
        answers = [(machine, machine.offer_event(event.name, event.data)) for machine in self.group]
        if not any(taken for _, taken in answers):
            name = self.changes.names[answers[0][0]] if len(answers) == 1 else EVERY_MACHINE
            outcome = self._why_nothing(event.name)
            self.report(Change(self.step, name, _state_of(answers), event.shown, outcome))

    def _why_nothing(self, event: str) -> str:
        """Return what to report of an event without effect: no machine may ever know it."""
        if any(ever_taken_in(machine, event) is not False for machine in self.group):
            return NO_EFFECT
        meant = similar(event, chain.from_iterable(map(named_events, self.changes.names)))
        return UNKNOWN if meant is None else f"(unknown; did you mean {meant}?)"

    def _watch_all(self) -> None:
        for machine in self.group:
            self.changes.watch(machine)


def _state_of(answers: Sequence[tuple[Fsm[Any], bool]]) -> str:
    state = answers[0][0].current_state if len(answers) == 1 else None
    return state.name if state is not None else ""
