"""`fsmkit replay`: carry a recording out once more and see whether it goes the same way."""

from __future__ import annotations

import argparse
import sys
from math import inf
from typing import Any, Final

from fsmkit import Fsm
from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.options import add_target, group_of
from fsmkit.cli.targets import find
from fsmkit.recording import Recording, RecordingError, Replay
from fsmkit.terminal.console import Console
from fsmkit.terminal.progress import Progress
from fsmkit.tooling.nesting import MachineNames

HELP: Final = "carry a recording out once more and compare"

DESCRIPTION: Final = """\
Carry a recording out on machines just built, and compare what happens step by step. The first
difference is shown with the steps around it, and the exit code is 1; as well if the recording is
damaged and cannot be carried out to its end.

TARGET is path.py:function or module:function, as for `fsmkit record`.
"""

EXAMPLE: Final = """\
example:
  fsmkit replay examples/guard.py guard.jsonl
  fsmkit replay examples/guard.py guard.jsonl --until 6.5
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Say what the command understands."""
    add_target(command)
    command.add_argument("file", metavar="FILE", help="the recording")
    command.add_argument(
        "--until",
        type=_seconds,
        default=inf,
        metavar="T",
        help="go as far as T seconds, and tell where the machines are then",
    )


def carry_out(options: argparse.Namespace) -> int:
    """Carry out the command; return the exit code. Raises CommandError."""
    recording = read_recording(options.file)
    try:
        course = Replay(find(options.target), recording)
        _go_through(course, options.until)
    except RecordingError as error:
        raise CommandError(str(error)) from None
    console = Console(sys.stdout)
    comparison = course.compare()
    for line in str(comparison).splitlines():
        console.line(console.shown(line))
    if options.until < inf:
        _tell_states(course, console)
    return 0 if comparison else FAILED


def read_recording(path: str) -> Recording:
    """The recording at `path`; a damaged one as far as it is good."""
    try:
        return Recording.load(path)
    except OSError as error:
        raise CommandError(f"{path!r} cannot be read: {error.strerror}.") from None
    except RecordingError as error:
        raise CommandError(str(error)) from None


def _go_through(course: Replay, until: float) -> None:
    end = course.position_at(until)
    with Progress("replaying", end) as progress:
        while course.position < end and course.difference is None:
            course.forward()
            progress.show(course.position)


def _tell_states(course: Replay, console: Console) -> None:
    """Where each machine is, and since when."""
    console.line(f"at {course.time:.2f} s:")
    roster = MachineNames()
    for name, machine, _ in roster.add(group_of(course.machines)):
        console.line(console.shown(f"  {name}: {_whereabouts(machine)}"))


def _whereabouts(machine: Fsm[Any]) -> str:
    state = machine.current_state
    if state is None:
        return "not running"
    cause = f", by {machine.last_event}" if machine.last_event else ""
    return f"in {state.name} for {machine.time_in_state:.2f} s{cause}"


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds
