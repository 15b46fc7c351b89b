"""The file of a recording: JSON lines, a header, one for each step, and one that closes it.

It is written at once, or while the recording is made; then a failure to write never reaches the
game. No code in a file is run when it is loaded.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from json.encoder import encode_basestring
from math import isfinite
from pathlib import Path
from typing import Any, Final

from fsmkit import FsmError
from fsmkit.core.checks import arguments
from fsmkit.core.words.notes import shown_error
from fsmkit.recording.replay import warn
from fsmkit.recording.replay.digest import ActionMemory
from fsmkit.recording.replay.steps import (
    CALLS,
    Groups,
    Header,
    JournalEntry,
    KeptSteps,
    KeyFrame,
    Reported,
    as_saved,
)
from fsmkit.recording.value_codec import (
    UNSAVED,
    Encode,
    decoded_plainly,
    encoded_plainly,
    is_unsaved,
)
from fsmkit.terminal.atomic_file import (
    check_target,
    is_written_to,
    without_waiting,
    write_atomically,
)
from fsmkit.terminal.console import described

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


def save_recording(
    path: str | Path, header: Header, steps: Iterable[Reported], encode: Encode | None
) -> None:
    """Write a whole recording, completely or not at all. Raises OSError."""
    lines = (_header_line(header), *(_line_of(each, encode) for each in steps), CLOSING_LINE)
    write_atomically(path, "".join(lines).encode("utf-8", AS_JSON_ESCAPES))


def _header_line(header: Header) -> str:
    heading = {"format": FORMAT, "version": VERSION, "machines": list(header.machines)}
    frame = _frame(header.frame) if header.frame is not None else {}
    more = _unless_empty(
        states=dict(header.states),
        fsmkit=header.made_by,
        frame=frame,
        reason=header.reason,
        time=header.time,
        groups=header.groups,
    )
    return _line({**heading, **more})


def _frame(frame: KeyFrame) -> dict[str, Any]:
    return {"time": frame.time, **_unless_empty(**frame.moment), **json.loads(frame.saved)}


def _line_of(step: Reported, encode: Encode | None) -> str:
    """Return the line of a step, written part by part: most of them are the same again and again.

    It is the line that `_line` makes of the whole.
    """
    if isinstance(step, KeyFrame):
        return _line({"frame": _frame(step)})
    machine, call, given, time, journal, raised, memory = step
    parts = [f"{_heading(machine, call)}{float(time)!r}"]
    if given:
        parts.append(f'"arguments": {_arguments(given, encode)}')
    if journal:
        parts.append(f'"journal": {_journal_text(journal)}')
    if raised:
        parts.append(f'"raised": {_text(raised)}')
    if digest := memory.digest if isinstance(memory, ActionMemory) else memory:
        parts.append(f'"digest": {_text(digest)}')
    return ", ".join(parts) + "}\n"


@lru_cache(maxsize=1_000)
def _heading(machine: str, call: str) -> str:
    return f'{{"machine": {_text(machine)}, "call": {_text(call)}, "time": '


def _arguments(given: Mapping[str, Any], encode: Encode | None) -> str:
    named: list[str] = []
    try:
        for name, value in given.items():
            named.append(f"{_text(name)}: {_argument_text(value, encode)}")
        return f"{{{', '.join(named)}}}"
    except (ValueError, RecursionError):  # nested too deeply
        return ENCODER.encode({name: {UNSAVED: described(value)} for name, value in given.items()})


def _argument_text(value: Any, encode: Encode | None) -> str:
    if type(value) is float and isfinite(value):
        return repr(value)
    return _text(value) if type(value) is str else ENCODER.encode(encoded_plainly(value, encode))


_text: Final = encode_basestring
"""The text of a string, as `ENCODER` writes it."""
_journal_text: Final = lru_cache(maxsize=1_000)(ENCODER.encode)
"""The text of a journal: most of them come again and again."""


def _line(content: Mapping[str, Any]) -> str:
    return ENCODER.encode(content) + "\n"


def _unless_empty(**contents: Any) -> dict[str, Any]:
    return {name: content for name, content in contents.items() if content}


NOT_CLOSED: Final = (
    "the file ends before its recording did: it was cut off, or the program ended without detach()"
)
"""The fault of a file without a closing line."""


def load(path: str | Path) -> tuple[KeptSteps, str]:
    """Load a recording up to the first damaged line, and return the damage; empty without any.

    Raises RecordingError if the first line is not the header of one, OSError if it cannot be read.
    """
    heading, *lines = Path(path).read_bytes().split(b"\n")
    version, header = _parsed_header(path, heading)
    loaded = KeptSteps(header)
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
                loaded.add(_read(content, version, loaded.time))
        except Exception as error:  # of any type: it comes from the content of the line
            return loaded, f"line {number} is damaged: {_reason(error)}"
    return loaded, "" if is_closed else NOT_CLOSED


def _read_frame(content: Any) -> KeyFrame:
    moment = {
        "states": {str(name): str(state) for name, state in content.pop("states", {}).items()},
        "offsets": {str(name): float(n) for name, n in content.pop("offsets", {}).items()},
        "delayed": {
            str(name): [*map(int, numbers)] for name, numbers in content.pop("delayed", {}).items()
        },
    }
    return KeyFrame(arguments.seconds(content.pop("time"), "the time"), moment, as_saved(content))


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
        frame = _read_frame(content["frame"]) if "frame" in content else None
        made_by, reason = (str(content.get(name, "")) for name in ("fsmkit", "reason"))
        time = arguments.seconds(content.get("time", 0.0), "the time")
        machines, groups = _strings(content["machines"]), _groups(content.get("groups", {}))
        return version, Header(machines, states, made_by, frame, reason, time, groups)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RecordingError(f"{str(path)!r}: line 1 is damaged: {_reason(error)}.") from None


def _groups(content: Any) -> Groups:
    return {
        str(machine): {str(name): _strings(states) for name, states in groups.items()}
        for machine, groups in content.items()
    }


def _read(content: Any, version: int, earliest: float) -> Reported:
    if "frame" in content:
        return _read_frame(content["frame"])
    call = content["call"]
    if call not in CALLS:
        raise ValueError(f"unknown call {call!r}")
    given = dict(content.get("arguments", {})).items()
    return (
        str(content["machine"]),
        call,
        {str(name): _argument(value, version) for name, value in given},
        arguments.number(content["time"], "the time", least=earliest),
        tuple(_entry(entry) for entry in content.get("journal", ())),
        str(content.get("raised", "")),
        str(content.get("digest", "")),
    )


def _argument(content: Any, version: int) -> Any:
    is_bare = version == PLAIN_JSON and not is_unsaved(content)
    return content if is_bare else decoded_plainly(content)


def _entry(values: Any) -> tuple[str, ...]:
    entry = _strings(values)
    if len(entry) not in ENTRY_LENGTHS.get(entry[0] if entry else "", ()):
        raise ValueError(f"not a journal entry: {values!r}")
    return entry


def _strings(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"expected a list of strings, got {values!r}")
    return tuple(values)


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error).removesuffix(".")


PAUSE: Final = 1.0
"""Seconds of the recording after which the file is written again for further errors."""


class Output:
    """A file that is written step by step. The first error of writing it becomes its `fault`.

    A copy of the process, made by `os.fork`, writes nothing: the file is that of the original.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.fault = ""
        self._process = os.getpid()

    def add(self, step: Reported) -> None:
        self._attempt(self.write, step)

    def close(self) -> None:
        """Write the end. Without effect a second time."""
        self._attempt(self.end)

    def write(self, step: Reported) -> None:
        raise NotImplementedError

    def end(self) -> None:
        raise NotImplementedError

    def abandon(self) -> None:
        """Leave the file as it is, after an error."""

    def _attempt(self, act: Callable[..., None], *arguments: Reported) -> None:
        if self.fault or os.getpid() != self._process:
            return
        try:
            act(*arguments)
        except Exception as error:  # of any type: the game must not notice
            self.fault = f"{str(self.path)!r} cannot be written any more: {shown_error(error)}"
            self.abandon()
            warn(
                f"Recording: {self.fault}. The machines go on, and what is kept in memory can "
                "still be saved with save()."
            )


class EveryStep(Output):
    """The file of a whole recording; each line is handed to the operating system at once.

    Raises OSError if it cannot be begun.
    """

    def __init__(self, path: str | Path, header: Header, encode: Encode | None) -> None:
        super().__init__(path)
        check_target(path)
        self._encode = encode
        self._file = open(path, "wb", buffering=0, opener=without_waiting)  # noqa: SIM115  # it stays open
        try:
            self._put(_header_line(header))
        except BaseException:
            self.abandon()
            raise

    def write(self, step: Reported) -> None:
        self._put(_line_of(step, self._encode))

    def end(self) -> None:
        if not self._file.closed:
            self._put(CLOSING_LINE)
            self._file.close()

    def _put(self, line: str) -> None:
        content = line.encode("utf-8", AS_JSON_ESCAPES)
        while (written := self._file.write(content)) < len(content):
            content = content[written:]

    def abandon(self) -> None:
        with suppress(OSError, ValueError):
            self._file.close()


class OnError(Output):
    """The file of the last seconds, written whenever there was an exception in a step.

    Whether it was raised to the caller or led to a state, by `ERROR`. After that it is written
    again for further errors, at most once a second, and at the end. Raises OSError if there is no
    folder to write to, or the file is a folder.
    """

    def __init__(self, path: str | Path, kept: KeptSteps, encode: Encode | None) -> None:
        super().__init__(path)
        self._kept = kept
        self._encode = encode
        self._written_at: float | None = None
        self._is_due = False
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        check_target(path)
        if is_written_to(path):
            return
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    def write(self, step: Reported) -> None:
        if isinstance(step, KeyFrame):
            time = step.time
        else:
            _, _, _, time, journal, raised, _ = step
            self._is_due = self._is_due or _has_error(raised, journal)
        if self._written_at is None or time >= self._written_at + PAUSE:
            self._save(time)

    def end(self) -> None:
        self._save(0.0)

    def write_at_end(self) -> None:
        """Have it written at the end, unless it holds the seconds before an error."""
        self._is_due = self._is_due or self._written_at is None

    def _save(self, now: float) -> None:
        if self._is_due:
            self._is_due, self._written_at = False, now
            save_recording(self.path, self._kept.header, self._kept, self._encode)


def _has_error(raised: str, journal: Sequence[JournalEntry]) -> bool:
    return bool(raised) or any(entry[0] == "error" for entry in journal)
