"""The file of a recording: JSON lines, a header and then one for each step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final, Self

from fsmkit import FsmError
from fsmkit.recording.replay.arguments import Encode, decoded, encoded, is_unsaved
from fsmkit.recording.replay.steps import CALLS, Header, Step

FORMAT: Final = "fsmkit recording"
PLAIN_JSON: Final = 1
"""The version that stored arguments as bare JSON, with tuples as lists for instance."""
VERSION: Final = 2

AS_JSON_ESCAPES: Final = "backslashreplace"
"""Lone surrogates, which UTF-8 cannot encode, become `\\ud800`, which JSON can read."""

ENTRY_LENGTHS: Final = {
    "event": 5, "leave": 3, "enter": 4, "suspend": 3, "resume": 3, "error": 3,
}  # fmt: skip
"""Kind of journal entry -> the number of strings that it consists of."""


class RecordingError(FsmError):
    """A file is not a recording, or a recording does not fit the machines."""


class RecordingFile:
    """Writes a recording. Each line is handed to the operating system at once."""

    def __init__(self, path: str | Path, header: Header, encode: Encode | None = None) -> None:
        self._encode = encode
        self._file = Path(path).open(  # noqa: SIM115  # it stays open
            "w", encoding="utf-8", errors=AS_JSON_ESCAPES, newline="\n", buffering=1
        )
        heading = {"format": FORMAT, "version": VERSION, "machines": list(header.machines)}
        self._write_line({**heading, **_unless_empty(states=dict(header.states))})

    def write(self, step: Step) -> None:
        """Write the line of `step`."""
        line = {"machine": step.machine, "call": step.call, "time": float(step.time)}
        arguments = {name: encoded(value, self._encode) for name, value in step.arguments.items()}
        more = _unless_empty(arguments=arguments, journal=step.journal, raised=step.raised)
        self._write_line({**line, **more})

    def close(self) -> None:
        """Write nothing more."""
        self._file.close()

    def _write_line(self, content: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(content, ensure_ascii=False) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def load(path: str | Path) -> tuple[Header, list[Step], str]:
    """Return the header, the steps, and what is wrong with the first bad line, if there is one.

    Raises RecordingError if the first line is not the header of a recording.
    """
    heading, *lines = Path(path).read_bytes().split(b"\n")
    version, header = _parsed_header(path, heading)
    steps: list[Step] = []
    for number, line in enumerate(lines, start=2):
        if line or number <= len(lines):
            try:
                steps.append(_step(line, version, steps[-1].time if steps else 0.0))
            except Exception as error:  # of any type: it comes from the content of the line
                return header, steps, f"line {number} is damaged: {_reason(error)}"
    return header, steps, ""


def _parsed_header(path: str | Path, line: bytes) -> tuple[int, Header]:
    content: Any = None
    with suppress(ValueError, RecursionError):
        content = json.loads(line)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RecordingError(
            f"{str(path)!r} is not a recording: its first line is not the header of one."
        )
    version = content.get("version")
    if version not in (PLAIN_JSON, VERSION):
        raise RecordingError(
            f"{str(path)!r} has version {version!r} of the format; this fsmkit reads versions up "
            f"to {VERSION}. Use the fsmkit that wrote it."
        )
    try:
        states = {str(machine): str(state) for machine, state in content.get("states", {}).items()}
        return version, Header(_texts(content["machines"]), states)
    except (ValueError, KeyError, AttributeError) as error:
        raise RecordingError(f"{str(path)!r}: line 1 is damaged: {_reason(error)}.") from None


def _step(line: bytes, version: int, earliest: float) -> Step:
    content = json.loads(line)
    call = content["call"]
    if call not in CALLS:
        raise ValueError(f"unknown call {call!r}")
    arguments = dict(content.get("arguments", {})).items()
    return Step(
        str(content["machine"]),
        call,
        {str(name): _argument(value, version) for name, value in arguments},
        _time(content["time"], earliest),
        tuple(_entry(entry) for entry in content.get("journal", ())),
        str(content.get("raised", "")),
    )


def _argument(content: Any, version: int) -> Any:
    return content if version == PLAIN_JSON and not is_unsaved(content) else decoded(content)


def _time(seconds: Any, earliest: float) -> float:
    if not isinstance(seconds, (int, float)) or not earliest <= seconds < inf:
        raise ValueError(f"the time must be a finite number >= {earliest!r}, got {seconds!r}")
    return float(seconds)


def _entry(values: Any) -> tuple[str, ...]:
    entry = _texts(values)
    if len(entry) != ENTRY_LENGTHS.get(entry[0] if entry else ""):
        raise ValueError(f"not a journal entry: {values!r}")
    return entry


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"expected a list of strings, got {values!r}")
    return tuple(values)


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _unless_empty(**contents: Any) -> dict[str, Any]:
    return {name: content for name, content in contents.items() if content}
