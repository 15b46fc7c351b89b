"""Where a recording is written while it is made. That this fails never gets to the game."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from fsmkit.core.words.notes import shown_error
from fsmkit.recording.replay.arguments import Encode
from fsmkit.recording.replay.kept import LastSteps
from fsmkit.recording.replay.order import Reported
from fsmkit.recording.replay.recording_file import RecordingFile, save_recording
from fsmkit.recording.replay.steps import Header, Step
from fsmkit.recording.replay.warnings import warn

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
        """Write a step or a key frame, where that is due."""
        if self._is_open:
            try:
                self.write(step)
            except Exception as error:  # of any type: the game must not notice
                self._give_up(error)

    def close(self) -> None:
        """Write the end. Without effect a second time."""
        if self._is_open:
            try:
                self.end()
            except Exception as error:
                self._give_up(error)

    def write(self, step: Reported) -> None:
        """Write a step or a key frame, where that is due."""
        raise NotImplementedError

    def end(self) -> None:
        """Write the end."""
        raise NotImplementedError

    def abandon(self) -> None:
        """Leave the file as it is."""

    @property
    def _is_open(self) -> bool:
        return not self.fault and os.getpid() == self._process

    def _give_up(self, error: Exception) -> None:
        self.fault = f"{str(self.path)!r} cannot be written any more: {shown_error(error)}"
        self.abandon()
        warn(
            f"Recording: {self.fault}. The machines go on, and what is kept in memory can still be "
            "saved with save()."
        )


class EveryStep(Output):
    """The file of a whole recording. Raises OSError if it cannot be begun."""

    def __init__(self, path: str | Path, header: Header, encode: Encode | None) -> None:
        super().__init__(path)
        self._file = RecordingFile(path, header, encode)

    def write(self, step: Reported) -> None:
        """Write it at once."""
        self._file.write(step)

    def end(self) -> None:
        """Write the closing line."""
        self._file.close()

    def abandon(self) -> None:
        """Close the file, which is incomplete."""
        self._file.abandon()


class OnError(Output):
    """The file of the last seconds, written whenever a step has raised an exception.

    After that it is written again for further errors once a second at most, and in the end. Raises
    OSError if there is no folder to write to, or if a folder is in the place of the file.
    """

    def __init__(self, path: str | Path, kept: LastSteps, encode: Encode | None) -> None:
        super().__init__(path)
        self._kept = kept
        self._encode = encode
        self._written_at: float | None = None
        self._is_due = False
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    def write(self, step: Reported) -> None:
        """Write the last seconds, which end with this step, if that is due."""
        self._is_due = self._is_due or (isinstance(step, Step) and bool(step.raised))
        if self._written_at is None or step.time >= self._written_at + PAUSE:
            self._save(step.time)

    def end(self) -> None:
        """Write what was put off."""
        self._save(0.0)

    def _save(self, now: float) -> None:
        if self._is_due:
            self._is_due, self._written_at = False, now
            save_recording(self.path, self._kept.header, self._kept, self._encode)
