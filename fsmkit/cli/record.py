"""`fsmkit record`: run a machine and record it to a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.options import add_run_options, add_target, check_run_options, group_of
from fsmkit.cli.simulation import SimulatedMachines, Simulation
from fsmkit.cli.targets import load
from fsmkit.recording import Recording
from fsmkit.terminal.progress import Progress

HELP: Final = "run a machine and record it to a file"

DESCRIPTION: Final = """\
Run a machine and write each call to it, with its effects, to a file for
`fsmkit replay` and `fsmkit timeline`. Errors are recorded as well.

TARGET is path.py:function or module:function, as for `fsmkit run`.
"""

EXAMPLE: Final = """\
example:
  fsmkit record examples/guard.py -o guard.jsonl --seconds 20
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_target(command)
    command.add_argument("-o", dest="file", metavar="FILE", required=True, help="the file to write")
    add_run_options(command)


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    machines = load(options.target)
    simulation = Simulation(
        SimulatedMachines(group_of(machines), lambda _: None),
        options.fps,
        options.seconds,
        options.events,
    )
    check_run_options(simulation, options)
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
            f"The run failed at {simulation.time:.2f} s; {options.file} holds it up to there.",
            FAILED,
        ) from error
