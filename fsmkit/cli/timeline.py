"""`fsmkit timeline`: what happened in a recording, as a picture."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from fsmkit.cli.errors import CommandError
from fsmkit.cli.replay import read_recording
from fsmkit.recording import Chronicle, timeline_svg, timeline_text, trace_events
from fsmkit.terminal.console import Console
from fsmkit.tooling.atomic_file import write_atomically

HELP: Final = "show a recording as a timeline"

DESCRIPTION: Final = """\
Show when each machine of a recording was in which state, and which events took it there: on the
terminal, or with -o as a picture (.svg), or as a trace (.json) for ui.perfetto.dev.
"""

EXAMPLE: Final = """\
example:
  fsmkit record examples/guard.py -o guard.jsonl --seconds 20
  fsmkit timeline guard.jsonl
  fsmkit timeline guard.jsonl -o guard.svg
"""

COLUMNS: Final = 100
"""The width where there is no terminal."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Say what the command understands."""
    command.add_argument("file", metavar="FILE", help="the recording")
    command.add_argument("-o", dest="output", metavar="FILE", help="where to write the picture")
    command.add_argument("--dark", action="store_true", help="a dark picture")


def carry_out(options: argparse.Namespace) -> int:
    """Carry out the command; return the exit code. Raises CommandError."""
    makers: dict[str, Callable[[Chronicle], str]] = {
        ".svg": lambda chronicle: timeline_svg(chronicle, dark=options.dark),
        ".json": lambda chronicle: json.dumps(trace_events(chronicle)),
        ".txt": lambda chronicle: timeline_text(chronicle) + "\n",
    }
    kind = Path(options.output).suffix.lower() if options.output else ""
    if options.output and kind not in makers:
        raise CommandError(
            f"-o {options.output!r}: {kind or 'no ending'!r} is no format of a timeline. "
            f"Give a file that ends with {', '.join(makers)}."
        )
    recording = read_recording(options.file)
    if fault := recording.fault:
        print(f"fsmkit: {options.file}: {fault}. What comes before it is used.", file=sys.stderr)
    chronicle = recording.chronicle()
    if options.output:
        _write(options.output, makers[kind](chronicle))
    else:
        _print(chronicle)
    return 0


def _write(path: str, content: str) -> None:
    try:
        write_atomically(Path(path), content)
    except OSError as error:
        raise CommandError(f"{path!r} cannot be written: {error.strerror}.") from None


def _print(chronicle: Chronicle) -> None:
    console = Console(sys.stdout)
    columns = shutil.get_terminal_size((COLUMNS, 24)).columns if sys.stdout.isatty() else COLUMNS
    console.line(timeline_text(chronicle, width=columns, console=console))
