"""The file of a recording: lines of JSON, the first one a heading, then one for each step."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from fsmkit import FsmError
from fsmkit.recording.steps import CALLS, Header, Step

FORMAT: Final = "fsmkit recording"
VERSION: Final = 1

ENTRIES: Final = {"event": 5, "leave": 3, "enter": 4, "error": 3}
"""The kinds of entries in a journal, and of how many texts each consists."""

UNSAVED: Final = "$unsaved"
"""The key under which data that JSON does not know is described."""

Encode = Callable[[Any], Any]


class RecordingError(FsmError):
    """A file is no recording, or a recording does not fit."""


class RecordingFile:
    """Writes a recording. Each line is handed to the operating system at once."""

    def __init__(self, path: str | Path, header: Header, encode: Encode | None = None) -> None:
        self._encode = encode or _described
        self._file = Path(path).open("w", encoding="utf-8", newline="\n", buffering=1)  # noqa: SIM115  # it stays open
        heading = {"format": FORMAT, "version": VERSION, "machines": list(header.machines)}
        self._write_line({**heading, **_unless_empty(states=dict(header.states))})

    def write(self, step: Step) -> None:
        """Write the line of `step`."""
        line = {"machine": step.machine, "call": step.call, "time": step.time}
        more = _unless_empty(arguments=step.arguments, journal=step.journal, raised=step.raised)
        self._write_line({**line, **more})

    def close(self) -> None:
        """Write nothing more."""
        self._file.close()

    def _write_line(self, content: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(content, ensure_ascii=False, default=self._encode) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def load(path: str | Path) -> tuple[Header, list[Step], str]:
    """The heading, the steps, and what is wrong with the first line that cannot be read, if any.

    Raises RecordingError if the heading is not that of a recording.
    """
    heading, *lines = Path(path).read_bytes().split(b"\n")
    header = _header(path, heading)
    steps: list[Step] = []
    for number, line in enumerate(lines, start=2):
        if line or number <= len(lines):
            try:
                steps.append(_step(line))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                return header, steps, f"line {number} is damaged: {_reason(error)}"
    return header, steps, ""


def _header(path: str | Path, line: bytes) -> Header:
    content: dict[str, Any] = {}
    with suppress(ValueError, TypeError):
        content = dict(json.loads(line))
    if content.get("format") != FORMAT:
        raise RecordingError(f"{str(path)!r} is no recording: its first line does not say so.")
    if (version := content.get("version")) != VERSION:
        raise RecordingError(
            f"{str(path)!r} is a recording of version {version!r}; this fsmkit reads version "
            f"{VERSION}. Use the fsmkit that it was made with."
        )
    try:
        states = {str(machine): str(state) for machine, state in content.get("states", {}).items()}
        return Header(_texts(content["machines"]), states)
    except (ValueError, KeyError, AttributeError) as error:
        raise RecordingError(f"{str(path)!r}: line 1 is damaged: {_reason(error)}.") from None


def _step(line: bytes) -> Step:
    content = json.loads(line)
    call = content["call"]
    if call not in CALLS:
        raise ValueError(f"there is no call {call!r}")
    return Step(
        str(content["machine"]),
        call,
        {str(name): value for name, value in dict(content.get("arguments", {})).items()},
        float(content["time"]),
        tuple(_entry(entry) for entry in content.get("journal", ())),
        str(content.get("raised", "")),
    )


def _entry(values: Any) -> tuple[str, ...]:
    entry = _texts(values)
    if len(entry) != ENTRIES.get(entry[0] if entry else ""):
        raise ValueError(f"there is no such entry of a journal: {values!r}")
    return entry


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"a list of texts is expected, not {values!r}")
    return tuple(values)


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _described(data: object) -> dict[str, str]:
    return {UNSAVED: repr(data)}


def _unless_empty(**contents: Any) -> dict[str, Any]:
    return {name: content for name, content in contents.items() if content}
