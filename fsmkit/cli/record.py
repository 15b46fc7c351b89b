"""`fsmkit record`: run a machine and keep what happens in a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.options import add_course, add_target, check_course, group_of
from fsmkit.cli.simulation import SimulatedMachines, Simulation
from fsmkit.cli.targets import load
from fsmkit.recording import Recording
from fsmkit.terminal.progress import Progress

HELP: Final = "run a machine and keep what happens in a file"

DESCRIPTION: Final = """\
Step a machine through time and write every call to it, with what came of it, into a file: for
`fsmkit replay` and `fsmkit timeline`. What went wrong on the way is in the file as well.

TARGET is path.py:function or module:function, as for `fsmkit run`.
"""

EXAMPLE: Final = """\
example:
  fsmkit record examples/guard.py -o guard.jsonl --seconds 20
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Say what the command understands."""
    add_target(command)
    command.add_argument("-o", dest="file", metavar="FILE", required=True, help="where to write it")
    add_course(command)


def carry_out(options: argparse.Namespace) -> int:
    """Carry out the command; return the exit code. Raises CommandError."""
    machines = load(options.target)
    simulation = Simulation(
        SimulatedMachines(group_of(machines), lambda _: None),
        options.fps,
        options.seconds,
        options.events,
    )
    check_course(simulation, options)
    try:
        recording = Recording(machines, options.file)
    except OSError as error:
        raise CommandError(f"{options.file!r} cannot be written: {error.strerror}.") from None
    with recording:
        _go_through(simulation, options)
    size = Path(options.file).stat().st_size
    print(
        f"{len(recording.steps)} steps, {recording.time:.2f} s, written to {options.file} "
        f"({size / 1024:.0f} KB)."
    )
    return 0


def _go_through(simulation: Simulation[SimulatedMachines], options: argparse.Namespace) -> None:
    try:
        with Progress("recording", options.seconds) as progress:
            simulation.start(options.start)
            while simulation.is_running:
                simulation.update()
                progress.show(simulation.time)
    except Exception as error:
        raise CommandError(
            f"The run failed at {simulation.time:.2f} s; {options.file} has it up to there.", FAILED
        ) from error
