"""`fsmkit run`: step a machine and tell what it does."""

from __future__ import annotations

import argparse
import sys
from math import inf
from typing import Any, Final

from fsmkit import Fsm, FsmGroup, realtime
from fsmkit.command_error import FAILED, CommandError
from fsmkit.console import Console
from fsmkit.run_report import RunReport
from fsmkit.simulation import Simulation
from fsmkit.targets import load

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as shells have it."""

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


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to `fsmkit`."""
    command = commands.add_parser(
        "run",
        help="step a machine and tell what it does",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("target", metavar="TARGET", help="which machine; see above")
    command.add_argument(
        "--seconds", type=_above_zero, default=10.0, help="how long (default: 10)", metavar="S"
    )
    command.add_argument(
        "--fps", type=_above_zero, default=60.0, help="steps per second (default: 60)", metavar="N"
    )
    command.add_argument(
        "--start", metavar="STATE", help="start every machine that has this state in it"
    )
    command.add_argument(
        "--event",
        type=_event_at,
        action="append",
        default=[],
        dest="events",
        metavar="NAME@T",
        help="send an event to every machine after T seconds; may be repeated",
    )
    command.add_argument(
        "--realtime", action="store_true", help="step by the clock instead of at once"
    )
    command.add_argument(
        "--traceback", action="store_true", help="print the traceback of what goes wrong"
    )
    command.set_defaults(carry_out=run)


def run(options: argparse.Namespace) -> int:
    """Carry out the command; return the exit code. Raises CommandError."""
    report = RunReport(Console(sys.stdout, live=options.realtime))
    simulation = Simulation(
        _machines(load(options.target)),
        options.fps,
        options.seconds,
        options.events,
        report.change,
    )
    _check(simulation, options)
    report.begin(simulation)
    exit_code = _go_through(simulation, options)
    report.finish(simulation)
    return exit_code


def _go_through(simulation: Simulation, options: argparse.Namespace) -> int:
    try:
        simulation.start(options.start)
        if options.realtime:
            realtime.run(simulation, options.fps)
        else:
            while simulation.is_running:
                simulation.update()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        raise CommandError(f"The run failed at {simulation.time:.2f} s.", FAILED) from error
    return 0


def _machines(built: Fsm[Any] | FsmGroup) -> FsmGroup:
    return built if isinstance(built, FsmGroup) else FsmGroup([built])


def _check(simulation: Simulation, options: argparse.Namespace) -> None:
    """See whether the arguments fit together, and the machines."""
    for event, due in options.events:
        if due > options.seconds:
            raise CommandError(
                f"--event {event}@{due:g} comes after the end of the run, at {options.seconds:g} s."
                " Make it come earlier, or give more --seconds."
            )
    states = {state: None for machine in simulation.machines for state in machine.states}
    if options.start is not None and options.start not in states:
        raise CommandError(
            f"--start {options.start!r}: there is no such state. "
            f"There are: {', '.join(map(repr, states)) or 'none'}."
        )


def _above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def _event_at(text: str) -> tuple[str, float]:
    name, _, seconds = text.rpartition("@")
    try:
        due = float(seconds)
    except ValueError:
        due = -1.0
    if not name or not 0.0 <= due < inf:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an event with a time in seconds, such as SPOTTED@2.5"
        )
    return name, due
