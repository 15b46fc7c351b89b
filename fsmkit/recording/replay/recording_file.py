"""The file of a recording: JSON lines, a header, one for each step, and one that closes it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from fsmkit import FsmError
from fsmkit.recording.replay.arguments import Encode, Unsaved, encoded
from fsmkit.recording.replay.steps import Header, Step
from fsmkit.terminal.console import described
from fsmkit.tooling.atomic_file import write_atomically

FORMAT: Final = "fsmkit recording"
PLAIN_JSON: Final = 1
"""The version that stored arguments as bare JSON, with tuples as lists for instance."""
OPEN_ENDED: Final = 2
"""The version without a closing line."""
VERSION: Final = 3

AS_JSON_ESCAPES: Final = "backslashreplace"
"""Lone surrogates, which UTF-8 cannot encode, become `\\ud800`, which JSON can read."""

CLOSING: Final = {"end": "complete"}
"""The last line. A file without it is cut off, or its program has crashed."""

CLOSING_LINE: Final = json.dumps(CLOSING) + "\n"

ENTRY_LENGTHS: Final = {
    "event": 5, "leave": 3, "enter": 4, "suspend": 3, "resume": 3, "error": 3,
}  # fmt: skip
"""Kind of journal entry -> the number of strings that it consists of."""


class RecordingError(FsmError):
    """A file is not a recording, or a recording does not fit the machines."""


class RecordingFile:
    """Writes a recording. Each line is handed to the operating system at once.

    Raises OSError if it cannot be written.
    """

    def __init__(self, path: str | Path, header: Header, encode: Encode | None = None) -> None:
        self.path = path
        self._encode = encode
        self._process = os.getpid()
        self._file = Path(path).open(  # noqa: SIM115  # it stays open
            "w", encoding="utf-8", errors=AS_JSON_ESCAPES, newline="\n", buffering=1
        )
        try:
            self._file.write(_header_line(header))
        except BaseException:
            self.abandon()
            raise

    def write(self, step: Step) -> None:
        """Write the line of `step`."""
        self._file.write(_step_line(step, self._encode))

    def close(self) -> None:
        """Write the closing line, and nothing more."""
        if self._file.closed or os.getpid() != self._process:  # a copy of the process leaves it be
            return
        try:
            self._file.write(CLOSING_LINE)
            self._file.close()
        except BaseException:
            self.abandon()
            raise

    def close_at_exit(self) -> None:
        """Close it if nobody has; the program ends, and nobody is there to be told of an error."""
        with suppress(Exception):
            self.close()

    def abandon(self) -> None:
        """Write nothing more, after an error."""
        with suppress(OSError, ValueError):
            self._file.close()


def save_recording(
    path: str | Path, header: Header, steps: Iterable[Step], encode: Encode | None
) -> None:
    """Write a whole recording, completely or not at all. Raises OSError."""
    lines = (_header_line(header), *_step_lines(steps, encode), CLOSING_LINE)
    content = "".join(lines).encode("utf-8", AS_JSON_ESCAPES)
    target = Path(path)
    if target.exists() and not target.is_file():  # such as /dev/stdout, which cannot be replaced
        target.write_bytes(content)
    else:
        write_atomically(target, content)


def _header_line(header: Header) -> str:
    heading = {"format": FORMAT, "version": VERSION, "machines": list(header.machines)}
    return _line({**heading, **_unless_empty(states=dict(header.states))})


def _step_lines(steps: Iterable[Step], encode: Encode | None) -> Iterator[str]:
    return (_step_line(step, encode) for step in steps)


def _step_line(step: Step, encode: Encode | None) -> str:
    line = {"machine": step.machine, "call": step.call, "time": float(step.time)}
    more = _unless_empty(journal=step.journal, raised=step.raised)
    arguments = {name: encoded(value, encode) for name, value in step.arguments.items()}
    try:
        return _line({**line, **_unless_empty(arguments=arguments), **more})
    except (ValueError, RecursionError):  # nested too deeply
        described_ones = {
            name: encoded(Unsaved(described(value))) for name, value in step.arguments.items()
        }
        return _line({**line, "arguments": described_ones, **more})


def _line(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False) + "\n"


def _unless_empty(**contents: Any) -> dict[str, Any]:
    return {name: content for name, content in contents.items() if content}
