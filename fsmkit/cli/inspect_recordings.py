"""`fsmkit inspect run.jsonl`: recordings on the inspector's page."""

from __future__ import annotations

import argparse
import signal
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

from attrs import frozen

from fsmkit.cli.errors import CommandError
from fsmkit.cli.targets import find
from fsmkit.recording import RecordingError

if TYPE_CHECKING:
    from fsmkit.inspector import RecordingInspector

SUFFIX: Final = ".jsonl"

MOST: Final = 2
"""Recordings that can be shown beside each other."""

FOR_LIVE: Final = {
    "start": None,
    "fps": 60.0,
    "reload": False,
    "read_only": False,
    "stop_on_error": False,
    "dashboard": False,
    "editor": None,
    "agents": None,
}
"""The options that are for machines that run, with their defaults."""


@frozen
class Given:
    """What is to be inspected."""

    recordings: Sequence[str]
    target: str | None


def given(arguments: Sequence[str]) -> Given:
    """Return the recordings and the target among `arguments`. Raises CommandError."""
    recordings = [each for each in arguments if _is_recording(each)]
    targets = [each for each in arguments if not _is_recording(each)]
    if len(recordings) > MOST:
        raise CommandError(f"Two recordings can be compared, got {len(recordings)}.")
    if len(targets) > 1:
        raise CommandError(
            f"{targets[0]!r} and {targets[1]!r} both name machines: give one of them. (A recording "
            f"is a file whose name ends in {SUFFIX}.)"
        )
    return Given(recordings, targets[0] if targets else None)


def inspect_recordings(options: argparse.Namespace, wanted: Given) -> int:
    """Serve the page of one or two recordings until the user interrupts."""
    for name, default in FOR_LIVE.items():
        if getattr(options, name) != default:
            raise CommandError(
                f"--{name.replace('_', '-')} is for a machine that runs; a recording is over."
            )
    inspector = _inspector(options, wanted)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does
    with inspector:
        try:
            print(inspector.url, flush=True)
            if wanted.target is None:
                print(_advice(wanted), file=sys.stderr, flush=True)
            if options.open:
                webbrowser.open(inspector.url)
            Event().wait()
        except KeyboardInterrupt:
            print(file=sys.stderr)
    return 0


def _inspector(options: argparse.Namespace, wanted: Given) -> RecordingInspector:
    from fsmkit.inspector import inspect_recording

    build = find(wanted.target) if wanted.target is not None else None
    _check_readable(wanted.recordings)
    try:
        return inspect_recording(*wanted.recordings, build=build, port=options.port, announce=None)
    except (ImportError, RecordingError) as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise cannot_listen(options.port, error) from None


def cannot_listen(port: int, error: OSError) -> CommandError:
    """Return the error of a server whose port cannot be had."""
    cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
    return CommandError(
        f"Cannot listen on port {port}: {cause.strerror}. Choose another --port, or omit it for a "
        "free one."
    )


def _check_readable(paths: Sequence[str]) -> None:
    for path in paths:
        try:
            with Path(path).open("rb"):
                pass
        except OSError as error:
            raise CommandError(f"{path!r} cannot be read: {error.strerror}.") from None


def _is_recording(argument: str) -> bool:
    """Return True for a path that ends in `.jsonl`, or of a file that begins as a recording."""
    if argument.endswith(SUFFIX):
        return True
    with suppress(OSError, ValueError), Path(argument).open("rb") as file:
        return file.read(40).startswith(b'{"format": "fsmkit recording"')
    return False


def _advice(wanted: Given) -> str:
    files = " ".join(wanted.recordings)
    return (
        "The graph shows what occurred. To see actions and values too, give the machine as well: "
        f"fsmkit inspect {files} game.py:build"
    )
