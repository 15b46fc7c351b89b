"""The command `fsmkit timeline`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Final

from fsmkit.cli.command_errors import CommandError
from fsmkit.cli.files import kind_of, read_recording, write_file
from fsmkit.cli.json_answer import JsonAnswer, add_format, chronicle_fields, seconds
from fsmkit.cli.targets import find
from fsmkit.recording import (
    Chronicle,
    History,
    Recording,
    RecordingError,
    Replay,
    timeline_svg,
    timeline_text,
    trace_events,
)
from fsmkit.terminal.console import Console

HELP: Final = """\
Show the states of each machine over the time of a recording, and the events
that led to them: on the terminal, or with -o as a picture (.svg), as text
(.txt), or as a trace (.json) for ui.perfetto.dev.

With TARGET, as for `fsmkit replay`, the recording is replayed, and the trace
has the actions as well, and arrows from machines to those they send events to.

Example:
  fsmkit record examples/guard.py -o guard.jsonl --seconds 20
  fsmkit timeline guard.jsonl
  fsmkit timeline guard.jsonl -o guard.svg
  fsmkit timeline guard.jsonl examples/guard.py -o guard.perfetto.json

"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="the recording")
    command.add_argument("target", nargs="?", metavar="TARGET", help="the machine; see above")
    command.add_argument("-o", dest="output", metavar="FILE", help="write the timeline to FILE")
    command.add_argument("--dark", action="store_true", help="use dark colours (.svg)")
    add_format(command)


def carry_out(options: argparse.Namespace) -> int | JsonAnswer:
    makers: dict[str, Callable[[Chronicle], str]] = {
        ".svg": lambda chronicle: timeline_svg(chronicle, dark=options.dark),
        ".json": lambda chronicle: json.dumps(trace_events(chronicle)),
        ".txt": lambda chronicle: timeline_text(chronicle, whole=True) + "\n",
    }
    kind = kind_of(options.output, makers) if options.output else ""
    recording = read_recording(options.file)
    if fault := recording.fault:
        print(f"fsmkit: {options.file}: {fault}. The part before it is used.", file=sys.stderr)
    is_alone = options.target is None
    chronicle = recording.chronicle() if is_alone else _replayed(recording, options)
    if options.output:
        write_file(options.output, makers[kind](chronicle))
    if options.format == "json":
        return JsonAnswer(
            {
                "machines": list(chronicle.machines),
                "start": seconds(chronicle.start),
                "end": seconds(chronicle.end),
                **chronicle_fields(chronicle),
                "fault": recording.fault or None,
                "written": options.output,
            }
        )
    if not options.output:
        _print(chronicle)
    return 0


def _replayed(recording: Recording, options: argparse.Namespace) -> Chronicle:
    """Return the chronicle of a replay, with the actions, up to the first difference."""
    try:
        run = Replay(find(options.target), recording)
        history = History(run.machines, limit=sys.maxsize, actions=True)
        while not run.is_over and run.difference is None:
            run.forward()
    except RecordingError as error:
        raise CommandError(str(error)) from None
    if run.difference is not None:
        print(
            f"fsmkit: {options.file}: {options.target} does something else at {run.time:.2f} s. "
            "The part before it is used; `fsmkit replay` shows the difference.",
            file=sys.stderr,
        )
    return history.chronicle()


def _print(chronicle: Chronicle) -> None:
    console = Console(sys.stdout)
    whole = not console.stream.isatty()  # another program reads it
    text = timeline_text(chronicle, width=console.columns, whole=whole, console=console)
    console.line(text)
