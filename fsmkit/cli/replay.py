"""The command `fsmkit replay`."""

from __future__ import annotations

import argparse
import sys
from math import inf
from typing import Any, Final

from fsmkit import Fsm
from fsmkit.cli.command_errors import UNSUCCESSFUL, CommandError
from fsmkit.cli.files import read_recording
from fsmkit.cli.json_answer import JsonAnswer, JsonObject, add_format, seconds
from fsmkit.cli.options import add_flag, add_target, group_of, seconds_from_zero
from fsmkit.cli.prospects import print_prospects, prospect_objects, prospects
from fsmkit.cli.targets import find
from fsmkit.introspection.nesting import MachineNames
from fsmkit.recording import Comparison, Difference, RecordingError, Replay
from fsmkit.terminal.console import Console
from fsmkit.terminal.progress import Progress

HELP: Final = """\
Replay a recording on newly built machines, and compare it step by step. The
first difference is shown with the steps around it. The exit code is 1 if there
is a difference, or if the recording is damaged and cannot be replayed to its
end.

TARGET is path.py:function or module:function, as for `fsmkit record`.

Example:
  fsmkit replay examples/guard.py guard.jsonl
  fsmkit replay examples/guard.py guard.jsonl --at 6.5
  fsmkit replay examples/guard.py guard.jsonl --at 6.5 --why SAW_PLAYER

"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_target(command)
    command.add_argument("file", metavar="FILE", help="the recording")
    command.add_argument(
        "--until",
        "--at",
        type=seconds_from_zero,
        default=inf,
        metavar="T",
        help="replay the first T seconds, and show the states of the machines then",
    )
    command.add_argument(
        "--why",
        metavar="EVENT",
        help="say what the event would do then, or at the end, in each machine that runs",
    )
    add_flag(
        command,
        "--journal-only",
        "compare what was done, but not what the actions were given and remember",
    )
    add_format(command)


def carry_out(options: argparse.Namespace) -> int | JsonAnswer:
    recording = read_recording(options.file)
    try:
        run = Replay(find(options.target), recording, digests=not options.journal_only)
        _go_through(run, options.until)
    except RecordingError as error:
        raise CommandError(str(error)) from None
    comparison = run.compare()
    exit_code = 0 if comparison else UNSUCCESSFUL
    group = group_of(run.machines)
    found = None if options.why is None else prospects(group, options.why)
    if options.format == "json":
        why = None if found is None else prospect_objects(found)
        return JsonAnswer({**_fields(run, comparison), "why": why}, exit_code)
    console = Console(sys.stdout)
    for line in str(comparison).splitlines():
        console.line(console.shown(line))
    if options.until < inf:
        _print_states(run, console)
    if found is not None:
        print_prospects(console, str(options.why), run.time, found)
    return exit_code


def _go_through(run: Replay, until: float) -> None:
    end = run.position_at(until)
    with Progress("replaying", end) as progress:
        while run.position < end and run.difference is None:
            run.forward()
            progress.show(run.position)


def _print_states(run: Replay, console: Console) -> None:
    console.line(f"at {run.time:.2f} s:")
    for name, machine, _ in MachineNames().add(group_of(run.machines)):
        console.line(console.shown(f"  {name}: {_whereabouts(machine)}"))


def _whereabouts(machine: Fsm[Any]) -> str:
    state = machine.current_state
    if state is None:
        return "not running"
    cause = f", by {machine.last_event}" if machine.last_event else ""
    return f"in {state.name} for {machine.time_in_state:.2f} s{cause}"


def _fields(run: Replay, comparison: Comparison) -> JsonObject:
    return {
        "equal": comparison.equal,
        "steps": comparison.steps,
        "time": seconds(run.time),
        "difference": _difference_object(comparison.difference),
        "fault": comparison.fault or None,
        "machines": [
            {
                "machine": name,
                "state": state.name if (state := machine.current_state) is not None else None,
                "event": machine.last_event,
                "time_in_state": seconds(machine.time_in_state),
            }
            for name, machine, _ in MachineNames().add(group_of(run.machines))
        ],
    }


def _difference_object(difference: Difference | None) -> JsonObject | None:
    if difference is None:
        return None
    replayed = difference.replayed
    return {
        "step": difference.position,
        "time": seconds(difference.recorded.time),
        "recorded": difference.recorded.told(),
        "replayed": None if replayed is None else replayed.told(),
        "reason": difference.reason or None,
        "text": str(difference),
    }
