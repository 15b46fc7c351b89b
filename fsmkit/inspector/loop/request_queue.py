"""RequestQueue: the requests of pages that wait for the loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from fsmkit.inspector.loop.request_handler import RequestHandler
from fsmkit.inspector.loop.requests import Answer, Request, RequestError
from fsmkit.inspector.reading.values import LONGEST_ANSWER, error_text

MOST: Final = 256


class RequestQueue:
    """Takes requests in any thread, and has them answered in the loop's.

    `is_held` says if a machine is held in the middle of a call, where not every request is allowed.
    """

    def __init__(self, handler: RequestHandler, is_held: Callable[[], bool]) -> None:
        self._handler = handler
        self._is_held = is_held
        self._waiting: deque[Request] = deque()
        self._current: Request | None = None
        """The one being carried out, unless a machine is held."""
        self.failed: Callable[[Exception], object] = lambda _error: None
        """Called with what a machine has raised when a request was carried out."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, request: Request) -> None:
        """Add one. Called in any thread. Raises RequestError if too many are waiting."""
        if len(self._waiting) >= MOST:
            raise RequestError("Too many requests are waiting. Does the loop update the machine?")
        self._waiting.append(request)

    def answer_next(self) -> Request | None:
        """Answer the one that has waited longest and return it; None if it was given up."""
        request = self._waiting.popleft()
        if request.is_given_up:
            return None
        request.answer(self._answer(request))
        return request

    def answer_current(self, outcome: str) -> None:
        """Answer the request that has led to a breakpoint before it is over."""
        if self._current is not None:
            self._current.answer({"ok": True, "outcome": outcome})

    def refuse_all(self, reason: str) -> None:
        """Answer all that wait with an error."""
        while self._waiting:
            self._waiting.popleft().answer({"error": reason})

    def _answer(self, request: Request) -> Answer:
        try:
            if not self._is_held():
                self._current = request
            elif not request.rule.while_held:
                raise RequestError(
                    "The machine is at a breakpoint, in the middle of a change: resume or step "
                    "first."
                )
            return {"ok": True, **self._handler.answer(request)}
        except RequestError as error:
            return {"error": str(error)}
        except Exception as error:  # from the machine or a user's callback
            self.failed(error)
            return {"error": error_text(error, LONGEST_ANSWER)}
        finally:
            if not self._is_held():
                self._current = None
