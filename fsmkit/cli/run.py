"""`fsmkit run`: step a machine and tell what it does."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from fsmkit import timing
from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.options import add_course, add_target, check_course, group_of
from fsmkit.cli.report import RunReport
from fsmkit.cli.simulation import SimulatedMachines, Simulation
from fsmkit.cli.targets import load
from fsmkit.terminal.console import Console

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as shells have it."""

HELP: Final = "step a machine and tell what it does"

DESCRIPTION: Final = """\
Step a machine through time, print a line for every change of state, and in the end a bar for every
state with the time spent there.

TARGET is path.py:function or module:function, a function without arguments that returns an Fsm or
an FsmGroup. Without a function it is build(). Machines that do not run yet are started.
"""

EXAMPLE: Final = """\
example:
  fsmkit run examples/guard.py --seconds 20
  fsmkit run examples/runner.py:build --event JUMP@2.9 --realtime
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Say what the command understands."""
    add_target(command)
    add_course(command)
    command.add_argument(
        "--realtime", action="store_true", help="step by the clock instead of at once"
    )


def carry_out(options: argparse.Namespace) -> int:
    """Carry out the command; return the exit code. Raises CommandError."""
    report = RunReport(Console(sys.stdout, live=options.realtime))
    simulation = Simulation(
        SimulatedMachines(group_of(load(options.target)), report.change),
        options.fps,
        options.seconds,
        options.events,
    )
    check_course(simulation, options)
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
