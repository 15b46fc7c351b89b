"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import inf
from typing import Any, Final

from fsmkit import Fsm, FsmGroup
from fsmkit.cli.errors import CommandError
from fsmkit.cli.simulation import SimulatedMachines, Simulation
from fsmkit.cli.timed_event import timed_event
from fsmkit.tooling.nesting import members

DEFAULT_SECONDS: Final = 10.0


def add_target(command: argparse.ArgumentParser) -> None:
    """Add TARGET, see `fsmkit.cli.targets`."""
    command.add_argument("target", metavar="TARGET", help="the machine; see above")


def add_run_options(command: argparse.ArgumentParser) -> None:
    """Add the options for running a machine."""
    command.add_argument(
        "--seconds",
        type=above_zero,
        default=DEFAULT_SECONDS,
        help=f"duration of the run in seconds (default: {DEFAULT_SECONDS:g})",
        metavar="S",
    )
    add_rate_and_start(command)
    command.add_argument(
        "--event",
        type=timed_event,
        action="append",
        default=[],
        dest="events",
        metavar="NAME@T[=DATA]",
        help="send an event to every machine after T seconds, with data as JSON; may be repeated",
    )


def add_rate_and_start(command: argparse.ArgumentParser) -> None:
    """Add the options of every command that updates machines."""
    command.add_argument(
        "--fps", type=above_zero, default=60.0, help="updates per second (default: 60)", metavar="N"
    )
    command.add_argument(
        "--start", metavar="STATE", help="the state to start in, for each machine that has it"
    )


def check_run_options(
    simulation: Simulation[SimulatedMachines], options: argparse.Namespace
) -> None:
    """Check that the arguments fit together and fit the machines. Raises CommandError."""
    for event in options.events:
        if event.due > options.seconds:
            raise CommandError(
                f"--event {event} is after the end of the run at {options.seconds:g} s. "
                "Send it earlier, or increase --seconds."
            )
    check_start(simulation.simulated.group, options.start)


def check_start(machines: Fsm[Any] | FsmGroup, start: str | None) -> None:
    """Check that there is such a state. Raises CommandError."""
    states = {state: None for machine in members(machines) for state in machine.states}
    if start is not None and start not in states:
        raise CommandError(
            f"--start {start!r}: there is no such state. "
            f"The states are: {', '.join(map(repr, states)) or 'none'}."
        )


def group_of(built: Fsm[Any] | FsmGroup) -> FsmGroup:
    """Return the machines as a group, even if there is only one."""
    return built if isinstance(built, FsmGroup) else FsmGroup([built])


def above_zero(text: str) -> float:
    """Return a number above 0, for argparse."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < inf:
        raise argparse.ArgumentTypeError(f"must be a finite number > 0, got {text!r}")
    return number


def integer_from(least: int) -> Callable[[str], int]:
    """Return a function that returns an integer of at least that, for argparse."""

    def number(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) < 2**63:
            raise argparse.ArgumentTypeError(f"must be an integer >= {least}, got {text!r}")
        return int(text)

    return number
