"""Tape: the recording of what happens while the inspector is there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Final

from fsmkit import Fsm, FsmGroup
from fsmkit.recording import Recording
from fsmkit.roster import members

FEW: Final = 32
"""Machines that are recorded unless it is asked for otherwise; each costs a little."""


class Tape:
    """Writes a recording into a temporary file, so that it takes no memory."""

    def __init__(self, machines: Fsm[Any] | FsmGroup, wanted: bool | None) -> None:
        self.path: Path | None = None
        self._recording: Recording | None = None
        if wanted or (wanted is None and len(members(machines)) <= FEW):
            handle, name = mkstemp(prefix="fsmkit-", suffix=".jsonl")
            os.close(handle)
            self.path = Path(name)
            self._recording = Recording(machines, self.path, keep=False)

    def stop(self) -> None:
        """Record nothing more; what was recorded stays."""
        recording, self._recording = self._recording, None
        if recording is not None:
            recording.detach()

    def close(self) -> None:
        """Record nothing more, and throw the file away."""
        self.stop()
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink()
            self.path = None
