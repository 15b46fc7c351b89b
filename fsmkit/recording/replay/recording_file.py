"""The file of a recording: JSON lines, a header, one for each step, and one that closes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from fsmkit import FsmError
from fsmkit.recording.replay.arguments import Encode, Unsaved, encoded
from fsmkit.recording.replay.frames import KeyFrame
from fsmkit.recording.replay.order import Reported
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

ENCODER: Final = json.JSONEncoder(ensure_ascii=False)

ENTRY_LENGTHS: Final = {
    "event": (5, 6), "leave": (3,), "enter": (4,), "suspend": (3,), "resume": (3,), "error": (3,),
    "restored": (2,), "in": (3,),
}  # fmt: skip
"""Kind of journal entry -> the number of strings that it may consist of."""


class RecordingError(FsmError):
    """A file is not a recording, or a recording does not fit the machines.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording, replay
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    >>> try:
    ...     replay(lambda: Fsm("Door"), recording)
    ... except RecordingError as error:
    ...     print(str(error).partition(". ")[0])
    The recording is of the machines Lamp, but these are Door
    """


class RecordingFile:
    """Writes a recording. Each line is handed to the operating system at once.

    Raises OSError if it cannot be written.
    """

    def __init__(self, path: str | Path, header: Header, encode: Encode | None = None) -> None:
        self._encode = encode
        self._file = Path(path).open(  # noqa: SIM115  # it stays open
            "w", encoding="utf-8", errors=AS_JSON_ESCAPES, newline="\n", buffering=1
        )
        try:
            self._file.write(_header_line(header))
        except BaseException:
            self.abandon()
            raise

    def write(self, step: Reported) -> None:
        """Write the line of a step or a key frame."""
        self._file.write(_line_of(step, self._encode))

    def close(self) -> None:
        """Write the closing line, and nothing more; without effect a second time."""
        if not self._file.closed:
            self._file.write(CLOSING_LINE)
            self._file.close()

    def abandon(self) -> None:
        """Write nothing more, after an error."""
        with suppress(OSError, ValueError):
            self._file.close()


def save_recording(
    path: str | Path, header: Header, steps: Iterable[Reported], encode: Encode | None
) -> None:
    """Write a whole recording, completely or not at all. Raises OSError."""
    lines = (_header_line(header), *(_line_of(each, encode) for each in steps), CLOSING_LINE)
    content = "".join(lines).encode("utf-8", AS_JSON_ESCAPES)
    target = Path(path)
    if target.exists() and not target.is_file():  # such as /dev/stdout, which cannot be replaced
        target.write_bytes(content)
    else:
        write_atomically(target, content)


def _header_line(header: Header) -> str:
    heading = {"format": FORMAT, "version": VERSION, "machines": list(header.machines)}
    frame = _frame(header.frame) if header.frame is not None else {}
    more = _unless_empty(
        states=dict(header.states),
        fsmkit=header.made_by,
        frame=frame,
        reason=header.reason,
        time=header.time,
    )
    return _line({**heading, **more})


def _line_of(step: Reported, encode: Encode | None) -> str:
    return (
        _line({"frame": _frame(step)}) if isinstance(step, KeyFrame) else _step_line(step, encode)
    )


def _frame(frame: KeyFrame) -> dict[str, Any]:
    content = {"time": frame.time, **_unless_empty(**frame.moment)}
    return {**content, **json.loads(frame.saved)}


def _step_line(step: Step, encode: Encode | None) -> str:
    line = {"machine": step.machine, "call": step.call, "time": float(step.time)}
    more = _unless_empty(journal=step.journal, raised=step.raised, digest=step.digest)
    arguments = {name: encoded(value, encode) for name, value in step.arguments.items()}
    try:
        return _line({**line, **_unless_empty(arguments=arguments), **more})
    except (ValueError, RecursionError):  # nested too deeply
        told = {name: encoded(Unsaved(described(value))) for name, value in step.arguments.items()}
        return _line({**line, "arguments": told, **more})


def _line(content: Mapping[str, Any]) -> str:
    return ENCODER.encode(content) + "\n"


def _unless_empty(**contents: Any) -> dict[str, Any]:
    return {name: content for name, content in contents.items() if content}
