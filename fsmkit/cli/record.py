"""The command `fsmkit record`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from fsmkit.cli.files import writing
from fsmkit.cli.json_answer import JsonAnswer, add_format, seconds
from fsmkit.cli.options import (
    add_run_options,
    add_target,
    check_run_options,
    group_of,
    states_of,
)
from fsmkit.cli.simulation import SimulatedMachines, Simulation, explained_failure
from fsmkit.cli.targets import load
from fsmkit.recording import Recording
from fsmkit.terminal.progress import Progress

HELP: Final = """\
Run a machine and write each call to it, with its effects, to a file for
`fsmkit replay` and `fsmkit timeline`. Errors are recorded as well.

TARGET is path.py:function or module:function, as for `fsmkit run`.

Example:
  fsmkit record examples/guard.py -o guard.jsonl --seconds 20

"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_target(command)
    command.add_argument("-o", dest="file", metavar="FILE", required=True, help="the file to write")
    add_run_options(command)
    add_format(command)


def carry_out(options: argparse.Namespace) -> int | JsonAnswer:
    machines = load(options.target)
    simulated = SimulatedMachines(group_of(machines), lambda _: None)
    simulation = Simulation(simulated, options.fps, options.seconds, options.events)
    check_run_options(states_of(simulated.group), options)
    with writing(options.file):
        recording = Recording(machines, options.file)
    with (
        recording,
        explained_failure(simulation, f"; {options.file} holds it up to there"),
        Progress("recording", options.seconds) as progress,
    ):
        for time in simulation.steps(options.start):
            progress.show(time)
    steps = len(recording.steps)
    if options.format == "json":
        time = seconds(recording.time)
        return JsonAnswer({"steps": steps, "seconds": time, "written": options.file})
    size = Path(options.file).stat().st_size
    print(
        f"{steps} steps, {recording.time:.2f} s, written to {options.file} ({size / 1024:.0f} KB)."
    )
    return 0
