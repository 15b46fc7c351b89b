"""Source: what pages show, whatever it is: machines that run, or what is left of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from fsmkit.inspector.loop.mailbox import Mailbox
from fsmkit.inspector.loop.requests import Request


class Source(Protocol):
    """Sends frames to the pages that have joined, and answers their requests.

    All its methods may be called from any thread.
    """

    @property
    def title(self) -> str:
        """What it is called, on the page and in the names of files."""
        ...

    @property
    def recording(self) -> Path | None:
        """The file of the recording that can be downloaded."""
        ...

    def greeting(self) -> dict[str, Any]:
        """Return what a page is told first: the machines and their states, and more."""
        ...

    def status(self) -> dict[str, Any]:
        """Return the part of a frame that is the same for every page."""
        ...

    def join(self, page: Mailbox) -> None:
        """Send frames to this page from now on."""

    def leave(self, page: Mailbox) -> None:
        """Send it no more."""

    def ask(self, request: Request) -> None:
        """Have a request answered. Raises RequestError if too many are waiting."""


class ClosableSource(Source, Protocol):
    """A source that somebody has to close."""

    def close(self) -> None:
        """Detach from the machines, if it is attached to any; requests are answered no more."""
