"""Simulations of machines or of a crowd: in equal steps, with events at given times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import ceil, inf
from operator import attrgetter
from typing import Any, Final, Generic, Protocol, TypeVar

from attrs import define, field, frozen

from fsmkit import FAILED, Fsm, FsmGroup, FsmState
from fsmkit.cli.command_errors import UNSUCCESSFUL, CommandError
from fsmkit.cli.options import TimedEvent
from fsmkit.core.checks.arguments import shown
from fsmkit.core.words.suggestions import similar
from fsmkit.introspection.blocks import block
from fsmkit.introspection.known_events import ever_taken_in, named_events
from fsmkit.introspection.nesting import MachineNames
from fsmkit.timing import TIME_TOLERANCE

START: Final = "(start)"

STOP: Final = "(stop)"

RUNNING: Final = "(running)"

EVERY_MACHINE: Final = "(all)"

NO_EFFECT: Final = "(no effect)"

UNKNOWN: Final = "(unknown)"


class Simulated(Protocol):
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
    """Steps `simulated` through `seconds` seconds, which may be `inf`, with `fps` steps a second.

    Each of `events` is sent at the first step at or after the time when it is due.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> pressed = TimedEvent("PRESSED", 0.5)
    >>> run = Simulation(SimulatedMachines(FsmGroup([lamp]), print), 4.0, 1.0, [pressed])
    >>> run.start()
    ReportedChange(step=0, machine='Lamp', source='', event='(start)', target='Off')
    >>> while run.is_running:
    ...     run.update()
    ReportedChange(step=2, machine='Lamp', source='Off', event='PRESSED', target='On')
    """

    simulated: SimulatedT
    fps: float
    seconds: float
    events: Sequence[TimedEvent] = ()
    step: int = field(default=0, init=False)

    @property
    def time(self) -> float:
        """The seconds from the start to the present step; not a sum, whose errors would add up."""
        return self.step / self.fps

    @property
    def is_running(self) -> bool:
        is_over = self.seconds < inf and self.step >= self._step_at(self.seconds)
        return not is_over and self.simulated.is_running

    def start(self, state: str | None = None) -> None:
        self.simulated.start(state)
        self._send_due()

    def steps(self, state: str | None) -> Iterator[float]:
        """Start, and make all steps; yield the time after the start and after each of them."""
        self.start(state)
        yield self.time
        while self.is_running:
            self.update()
            yield self.time

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


@frozen
class ReportedChange:
    """A change of state, by names. `source` or `target` is empty if there is no such state."""

    step: int
    machine: str
    source: str
    event: str
    """The cause: an event (and its data), or in brackets `(start)`, `(stop)`, `(running)`."""
    target: str
    """The state; of an event without effect, in brackets why."""
    has_effect: bool = field(default=True, repr=False)


class SimulatedMachines:
    """Machines, with those nested in them, whose changes of state go to `report`.

    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> machines = SimulatedMachines(FsmGroup([lamp]), print)
    >>> machines.start("On")
    ReportedChange(step=0, machine='Lamp', source='', event='(start)', target='On')
    """

    def __init__(self, group: FsmGroup, report: Callable[[ReportedChange], object]) -> None:
        self.group = group
        self.report = report
        self.step = 0
        self._machine_names = MachineNames()
        self.names = self._machine_names.names
        """Machine -> its unique name."""
        self.steps: dict[Fsm[Any], dict[str, int]] = {}
        """Machine -> the number of steps spent in each state, up to the last `count`."""
        self._since: dict[Fsm[Any], int] = {}
        self._exited: dict[Fsm[Any], str] = {}
        self._events: dict[Fsm[Any], str] = {}
        self._sent: TimedEvent | None = None
        """The event that is being sent: it is reported with its data."""
        self._watch_all()

    @property
    def is_running(self) -> bool:
        return self.group.is_running

    def start(self, state: str | None) -> None:
        """Start machines that are not running yet, and all machines with `state` in that state."""
        for machine in self.group:
            if state in machine.states:
                machine.start(state)
            elif machine.current_state is not None:  # it was running before it was watched
                self._report(machine, "", RUNNING, machine.current_state.name)
            else:
                machine.start()

    def update(self, dt: float) -> None:
        self.step += 1
        self.group.update(dt)
        self._watch_all()  # some may have joined

    def send(self, events: Sequence[TimedEvent]) -> None:
        """Send the events to every machine; report those without effect, and stopped machines."""
        for event in events:
            self._sent = event
            try:
                self._send(event)
            finally:
                self._sent = None
        exited, self._exited = self._exited, {}
        for machine, state in exited.items():
            self._report(machine, state, STOP, "")

    def _send(self, event: TimedEvent) -> None:
        answers = [(machine, machine.offer_event(event.name, event.data)) for machine in self.group]
        if any(taken for _, taken in answers):
            return
        name, state = EVERY_MACHINE, None
        if len(answers) == 1:
            machine, _ = answers[0]
            name, state = self.names[machine], machine.current_state
        source = state.name if state is not None else ""
        outcome = self._why_nothing(event.name)
        self.report(ReportedChange(self.step, name, source, event.shown, outcome, False))

    def _why_nothing(self, event: str) -> str:
        """Return the outcome of an event without effect; perhaps no machine ever takes it."""
        if any(ever_taken_in(machine, event) is not False for machine in self.group):
            return NO_EFFECT
        meant = similar(event, chain.from_iterable(map(named_events, self.names)))
        return UNKNOWN if meant is None else f"(unknown; did you mean {meant}?)"

    def replace(self, old: Iterable[Fsm[Any]]) -> None:
        """Watch the machines of the group instead of `old` ones; times continue by name."""
        self.count()
        spent: dict[str, dict[str, int]] = {}
        for machine in old:
            name_of = dict(self.names)
            for gone in self._machine_names.remove(machine):
                spent[name_of[gone]] = self.steps.pop(gone)
                self._exited.pop(gone, None)
        self._watch_all()
        for machine, name in self.names.items():
            self.steps[machine] |= spent.get(name, {})

    def count(self) -> None:
        for machine in self.names:
            if machine.current_state is not None:
                self._count(machine, machine.current_state.name)

    def _watch_all(self) -> None:
        for _, machine, _ in self._machine_names.add(self.group):
            self.steps[machine] = dict.fromkeys(machine.states, 0)
            self._since[machine] = self.step
            machine.observe(self)

    def _report(self, machine: Fsm[Any], source: str, event: str, target: str) -> None:
        if self._sent is not None and self._sent.name == event:
            event = self._sent.shown
        elif event == FAILED and machine.event_data is not None:
            event = f"{event}: {shown(machine.event_data)}"
        self.report(ReportedChange(self.step, self.names[machine], source, event, target))

    def _count(self, machine: Fsm[Any], state: str) -> None:
        spent = self.steps[machine]
        spent[state] = spent.get(state, 0) + self.step - self._since[machine]
        self._since[machine] = self.step

    # An observer of all machines

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        self._since[fsm] = self.step
        self._report(fsm, self._exited.pop(fsm, ""), event or START, state.name)

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Count the time spent there. The current state comes before those that are suspended."""
        self._count(fsm, state.name)
        self._exited.setdefault(fsm, state.name)

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Count the time up to here; while it is suspended, the state is not the current one."""
        self.state_exited(fsm, state)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.state_entered(fsm, state, self._events.get(fsm))

    def event_sent(self, fsm: Fsm[Any], event: str, _data: object, outcome: str) -> None:
        if outcome == "changed":
            self._events[fsm] = event


@block
def explained_failure(simulation: Simulation[Any], more: str = "") -> Iterator[None]:
    """Turn an error of the block, which runs the simulation, into a CommandError with its time."""
    try:
        yield
    except Exception as error:
        raise CommandError(
            f"The run failed at {simulation.time:.2f} s{more}.", UNSUCCESSFUL
        ) from error
