"""Loading a recording from its file; no code in it is run."""

from __future__ import annotations

import json
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from fsmkit.recording.replay.arguments import decoded, is_unsaved
from fsmkit.recording.replay.frames import KeyFrame, as_saved
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


@define
class Loaded:
    """The content of a file, up to the first line that is damaged."""

    header: Header
    steps: list[Step] = field(factory=list)
    frames: list[tuple[int, KeyFrame]] = field(factory=list)
    """Key frames, each with the number of the steps before it."""
    damage: str = ""
    """What is wrong with the next line, or that the end is missing."""


def load(path: str | Path) -> Loaded:
    """Load a recording.

    Raises RecordingError if the first line is not the header of one, OSError if it cannot be read.
    """
    heading, *lines = Path(path).read_bytes().split(b"\n")
    version, header = _parsed_header(path, heading)
    loaded = Loaded(header)
    is_closed = version <= OPEN_ENDED
    for number, line in enumerate(lines, start=2):
        if not line and number > len(lines):
            break
        try:
            if is_closed and version > OPEN_ENDED:
                raise ValueError("it comes after the closing line")
            content = json.loads(line)
            is_closed = is_closed or content == CLOSING
            if content != CLOSING:
                _add(loaded, content, version)
        except Exception as error:  # of any type: it comes from the content of the line
            loaded.damage = f"line {number} is damaged: {_reason(error)}"
            return loaded
    loaded.damage = "" if is_closed else NOT_CLOSED
    return loaded


def _add(loaded: Loaded, content: Any, version: int) -> None:
    earliest = loaded.steps[-1].time if loaded.steps else loaded.header.time
    if "frame" in content:
        loaded.frames.append((len(loaded.steps), _frame(content["frame"])))
    else:
        loaded.steps.append(_step(content, version, earliest))


def _frame(content: Any) -> KeyFrame:
    moment = {
        "states": {str(name): str(state) for name, state in content.pop("states", {}).items()},
        "offsets": {str(name): float(n) for name, n in content.pop("offsets", {}).items()},
        "delayed": {
            str(name): [*map(int, numbers)] for name, numbers in content.pop("delayed", {}).items()
        },
    }
    return KeyFrame(_time(content.pop("time"), 0.0), moment, as_saved(content))


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
        frame = _frame(content["frame"]) if "frame" in content else None
        made_by, reason = (str(content.get(name, "")) for name in ("fsmkit", "reason"))
        time = _time(content.get("time", 0.0), 0.0)
        return version, Header(_texts(content["machines"]), states, made_by, frame, reason, time)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
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
        str(content.get("digest", "")),
    )


def _argument(content: Any, version: int) -> Any:
    return content if version == PLAIN_JSON and not is_unsaved(content) else decoded(content)


def _time(seconds: Any, earliest: float) -> float:
    if not isinstance(seconds, (int, float)) or not earliest <= seconds < inf:
        raise ValueError(f"the time must be a finite number >= {earliest!r}, got {seconds!r}")
    return float(seconds)


def _entry(values: Any) -> tuple[str, ...]:
    entry = _texts(values)
    if len(entry) not in ENTRY_LENGTHS.get(entry[0] if entry else "", ()):
        raise ValueError(f"not a journal entry: {values!r}")
    return entry


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"expected a list of strings, got {values!r}")
    return tuple(values)


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
