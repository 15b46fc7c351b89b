"""The command `fsmkit timeline`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from typing import Final

from fsmkit.cli.files import kind_of, read_recording, write_file
from fsmkit.recording import Chronicle, timeline_svg, timeline_text, trace_events
from fsmkit.terminal.console import Console

HELP: Final = """\
Show the states of each machine over the time of a recording, and the events
that led to them: on the terminal, or with -o as a picture (.svg), as text
(.txt), or as a trace (.json) for ui.perfetto.dev.

Example:
  fsmkit record examples/guard.py -o guard.jsonl --seconds 20
  fsmkit timeline guard.jsonl
  fsmkit timeline guard.jsonl -o guard.svg

"""

COLUMNS: Final = 80
"""The width without a terminal."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="the recording")
    command.add_argument("-o", dest="output", metavar="FILE", help="write the timeline to FILE")
    command.add_argument("--dark", action="store_true", help="use dark colours (.svg)")


def carry_out(options: argparse.Namespace) -> int:
    makers: dict[str, Callable[[Chronicle], str]] = {
        ".svg": lambda chronicle: timeline_svg(chronicle, dark=options.dark),
        ".json": lambda chronicle: json.dumps(trace_events(chronicle)),
        ".txt": lambda chronicle: timeline_text(chronicle) + "\n",
    }
    kind = kind_of(options.output, makers) if options.output else ""
    recording = read_recording(options.file)
    if fault := recording.fault:
        print(f"fsmkit: {options.file}: {fault}. The part before it is used.", file=sys.stderr)
    chronicle = recording.chronicle()
    if options.output:
        write_file(options.output, makers[kind](chronicle))
    else:
        _print(chronicle)
    return 0


def _print(chronicle: Chronicle) -> None:
    console = Console(sys.stdout)
    columns = shutil.get_terminal_size((COLUMNS, 24)).columns if sys.stdout.isatty() else COLUMNS
    console.line(timeline_text(chronicle, width=columns, console=console))
