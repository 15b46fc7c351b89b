"""`fsmkit run`: run a machine and report what it does."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from fsmkit import timing
from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.options import add_run_options, add_target, check_run_options, group_of
from fsmkit.cli.report import RunReport
from fsmkit.cli.simulation import SimulatedMachines, Simulation
from fsmkit.cli.targets import load
from fsmkit.terminal.console import Console

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as in shells."""

HELP: Final = "run a machine and report what it does"

DESCRIPTION: Final = """\
Run a machine, print a line for each change of state, and at the end a bar for each state with the
time spent in it.

TARGET is path.py:function or module:function, where the function takes no arguments and returns an
Fsm or an FsmGroup. The default function is build. Machines that are not running are started.
"""

EXAMPLE: Final = """\
example:
  fsmkit run examples/guard.py --seconds 20
  fsmkit run examples/runner.py:build --event JUMP@2.9 --realtime
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_target(command)
    add_run_options(command)
    command.add_argument(
        "--realtime", action="store_true", help="run in real time instead of as fast as possible"
    )


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    report = RunReport(Console(sys.stdout, live=options.realtime))
    simulation = Simulation(
        SimulatedMachines(group_of(load(options.target)), report.change),
        options.fps,
        options.seconds,
        options.events,
    )
    check_run_options(simulation, options)
    report.begin(simulation)
    exit_code = _go_through(simulation, options)
    report.finish(simulation)
    return exit_code


def _go_through(simulation: Simulation[SimulatedMachines], options: argparse.Namespace) -> int:
    try:
        simulation.start(options.start)
        if options.realtime:
            timing.run(simulation, options.fps)
        else:
            while simulation.is_running:
                simulation.update()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        raise CommandError(f"The run failed at {simulation.time:.2f} s.", FAILED) from error
    return 0
