"""The command `fsmkit run`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import inf
from typing import Any, Final

from attrs import define, field

from fsmkit import Fsm, FsmGroup, timing
from fsmkit.cli.command_errors import INTERRUPTED, explained
from fsmkit.cli.options import (
    DEFAULT_SECONDS,
    TimedEvent,
    add_flag,
    add_run_options,
    add_target,
    check_run_options,
    group_of,
    states_of,
)
from fsmkit.cli.simulation import (
    EVERY_MACHINE,
    RUNNING,
    ReportedChange,
    SimulatedMachines,
    Simulation,
    explained_failure,
)
from fsmkit.cli.targets import find
from fsmkit.introspection.known_events import handled_events
from fsmkit.reloading import Origin, Reloader
from fsmkit.terminal.console import Console, padded, width

HELP: Final = """\
Run a machine, print a line for each change of state, and at the end a bar for
each state with the time spent in it.

TARGET is path.py:function or module:function, where the function takes no
arguments and returns an Fsm or an FsmGroup. The default function is build.
Machines that are not running are started.

Example:
  fsmkit run examples/guard.py --seconds 20
  fsmkit run examples/runner.py:build --event JUMP@2.9 --realtime
  fsmkit run examples/guard.py --reload

"""

BAR_COLUMNS: Final = 40

LONG: Final = 1000.0
"""The first column has room for this many seconds if the run has no end."""

MAX_SEPARATE: Final = 8
"""Of more machines, those with the same states are added up."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_target(command)
    add_run_options(command)
    command.set_defaults(seconds=None)
    add_flag(command, "--realtime", "run in real time instead of as fast as possible")
    add_flag(
        command,
        "--reload",
        "run in real time, until Ctrl-C unless --seconds is given; when the code changes, "
        "continue with the new version",
    )


def carry_out(options: argparse.Namespace) -> int:
    report = RunReport(Console(sys.stdout, live=options.realtime or options.reload))
    if options.seconds is None:
        options.seconds = inf if options.reload else DEFAULT_SECONDS
    build = find(options.target)
    group = group_of(build())
    machines: SimulatedMachines
    if options.reload:
        machines = LiveMachines(group, Origin(build.module, build.name), report)
    else:
        machines = SimulatedMachines(group, report.change)
    simulation = Simulation(machines, options.fps, options.seconds, options.events)
    check_run_options(states_of(machines.group), options)
    report.begin(simulation)
    exit_code = _go_through(simulation, options)
    report.finish(simulation)
    return exit_code


def _go_through(simulation: Simulation[SimulatedMachines], options: argparse.Namespace) -> int:
    try:
        with explained_failure(simulation):
            if options.realtime or options.reload:
                simulation.start(options.start)
                timing.run(simulation, options.fps)
            else:
                for _ in simulation.steps(options.start):
                    pass
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


class LiveMachines(SimulatedMachines):
    """Machines that are rebuilt when their code has changed.

    An error does not end the run: the machines wait until the code has changed.
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
        """True if any machine is running, or will be once the code is fixed."""
        return self.is_held or super().is_running

    def start(self, state: str | None) -> None:
        self._attempt(lambda: super(LiveMachines, self).start(state))

    def update(self, dt: float) -> None:
        self._seconds += dt
        before = tuple(self.group)
        self._reloader.reloaded_from(self._origin, self.group)
        if tuple(self.group) != before:
            self.replace(before)
            self._run_report.widen(self.names)
            self.is_held = False
        if self.is_held:
            self.step += 1
        else:
            self._attempt(lambda: super(LiveMachines, self).update(dt))

    def send(self, events: Sequence[TimedEvent]) -> None:
        if not self.is_held:
            self._attempt(lambda: super(LiveMachines, self).send(events))

    def _attempt(self, call: Callable[[], object]) -> None:
        try:
            call()
        except Exception as error:
            self.is_held = True
            waits = "The machines wait until the code has changed."
            self._run_report.note(self.step, "\n".join([*explained(error), waits]))


@define
class RunReport:
    console: Console
    widths: Sequence[int] = field(default=(), init=False)
    fps: float = field(default=1.0, init=False)

    def begin(self, simulation: Simulation[SimulatedMachines]) -> None:
        self.fps = simulation.fps
        seconds = f"  {min(simulation.seconds, LONG):.2f} s"
        self.widths = (len(seconds), *map(self._widest, _names(simulation)))
        headings = self._columns("time", "machine", "from", "event")
        self.console.line(self.console.styled("  ".join([*headings, "to"]), "faint"))

    def widen(self, machines: Iterable[Fsm[Any]]) -> None:
        """Make room for the states and events of other machines of the same names."""
        first, name, *others = self.widths
        events = chain.from_iterable(map(handled_events, machines))
        needed = map(self._widest, (states_of(machines), events))
        self.widths = (first, name, *map(max, others, needed))

    def note(self, step: int, text: str) -> None:
        time = f"{step / self.fps:.2f} s".rjust(self.widths[0])
        for line in text.splitlines():
            shown = self.console.shown(line)
            self.console.line(f"{self.console.styled(time, 'faint')}  {shown}")
            time = " " * len(time)

    def change(self, change: ReportedChange) -> None:
        seconds = f"{change.step / self.fps:.2f} s"
        time, *names = self._columns(seconds, change.machine, change.source, change.event)
        target = self.console.styled(self.console.shown(change.target), "bold")
        self.console.line("  ".join([self.console.styled(time, "faint"), *names, target]))

    def finish(self, simulation: Simulation[SimulatedMachines]) -> None:
        simulated = simulation.simulated
        simulated.count()
        for title, machines in _titled(simulated.names):
            self.console.line()
            self.console.line(self.console.styled(self.console.shown(title), "bold"))
            steps = Counter[str]()
            for machine in machines:
                steps.update(simulated.steps[machine])
            self._bars(steps, simulation.step * len(machines))

    def _bars(self, steps: Mapping[str, int], total: int) -> None:
        columns = self._widest(steps)
        digits = len(f"{total / self.fps:.2f}")
        for state, count in steps.items():
            name = padded(self.console.shown(state), columns)
            share = count / total if total else 0.0
            bar = self.console.styled(self.console.bar(share, BAR_COLUMNS), "cyan")
            self.console.line(f"  {name}  {count / self.fps:{digits}.2f} s  {share:4.0%}  {bar}")

    def _columns(self, time: str, *names: str) -> list[str]:
        first, *others = self.widths
        pairs = zip(map(self.console.shown, names), others, strict=True)
        return [f"{time:>{first}}", *(padded(name, size) for name, size in pairs)]

    def _widest(self, names: Iterable[str]) -> int:
        return max((width(self.console.shown(name)) for name in names), default=0)


def _names(simulation: Simulation[SimulatedMachines]) -> tuple[list[str], list[str], list[str]]:
    machines = simulation.simulated.names
    everyone = [EVERY_MACHINE] if len(simulation.simulated.group) > 1 else []
    sent = [event.shown for event in simulation.events]
    return (
        ["machine", *everyone, *machines.values()],
        ["from", *states_of(machines)],
        [RUNNING, *sent, *chain.from_iterable(map(handled_events, machines))],
    )


def _titled(names: Mapping[Fsm[Any], str]) -> Iterator[tuple[str, list[Fsm[Any]]]]:
    if len(names) <= MAX_SEPARATE:
        yield from ((name, [machine]) for machine, name in names.items())
        return
    alike: dict[tuple[str, ...], list[Fsm[Any]]] = {}
    for machine in names:
        alike.setdefault(tuple(machine.states), []).append(machine)
    for machines in alike.values():
        more = f" and {len(machines) - 1} more" if len(machines) > 1 else ""
        yield f"{names[machines[0]]}{more}", machines
