"""LiveRecorder: the recording that is made while the inspector is attached."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from tempfile import mkstemp
from typing import Any, BinaryIO, Final
from warnings import warn

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.live.pausing import Updated
from fsmkit.introspection.nesting import members
from fsmkit.recording import Recording
from fsmkit.recording.replay.recording_file import CLOSING_LINE

FEW: Final = 32
"""Up to this many machines, a recording is made by default; each costs a little."""

LONGEST: Final = 100_000_000
"""Bytes of the file. Then the recording ends: without its beginning it could not be replayed."""

PART: Final = 64 * 1024

CLOSING: Final = CLOSING_LINE.encode()


class LiveRecorder:
    """Writes a recording into a temporary file, so that it takes no memory."""

    def __init__(self, machines: Updated, wanted: bool | None, longest: int = LONGEST) -> None:
        self.longest = longest
        self.path: Path | None = None
        self._recording: Recording | None = None
        self._handle = -1
        """The handle of the file, which gives its size even after the file has been deleted."""
        if not isinstance(machines, (Fsm, FsmGroup)):
            return
        if wanted or (wanted is None and len(members(machines)) <= FEW):
            self._begin(machines, is_asked_for=bool(wanted))

    def _begin(self, machines: Fsm[Any] | FsmGroup, *, is_asked_for: bool) -> None:
        try:
            self._handle, name = mkstemp(prefix="fsmkit-", suffix=".jsonl")
        except OSError as error:
            if is_asked_for:
                raise OSError(
                    error.errno, f"The inspector has no folder to record in: {error.strerror}"
                ) from None
            warn(
                f"The inspector makes no recording, as it has no folder for it: {error.strerror}. "
                "Set TMPDIR to a folder that can be written to, or pass record=False.",
                RuntimeWarning,
                stacklevel=2,
            )
            return
        self.path = Path(name)
        self._recording = Recording(machines, self.path, keep=False)

    def ends(self) -> bool:
        """End the recording once the file is full; return True if it ends with this call."""
        if self._recording is None or os.fstat(self._handle).st_size < self.longest:
            return False
        self.stop()
        return True

    def stop(self) -> bool:
        """End the recording, the file stays; return True if it ends with this call."""
        recording, self._recording = self._recording, None
        if recording is None:
            return False
        recording.detach()
        return True

    def close(self) -> None:
        self.stop()
        if self.path is not None:
            os.close(self._handle)
            with suppress(OSError):
                self.path.unlink()
            self.path = None


def recording_so_far(path: Path) -> tuple[int, Iterator[bytes]]:
    """Return the recording as if it ended here: its size, and its lines in parts."""
    size, parts = whole_lines(path)
    with path.open("rb") as file:
        file.seek(max(0, size - len(CLOSING)))
        is_closed = file.read(len(CLOSING)) == CLOSING
    return (size, parts) if is_closed else (size + len(CLOSING), chain(parts, [CLOSING]))


def whole_lines(path: Path) -> tuple[int, Iterator[bytes]]:
    file = path.open("rb")
    size = _end_of_last_line(file)
    return size, _parts(file, size)


def _end_of_last_line(file: BinaryIO) -> int:
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        begin = max(0, end - PART)
        file.seek(begin)
        newline = file.read(end - begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        end = begin
    return 0


def _parts(file: BinaryIO, size: int) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while part := file.read(min(size, PART)):
            size -= len(part)
            yield part
