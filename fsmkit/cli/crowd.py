"""`fsmkit crowd`: run one machine for many agents, and count them."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import TYPE_CHECKING, Final

from fsmkit import FsmError
from fsmkit.cli.crowd_preparation import prepare, start
from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.interrupts import interrupts
from fsmkit.cli.options import add_run_options, add_target, integer_from
from fsmkit.cli.output import write_file
from fsmkit.cli.run import INTERRUPTED
from fsmkit.cli.simulation import Simulation
from fsmkit.cli.targets import Build, find
from fsmkit.cli.timed_event import TimedEvent
from fsmkit.terminal.console import Console
from fsmkit.terminal.progress import Progress
from fsmkit.tooling.blocks import block

if TYPE_CHECKING:  # imported where they are needed: they need numpy and numba, other commands don't
    from fsmkit.crowd import Crowd, CrowdFsm
    from fsmkit.crowd.census import Census
    from fsmkit.crowd.shards import ShardedCrowd
    from fsmkit.crowd.shards.workers import Shards

HELP: Final = "run one machine for many agents, and count them"

DESCRIPTION: Final = """\
Run one machine for many agents, step them through time, and print at the end
how many are in each state; with --picture, draw how many were in each over
time.

TARGET is path.py:function or module:function, a function without arguments
that returns a CrowdFsm. The default function is build. Every agent starts with
the defaults of its class; the first state can give each its own values at
random, a position for example, when it is entered.

If the file has a function prepare(crowd), it is called with the crowd before
the start. It may write fields, set the world, declare what agents know of
their neighbours, and start agents; the others are started after it.

With --shards the agents are divided between several processes: of this
computer, of Ray, or of Dask. The environment variable RAY_ADDRESS names a
cluster of Ray, DASK_SCHEDULER_ADDRESS one of Dask. If it is not set, a cluster
is started on this computer.

Needs `pip install 'fsmkit[crowd]'`, --diagram `pip install 'fsmkit[diagram]'`,
--on ray `pip install 'fsmkit[ray]'`, and --on dask `pip install
'fsmkit[dask]'`.
"""

EXAMPLE: Final = """\
example:
  fsmkit crowd examples/stadium.py --agents 20000 --seconds 60 --event WAVE@20
  fsmkit crowd examples/stadium.py --event GOAL@5 --picture counts.svg
  fsmkit crowd examples/stadium.py --event GOAL@5 --diagram shares.svg
  fsmkit crowd examples/stadium.py --agents 50000000 --shards 8 --on ray
"""

COUNTS: Final = 400
"""The approximate number of times that the agents are counted for the picture."""


class TimedCrowd:
    """A crowd in a simulation, with the time that its updates take."""

    is_running = True

    def __init__(self, crowd: Crowd | ShardedCrowd) -> None:
        self._crowd = crowd
        self._updates = 0
        self._computing = 0.0
        """Seconds by the clock. The first update is left out: it compiles."""

    @property
    def speed(self) -> float:
        """The number of agents updated per second of computing; 0 while that is unknown."""
        updated = len(self._crowd) * (self._updates - 1)
        return updated / self._computing if self._computing else 0.0

    def start(self, state: str | None) -> None:
        """Start the agents that are not running, in this state or the first one."""
        start(self._crowd, state)

    def update(self, dt: float) -> None:
        """Update all agents."""
        begun = perf_counter()
        self._crowd.update(dt)
        self._updates += 1
        if self._updates > 1:
            self._computing += perf_counter() - begun

    def send(self, events: Sequence[TimedEvent]) -> None:
        """Send the events to every agent."""
        for event in events:
            self._crowd.send_event(event.name)


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(command)
    command.add_argument(
        "--agents", type=integer_from(1), default=10_000, help="number of agents (default: 10000)",
        metavar="N",
    )  # fmt: skip
    add_run_options(command)
    command.add_argument(
        "--seed", type=integer_from(0), default=0, help="seed of the random numbers (default: 0)",
        metavar="N",
    )  # fmt: skip
    command.add_argument(
        "--engine", choices=("compiled", "python"), default="compiled",
        help="compiled (default), or python: slow, calls the functions as they are",
    )  # fmt: skip
    command.add_argument("--parallel", action="store_true", help="use all processors")
    command.add_argument(
        "--shards", type=integer_from(1), metavar="N", help="divide the agents between N processes"
    )
    command.add_argument(
        "--on", choices=("processes", "ray", "dask"),
        help="where these are: processes of this computer (default), of Ray, or of Dask",
    )  # fmt: skip
    command.add_argument(
        "--picture", type=_svg, metavar="FILE.svg", help="draw how many were in each state"
    )
    command.add_argument(
        "--diagram", type=_svg, metavar="FILE.svg",
        help="draw the machine with the share of the agents in each state, at the end",
    )  # fmt: skip
    command.add_argument("--dark", action="store_true", help="use dark colours in pictures")


def carry_out(options: argparse.Namespace) -> int:
    """Carry out the command; return the exit code. Raises CommandError."""
    _check_engine(options)
    build, machine = _machine_of(options)
    with _opened(machine, options) as agents:
        prepare(build, agents)
        return _simulate(agents, options)


def _simulate(agents: Crowd | ShardedCrowd, options: argparse.Namespace) -> int:
    if options.diagram:
        _diagram(agents, options)  # raises before a long run starts

    from fsmkit.crowd.census import Census
    from fsmkit.crowd.charts.counts import print_counts

    simulation = Simulation(TimedCrowd(agents), options.fps, options.seconds, options.events)
    census = Census(agents, options.seconds / COUNTS)
    exit_code = _run(simulation, census, options)
    console = Console(sys.stdout)
    console.line(console.styled(console.shown(agents.machine.name), "bold"))
    print_counts(console, agents.count())
    _print_speed(simulation.simulated.speed)
    _write_pictures(agents, census, options)
    return exit_code


def _machine_of(options: argparse.Namespace) -> tuple[Build, CrowdFsm]:
    """Return what builds the machine, and the machine; check that the options fit it."""
    try:
        from fsmkit.crowd import CrowdFsm
        from fsmkit.crowd.compiler.layout import Layout
    except ImportError as error:
        raise CommandError(str(error)) from None
    build = find(options.target)
    machine = build()
    if not isinstance(machine, CrowdFsm):
        raise CommandError(
            f"{options.target!r} must return a CrowdFsm, got {machine!r}. Give the function that "
            "returns one, or use `fsmkit run`."
        )
    try:
        layout = Layout(machine, is_float32=False)
    except FsmError as error:
        raise CommandError(str(error), FAILED) from None
    _check(machine.states, layout.events, options)
    return build, machine


@block
def _opened(machine: CrowdFsm, options: argparse.Namespace) -> Iterator[Crowd | ShardedCrowd]:
    """Make the crowd; close it in the end if it has processes of its own."""
    from fsmkit.crowd import Crowd
    from fsmkit.crowd.shards import ShardedCrowd

    agents: Crowd | ShardedCrowd
    try:
        if options.shards is None:
            agents = Crowd(
                machine, options.agents,
                engine=options.engine, seed=options.seed, parallel=options.parallel,
            )  # fmt: skip
        else:
            agents = ShardedCrowd(
                machine, options.agents, shards=_shards(options), seed=options.seed
            )
    except ImportError as error:
        raise CommandError(str(error)) from None
    except FsmError as error:
        raise CommandError(str(error), FAILED) from None
    try:
        yield agents
    finally:
        if isinstance(agents, ShardedCrowd):
            agents.close()


def _shards(options: argparse.Namespace) -> Shards:
    from fsmkit.crowd.shards import DaskShards, ProcessShards, RayShards

    if options.on == "ray":
        return RayShards(options.shards)
    if options.on == "dask":
        address = os.environ.get("DASK_SCHEDULER_ADDRESS")
        return DaskShards(address, options.shards) if address else DaskShards(options.shards)
    return ProcessShards(options.shards)


def _check_engine(options: argparse.Namespace) -> None:
    """Check the options that say how the agents are updated."""
    if options.shards is None and options.on is not None:
        raise CommandError(f"--on {options.on} is for shards. Add --shards 4, for example.")
    for other in ("--parallel", "--shards"):
        if getattr(options, other[2:]) and options.engine == "python":
            raise CommandError(f"{other} is for the compiled engine. Leave out --engine python.")
    if options.parallel and options.shards is not None:
        raise CommandError(
            "--parallel uses threads of one process, --shards several processes. Leave out one."
        )


def _check(states: Iterable[str], events: Iterable[str], options: argparse.Namespace) -> None:
    """Check that the options fit the machine, before a long run starts."""
    if options.start is not None and options.start not in states:
        raise CommandError(
            f"--start {options.start!r}: there is no such state. There are: {_listed(states)}."
        )
    for event in options.events:
        if event.name not in events:
            raise CommandError(
                f"--event {event}: no state knows {event.name!r}. Known events: {_listed(events)}."
            )
        if event.data is not None:
            raise CommandError(
                f"--event {event}: events of a crowd have no data. Leave out everything after the "
                "time, or use `fsmkit run`."
            )
        if event.due > options.seconds:
            raise CommandError(
                f"--event {event} comes after the end of the run, at {options.seconds:g} s."
                " Send it earlier, or increase --seconds."
            )
    for path in filter(None, (options.picture, options.diagram)):
        _check_writable(path)


def _run(simulation: Simulation[TimedCrowd], census: Census, options: argparse.Namespace) -> int:
    try:
        with (
            interrupts(signal.SIGINT) as check_interrupts,
            Progress("running", options.seconds) as progress,
        ):
            simulation.start(options.start)
            census.take()
            while simulation.is_running:
                check_interrupts()
                simulation.update()
                census.take()
                progress.show(simulation.time)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        raise CommandError(f"The run failed at {simulation.time:.2f} s.", FAILED) from error
    return 0


def _print_speed(speed: float) -> None:
    """Print the speed, at a terminal only: it differs from run to run."""
    if speed and sys.stderr.isatty():
        millions = speed / 1e6
        print(f"{millions:,.1f} million agents updated per second of computing", file=sys.stderr)


def _write_pictures(
    agents: Crowd | ShardedCrowd, census: Census, options: argparse.Namespace
) -> None:
    if options.picture:
        write_file(options.picture, census.to_svg(dark=options.dark))
    if options.diagram:
        write_file(options.diagram, _diagram(agents, options))


def _diagram(agents: Crowd | ShardedCrowd, options: argparse.Namespace) -> str:
    from fsmkit.crowd.pictures import share_svg

    try:
        return share_svg(agents, dark=options.dark)
    except ImportError as error:
        raise CommandError(str(error)) from None
    except FsmError as error:
        raise CommandError(str(error), FAILED) from None


def _check_writable(path: str) -> None:
    """Check that a file could be written there, without writing it."""
    try:
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with TemporaryFile(dir=Path(path).resolve().parent):
            pass
    except OSError as error:
        raise _not_writable(path, error) from None


def _not_writable(path: str, error: OSError) -> CommandError:
    return CommandError(f"{path!r} cannot be written: {error.strerror}.")


def _svg(path: str) -> str:
    if Path(path).suffix.lower() != ".svg":
        raise argparse.ArgumentTypeError(f"must end with .svg, got {path!r}")
    return path


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
