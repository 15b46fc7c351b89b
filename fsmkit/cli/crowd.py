"""The command `fsmkit crowd`."""

from __future__ import annotations

import argparse
import inspect
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Final

from attrs import define, field

from fsmkit.cli.command_errors import INTERRUPTED, UNSUCCESSFUL, CommandError, plain_errors
from fsmkit.cli.files import check_writable, write_file
from fsmkit.cli.interrupts import interrupts
from fsmkit.cli.json_answer import JsonAnswer, add_format, seconds
from fsmkit.cli.options import (
    TimedEvent,
    add_flag,
    add_run_options,
    add_target,
    check_run_options,
    integer_from,
    svg_path,
)
from fsmkit.cli.simulation import Simulation, explained_failure
from fsmkit.cli.targets import BuildFunction, find
from fsmkit.introspection.blocks import block
from fsmkit.terminal.console import Console
from fsmkit.terminal.progress import Overdue, Progress

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd, CrowdFsm
    from fsmkit.crowd.census import Census
    from fsmkit.crowd.shards import ShardedCrowd
    from fsmkit.crowd.shards.workers import Shards

HELP: Final = """\
Run one machine for many agents, step them through time, and print at the end
how many are in each state; with --picture, draw how many were in each over
time.

TARGET is path.py:function or module:function, a function without arguments
that returns a CrowdFsm. The default function is build. Every agent starts with
the defaults of its class; the first state can give each its own values at
random, a position for example, when it is entered.

If the file has a function prepare(crowd), it is called with the crowd before
the start. It may write fields, set the world, declare what agents know about
their neighbours, and start agents; the rest are started afterwards.

With --shards the agents are divided between several processes: of this
computer, of Ray, or of Dask. The environment variable RAY_ADDRESS names a
cluster of Ray, DASK_SCHEDULER_ADDRESS one of Dask. If it is not set, a cluster
is started on this computer.

Needs `pip install 'fsmkit[crowd]'`, --diagram `pip install 'fsmkit[diagram]'`,
--on ray `pip install 'fsmkit[ray]'`, and --on dask `pip install
'fsmkit[dask]'`.

Example:
  fsmkit crowd examples/stadium.py --agents 20000 --seconds 60 --event WAVE@20
  fsmkit crowd examples/stadium.py --event GOAL@5 --picture counts.svg
  fsmkit crowd examples/stadium.py --event GOAL@5 --diagram shares.svg
  fsmkit crowd examples/stadium.py --agents 50000000 --shards 8 --on ray

"""

COUNTS: Final = 400
"""The approximate number of times that the agents are counted for the picture."""


def add_arguments(command: argparse.ArgumentParser) -> None:
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
    add_flag(command, "--parallel", "use all processors")
    command.add_argument(
        "--shards", type=integer_from(1), metavar="N", help="divide the agents between N processes"
    )
    command.add_argument(
        "--on", choices=("processes", "ray", "dask"),
        help="where these are: processes of this computer (default), of Ray, or of Dask",
    )  # fmt: skip
    command.add_argument(
        "--picture", type=svg_path, metavar="FILE.svg", help="draw how many were in each state"
    )
    command.add_argument(
        "--diagram", type=svg_path, metavar="FILE.svg",
        help="draw the machine with the share of the agents in each state, at the end",
    )  # fmt: skip
    add_flag(command, "--dark", "use dark colours in pictures")
    add_format(command)


def carry_out(options: argparse.Namespace) -> int | JsonAnswer:
    _check_engine(options)
    build, machine = _machine_of(options)
    with _opened(machine, options) as agents:
        _call_prepare(build, agents)
        return _simulate(agents, options)


def _machine_of(options: argparse.Namespace) -> tuple[BuildFunction, CrowdFsm]:
    with plain_errors(), Progress("importing numba") as progress, Overdue(progress.show):
        from fsmkit.crowd import CrowdFsm
        from fsmkit.crowd.compiler.layout import Layout
    build = find(options.target)
    machine = build()
    if not isinstance(machine, CrowdFsm):
        raise CommandError(
            f"{options.target!r} must return a CrowdFsm, got {machine!r}. Give the function that "
            "returns one, or use `fsmkit run`."
        )
    with plain_errors():
        layout = Layout(machine, is_float32=False)
    _check(machine.states, layout.events, options)
    return build, machine


def _check_engine(options: argparse.Namespace) -> None:
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
    check_run_options(states, options)
    for event in options.events:
        if event.name not in events:
            known = ", ".join(map(repr, events)) or "none"
            raise CommandError(
                f"--event {event}: no state knows {event.name!r}. Known events: {known}."
            )
        if event.data is not None:
            raise CommandError(
                f"--event {event}: events of a crowd have no data. Leave out everything after the "
                "time, or use `fsmkit run`."
            )
    for path in filter(None, (options.picture, options.diagram)):
        check_writable(path)


@block
def _opened(machine: CrowdFsm, options: argparse.Namespace) -> Iterator[Crowd | ShardedCrowd]:
    from fsmkit.crowd import Crowd
    from fsmkit.crowd.shards import ShardedCrowd

    agents: Crowd | ShardedCrowd
    with plain_errors():
        if options.shards is None:
            agents = Crowd(
                machine, options.agents,
                engine=options.engine, seed=options.seed, parallel=options.parallel,
            )  # fmt: skip
        else:
            agents = ShardedCrowd(
                machine, options.agents, shards=_shards(options), seed=options.seed
            )
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


def _call_prepare(build: BuildFunction, agents: Crowd | ShardedCrowd) -> None:
    """Call `prepare(crowd)` beside the function that builds the machine, if it exists."""
    function = getattr(sys.modules[build.module], "prepare", None)
    label = f"{build.label.rpartition(':')[0]}:prepare"
    if not inspect.isfunction(function) or _takes(function, 2):  # that belongs to an action
        return
    if not _takes(function, 1):
        signature = f"prepare{inspect.signature(function)}"
        raise CommandError(f"'{label}' must take one argument, the crowd, got {signature}.")
    try:
        function(agents)
    except (Exception, SystemExit) as error:
        raise CommandError(f"'{label}' failed.", UNSUCCESSFUL) from error


def _takes(function: Callable[..., object], count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True


def _simulate(agents: Crowd | ShardedCrowd, options: argparse.Namespace) -> int | JsonAnswer:
    if options.diagram:
        _diagram(agents, options)  # raises before a long run starts

    from fsmkit.crowd.census import Census
    from fsmkit.crowd.pictures import print_counts

    simulation = Simulation(TimedCrowd(agents), options.fps, options.seconds, options.events)
    census = Census(agents, options.seconds / COUNTS)
    exit_code = _run(simulation, census, options)
    if options.format == "text":
        console = Console(sys.stdout)
        console.line(console.styled(console.shown(agents.machine.name), "bold"))
        print_counts(console, agents.count())
        _print_speed(simulation.simulated.speed)
    if options.picture:
        write_file(options.picture, census.to_svg(dark=options.dark))
    if options.diagram:
        write_file(options.diagram, _diagram(agents, options))
    if options.format == "text":
        return exit_code
    fields = {
        "machine": agents.machine.name,
        "agents": len(agents),
        "seconds": seconds(simulation.time),
        "states": dict(agents.count()),
        "written": [path for path in (options.picture, options.diagram) if path],
    }
    return JsonAnswer(fields, exit_code)


def _run(simulation: Simulation[TimedCrowd], census: Census, options: argparse.Namespace) -> int:
    try:
        with (
            explained_failure(simulation),
            interrupts(signal.SIGINT) as check_interrupts,
            Progress("running", options.seconds) as progress,
        ):
            for time in simulation.steps(options.start):
                check_interrupts()
                census.take()
                progress.show(time)
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


@define(eq=False)
class TimedCrowd:
    _crowd: Crowd | ShardedCrowd
    _updates: int = field(default=0, init=False)
    _computing: float = field(default=0.0, init=False)
    """Seconds by the clock. The first update is left out: it compiles."""

    @property
    def is_running(self) -> bool:
        return True

    @property
    def speed(self) -> float:
        """The number of agents updated per second of computing; 0 while that is unknown."""
        updated = len(self._crowd) * (self._updates - 1)
        return updated / self._computing if self._computing else 0.0

    def start(self, state: str | None) -> None:
        from fsmkit.crowd import Crowd

        agents = self._crowd
        if not any(agents.count().values()):
            agents.start(state)
            return
        states = agents.states if isinstance(agents, Crowd) else agents.states()
        if (states < 0).any():
            agents.start(state, where=states < 0)

    def update(self, dt: float) -> None:
        begun = perf_counter()
        self._crowd.update(dt)
        self._updates += 1
        if self._updates > 1:
            self._computing += perf_counter() - begun

    def send(self, events: Sequence[TimedEvent]) -> None:
        for event in events:
            self._crowd.send_event(event.name)


def _print_speed(speed: float) -> None:
    """Print the speed, at a terminal only: it differs from run to run."""
    if speed and sys.stderr.isatty():
        millions = speed / 1e6
        print(f"{millions:,.1f} million agents updated per second of computing", file=sys.stderr)


def _diagram(agents: Crowd | ShardedCrowd, options: argparse.Namespace) -> str:
    from fsmkit.crowd.pictures import share_svg

    with plain_errors():
        return share_svg(agents, dark=options.dark)
