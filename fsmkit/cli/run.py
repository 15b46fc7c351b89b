"""`fsmkit run`: run a machine and report what it does."""

from __future__ import annotations

import argparse
import sys
from math import inf
from typing import Final

from fsmkit import timing
from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.live import LiveMachines
from fsmkit.cli.options import (
    DEFAULT_SECONDS,
    add_run_options,
    add_target,
    check_run_options,
    group_of,
)
from fsmkit.cli.report import RunReport
from fsmkit.cli.simulation import SimulatedMachines, Simulation
from fsmkit.cli.targets import find, load
from fsmkit.reloading import Origin
from fsmkit.terminal.console import Console

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as in shells."""

HELP: Final = "run a machine and report what it does"

DESCRIPTION: Final = """\
Run a machine, print a line for each change of state, and at the end a bar for
each state with the time spent in it.

TARGET is path.py:function or module:function, where the function takes no
arguments and returns an Fsm or an FsmGroup. The default function is build.
Machines that are not running are started.
"""

EXAMPLE: Final = """\
example:
  fsmkit run examples/guard.py --seconds 20
  fsmkit run examples/runner.py:build --event JUMP@2.9 --realtime
  fsmkit run examples/guard.py --reload
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_target(command)
    add_run_options(command)
    command.set_defaults(seconds=None)
    command.add_argument(
        "--realtime", action="store_true", help="run in real time instead of as fast as possible"
    )
    command.add_argument(
        "--reload",
        action="store_true",
        help="run in real time, until Ctrl-C unless --seconds is given; when the code is changed, "
        "go on with the new one",
    )


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    report = RunReport(Console(sys.stdout, live=options.realtime or options.reload))
    if options.seconds is None:
        options.seconds = inf if options.reload else DEFAULT_SECONDS
    machines = (_live if options.reload else _simulated)(options.target, report)
    simulation = Simulation(machines, options.fps, options.seconds, options.events)
    check_run_options(simulation, options)
    report.begin(simulation)
    exit_code = _go_through(simulation, options)
    report.finish(simulation)
    return exit_code


def _simulated(target: str, report: RunReport) -> SimulatedMachines:
    return SimulatedMachines(group_of(load(target)), report.change)


def _live(target: str, report: RunReport) -> SimulatedMachines:
    build = find(target)
    return LiveMachines(group_of(build()), Origin(build.module, build.name), report)


def _go_through(simulation: Simulation[SimulatedMachines], options: argparse.Namespace) -> int:
    try:
        simulation.start(options.start)
        if options.realtime or options.reload:
            timing.run(simulation, options.fps)
        else:
            while simulation.is_running:
                simulation.update()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        raise CommandError(f"The run failed at {simulation.time:.2f} s.", FAILED) from error
    return 0
