"""The command `fsmkit run`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field

from fsmkit import Fsm, FsmGroup, timing
from fsmkit.cli.command_errors import INTERRUPTED, CommandError, explained
from fsmkit.cli.json_answer import JsonAnswer, add_format
from fsmkit.cli.options import (
    DEFAULT_SECONDS,
    ExternalEvent,
    TimedEvent,
    add_flag,
    add_run_options,
    add_target,
    add_watch,
    check_run_options,
    expressions_in,
    external_event,
    given_option,
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
from fsmkit.introspection.nesting import titled_alike
from fsmkit.reloading import Origin, Reloader
from fsmkit.terminal.console import Console, padded, width

if TYPE_CHECKING:
    from fsmkit.cli.watched_values import WatchedValues
    from fsmkit.inspector.reading.watches import Expression
    from fsmkit.recording.frame_costs import FrameCosts

HELP: Final = """\
Run a machine, print a line for each change of state, and at the end a bar for
each state with the time spent in it.

TARGET is path.py:function or module:function, where the function takes no
arguments and returns an Fsm or an FsmGroup. The default function is build.
Machines that are not running are started.

Example:
  fsmkit run examples/guard.py --seconds 20
  fsmkit run examples/runner.py:build --event JUMP@2.9 --realtime
  fsmkit run examples/guard.py --watch distance_to_player
  fsmkit run examples/guard.py --reload
  fsmkit run examples/town.py --profile

"""

BAR_COLUMNS: Final = 40

FOR_READERS: Final = ("reload", "profile")
"""The options that have no answer in JSON."""

LONG: Final = 1000.0
"""The first column has room for this many seconds if the run has no end."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_target(command)
    add_run_options(command)
    command.set_defaults(seconds=None)
    add_watch(command, "show the value of a Python expression at each change")
    add_flag(command, "--realtime", "run in real time instead of as fast as possible")
    add_flag(
        command,
        "--reload",
        "run in real time, until Ctrl-C unless --seconds is given; when the code changes, "
        "continue with the new version",
    )
    add_flag(
        command,
        "--profile",
        "print at the end what a frame costs: which machines, states, actions and guards take "
        "how many microseconds",
    )
    command.add_argument(
        "--why", type=external_event, metavar="EVENT[=JSON]",
        help="say what the event would do at the end, with the data after =, in each machine",
    )  # fmt: skip
    add_format(command)


def carry_out(options: argparse.Namespace) -> int | JsonAnswer:
    if options.format == "json":
        return _json_answer(options)
    report = RunReport(Console(sys.stdout, live=options.realtime or options.reload))
    report_change: Callable[[ReportedChange], object] = report.change
    if options.seconds is None:
        options.seconds = inf if options.reload else DEFAULT_SECONDS
    build = find(options.target)
    group = group_of(build())
    costs = _frame_costs(group) if options.profile else None
    if costs is not None:
        report_change = costs.uncounted(report_change)
    machines: SimulatedMachines
    if options.reload:
        machines = LiveMachines(group, Origin(build.module, build.name), report, report_change)
    else:
        machines = SimulatedMachines(group, report_change)
    simulation = Simulation(machines, options.fps, options.seconds, options.events)
    check_run_options(states_of(machines.group), options)
    if options.watch:
        report.watch(expressions_in(options.watch, build.module), machines.names)
    report.begin(simulation)
    exit_code = _go_through(simulation, options)
    report.finish(simulation)
    if options.why is not None:
        _print_why(options.why, simulation, report.console)
    if costs is not None:
        _print_costs(costs, report.console)
    return exit_code


def _json_answer(options: argparse.Namespace) -> JsonAnswer:
    from fsmkit.cli.run_answer import run_answer  # here: it is slow to import

    if option := given_option(options, FOR_READERS):
        raise CommandError(f"{option} is not for --format json. Leave out one of them.")
    return run_answer(options, _go_through)


def _print_why(
    event: ExternalEvent, simulation: Simulation[SimulatedMachines], console: Console
) -> None:
    from fsmkit.cli.prospects import print_prospects, prospects

    found = prospects(simulation.simulated.group, event.event, event.data)
    console.line()
    print_prospects(console, event.event, simulation.time, found)


def _frame_costs(group: FsmGroup) -> FrameCosts:
    from fsmkit.recording.frame_costs import FrameCosts  # here: most runs do without

    return FrameCosts(group)


def _print_costs(costs: FrameCosts, console: Console) -> None:
    from fsmkit.cli.cost_table import print_costs

    costs.close()
    print_costs(costs.table(), console)


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

    def __init__(
        self,
        group: FsmGroup,
        origin: Origin,
        report: RunReport,
        report_change: Callable[[ReportedChange], object],
    ) -> None:
        super().__init__(group, report_change)
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
    _values: WatchedValues | None = field(default=None, init=False)

    def watch(
        self, expressions: Mapping[str, Expression], machines: Mapping[Fsm[Any], str]
    ) -> None:
        """Show the values of expressions at each change."""
        from fsmkit.cli.watched_values import WatchedValues  # here: few runs need it

        self._values = WatchedValues(expressions, machines)

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
        target = self.console.shown(change.target)
        if values := [*self._shown_values(change.machine)]:
            target = padded(target, self.widths[2])
        target = self.console.styled(target, "bold")
        self.console.line("  ".join([self.console.styled(time, "faint"), *names, target, *values]))

    def _shown_values(self, name: str) -> Iterator[str]:
        """Yield the values of the expressions, each after its text."""
        if self._values is None:
            return
        for text, value in self._values.of(name).items():
            label = self.console.styled(f"{self.console.shown(text)} =", "faint")
            yield f"{label} {self.console.shown(value)}"

    def finish(self, simulation: Simulation[SimulatedMachines]) -> None:
        simulated = simulation.simulated
        simulated.count()
        for title, machines in titled_alike(simulated.names):
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
