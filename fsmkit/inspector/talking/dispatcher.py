"""Dispatcher: passes the requests of pages on to the source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import frozen

from fsmkit.inspector.loop.requests import Answer, Request, RequestError
from fsmkit.inspector.loop.source import Source

LOOP_PATIENCE: Final = 5.0
"""Seconds to wait for an answer of the loop."""


@frozen
class Dispatcher:
    """Has the source answer requests: those of a read-only page only if they change nothing."""

    source: Source
    read_only: bool

    def ask(self, request: Request, reply: Callable[[Answer], object]) -> None:
        """Have `request` answered in the next update. Raises RequestError if it is refused.

        `reply` is called with the answer in the loop's thread, before any frame that shows the
        effect; not at all once the request has been given up.
        """
        if self.read_only and not request.rule.changes_nothing:
            raise RequestError("This inspector is read-only: it grants no control.")
        request.reply = lambda answer: None if request.is_given_up else reply(answer)
        self.source.ask(request)


def give_up(request: Request) -> RequestError:
    """Wait no longer for the answer, and return the error that says so."""
    request.is_given_up = True
    return RequestError(f"No answer for {LOOP_PATIENCE:g} s: the loop is not updating the machine.")
