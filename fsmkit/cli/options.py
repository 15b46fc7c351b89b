"""Options that several commands have."""

from __future__ import annotations

import argparse
from math import inf
from typing import Any

from fsmkit import Fsm, FsmGroup
from fsmkit.cli.errors import CommandError
from fsmkit.cli.simulation import SimulatedMachines, Simulation
from fsmkit.tooling.nesting import members


def add_target(command: argparse.ArgumentParser) -> None:
    """Add TARGET, see `fsmkit.cli.targets`."""
    command.add_argument("target", metavar="TARGET", help="which machine; see above")


def add_course(command: argparse.ArgumentParser) -> None:
    """Add the options that say how a machine is run."""
    command.add_argument(
        "--seconds", type=above_zero, default=10.0, help="how long (default: 10)", metavar="S"
    )
    add_rate_and_start(command)
    command.add_argument(
        "--event",
        type=_event_at,
        action="append",
        default=[],
        dest="events",
        metavar="NAME@T",
        help="send an event to every machine after T seconds; may be repeated",
    )


def add_rate_and_start(command: argparse.ArgumentParser) -> None:
    """Add the options that every command has that updates machines."""
    command.add_argument(
        "--fps", type=above_zero, default=60.0, help="steps per second (default: 60)", metavar="N"
    )
    command.add_argument(
        "--start", metavar="STATE", help="start every machine that has this state in it"
    )


def check_course(simulation: Simulation[SimulatedMachines], options: argparse.Namespace) -> None:
    """See whether the arguments fit together, and the machines. Raises CommandError."""
    for event, due in options.events:
        if due > options.seconds:
            raise CommandError(
                f"--event {event}@{due:g} comes after the end of the run, at {options.seconds:g} s."
                " Make it come earlier, or give more --seconds."
            )
    check_start(simulation.simulated.group, options.start)


def check_start(machines: Fsm[Any] | FsmGroup, start: str | None) -> None:
    """See whether there is such a state. Raises CommandError."""
    states = {state: None for machine in members(machines) for state in machine.states}
    if start is not None and start not in states:
        raise CommandError(
            f"--start {start!r}: there is no such state. "
            f"There are: {', '.join(map(repr, states)) or 'none'}."
        )


def group_of(built: Fsm[Any] | FsmGroup) -> FsmGroup:
    """The machines as a group, even if there is only one."""
    return built if isinstance(built, FsmGroup) else FsmGroup([built])


def above_zero(text: str) -> float:
    """A number above 0, for argparse."""
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
