"""`fsmkit replay`: replay a recording and compare."""

from __future__ import annotations

import argparse
import sys
from math import inf
from typing import Any, Final

from fsmkit import Fsm
from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.options import add_target, group_of
from fsmkit.cli.targets import find
from fsmkit.recording import Recording, RecordingError, Replay, why
from fsmkit.terminal.console import Console
from fsmkit.terminal.progress import Progress
from fsmkit.tooling.nesting import MachineNames

HELP: Final = "replay a recording and compare"

DESCRIPTION: Final = """\
Replay a recording on newly built machines, and compare it step by step. The
first difference is shown with the steps around it. The exit code is 1 if there
is a difference, or if the recording is damaged and cannot be replayed to its
end.

TARGET is path.py:function or module:function, as for `fsmkit record`.
"""

EXAMPLE: Final = """\
example:
  fsmkit replay examples/guard.py guard.jsonl
  fsmkit replay examples/guard.py guard.jsonl --at 6.5
  fsmkit replay examples/guard.py guard.jsonl --at 6.5 --why SAW_PLAYER
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_target(command)
    command.add_argument("file", metavar="FILE", help="the recording")
    command.add_argument(
        "--until",
        "--at",
        type=_seconds,
        default=inf,
        metavar="T",
        help="replay the first T seconds, and show the states of the machines then",
    )
    command.add_argument(
        "--why",
        metavar="EVENT",
        help="say what the event would do then, or at the end, in each machine that runs",
    )
    command.add_argument(
        "--journal-only",
        action="store_true",
        help="compare what was done, but not what the actions were given and remember",
    )


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    recording = read_recording(options.file)
    try:
        run = Replay(find(options.target), recording, digests=not options.journal_only)
        _go_through(run, options.until)
    except RecordingError as error:
        raise CommandError(str(error)) from None
    console = Console(sys.stdout)
    comparison = run.compare()
    for line in str(comparison).splitlines():
        console.line(console.shown(line))
    if options.until < inf:
        _print_states(run, console)
    if options.why is not None:
        _print_why(run, options.why, console)
    return 0 if comparison else FAILED


def read_recording(path: str) -> Recording:
    """Load the recording at `path`; of a damaged one, the good part."""
    try:
        return Recording.load(path)
    except OSError as error:
        raise CommandError(f"{path!r} cannot be read: {error.strerror}.") from None
    except RecordingError as error:
        raise CommandError(str(error)) from None


def _go_through(run: Replay, until: float) -> None:
    end = run.position_at(until)
    with Progress("replaying", end) as progress:
        while run.position < end and run.difference is None:
            run.forward()
            progress.show(run.position)


def _print_states(run: Replay, console: Console) -> None:
    """Print the state of each machine, and the time spent in it."""
    console.line(f"at {run.time:.2f} s:")
    machine_names = MachineNames()
    for name, machine, _ in machine_names.add(group_of(run.machines)):
        console.line(console.shown(f"  {name}: {_whereabouts(machine)}"))


def _print_why(run: Replay, event: str, console: Console) -> None:
    """Print what the event would do in each machine that runs."""
    console.line(console.shown(f"{event} at {run.time:.2f} s:"))
    machine_names = MachineNames()
    for name, machine, _ in machine_names.add(group_of(run.machines)):
        if machine.is_running:
            console.line(console.shown(f"  {name}: {why(machine, event)}"))


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
        raise argparse.ArgumentTypeError(f"must be a finite number of seconds >= 0, got {text!r}")
    return seconds
