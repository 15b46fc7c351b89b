"""What a notebook shows of a history, a recording or a chronicle: its timeline."""

from __future__ import annotations

from typing import Protocol

from fsmkit.recording.chronicle import Chronicle
from fsmkit.recording.timeline.svg import timeline_svg


class Chronicled(Protocol):
    """Something with a chronicle, such as a History or a Recording."""

    def chronicle(self) -> Chronicle:
        """Return what has happened."""
        ...


def bundle(source: Chronicle | Chronicled) -> dict[str, str]:
    """Return MIME type -> content, for IPython."""
    chronicle = source if isinstance(source, Chronicle) else source.chronicle()
    return {"image/svg+xml": timeline_svg(chronicle)}
