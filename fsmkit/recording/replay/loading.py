"""Loading a recording from its file; no code in it is run."""

from __future__ import annotations

import json
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final

from fsmkit.recording.replay.arguments import decoded, is_unsaved
from fsmkit.recording.replay.recording_file import (
    CLOSING,
    ENTRY_LENGTHS,
    FORMAT,
    OPEN_ENDED,
    PLAIN_JSON,
    VERSION,
    RecordingError,
)
from fsmkit.recording.replay.steps import CALLS, Header, Step

NOT_CLOSED: Final = (
    "the file ends before its recording did: it was cut off, or the program ended without detach()"
)
"""The fault of a file without a closing line."""


def load(path: str | Path) -> tuple[Header, list[Step], str]:
    """Return the header, the steps, and what is wrong with the first bad line, if there is one.

    Raises RecordingError if the first line is not the header of a recording.
    """
    heading, *lines = Path(path).read_bytes().split(b"\n")
    version, header = _parsed_header(path, heading)
    steps: list[Step] = []
    is_closed = version <= OPEN_ENDED
    for number, line in enumerate(lines, start=2):
        if line or number <= len(lines):
            try:
                content = json.loads(line)
                if is_closed and version > OPEN_ENDED:
                    raise ValueError("it comes after the closing line")
                if content == CLOSING:
                    is_closed = True
                else:
                    steps.append(_step(content, version, steps[-1].time if steps else 0.0))
            except Exception as error:  # of any type: it comes from the content of the line
                return header, steps, f"line {number} is damaged: {_reason(error)}"
    return header, steps, "" if is_closed else NOT_CLOSED


def _parsed_header(path: str | Path, line: bytes) -> tuple[int, Header]:
    content: Any = None
    with suppress(ValueError, RecursionError):
        content = json.loads(line)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RecordingError(
            f"{str(path)!r} is not a recording: its first line is not the header of one."
        )
    version = content.get("version")
    if version not in (PLAIN_JSON, OPEN_ENDED, VERSION):
        raise RecordingError(
            f"{str(path)!r} has version {version!r} of the format; this fsmkit reads versions up "
            f"to {VERSION}. Use the fsmkit that wrote it."
        )
    try:
        states = {str(machine): str(state) for machine, state in content.get("states", {}).items()}
        return version, Header(_texts(content["machines"]), states)
    except (ValueError, KeyError, AttributeError) as error:
        raise RecordingError(f"{str(path)!r}: line 1 is damaged: {_reason(error)}.") from None


def _step(content: Any, version: int, earliest: float) -> Step:
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
