"""Conversation: the messages to and from one page."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from fsmkit import __version__
from fsmkit.inspector.loop.mailbox import Mailbox
from fsmkit.inspector.loop.requests import (
    Answer,
    Request,
    RequestError,
    parse_message,
    parse_request,
)
from fsmkit.inspector.talking import dispatcher
from fsmkit.inspector.talking.dispatcher import Dispatcher, give_up

HEARTBEAT: Final = 1.0
"""Seconds after which a page is sent the status though there is nothing new."""

MOST_OPEN: Final = 64
"""Requests of one page that may be waiting for an answer."""


class Conversation:
    """Takes the messages of a page, and has messages for it, from now on.

    `wake` is called, in the loop's thread, when there is a new one. All methods belong to the
    thread that carries the messages.
    """

    def __init__(self, requests: Dispatcher, wake: Callable[[], object]) -> None:
        self._requests = requests
        self._source = requests.source
        self._mailbox = Mailbox(wake)
        self._open: dict[Request, tuple[object, float]] = {}
        """Request -> the number of its message, and when it was made."""
        self._last: float | None = None
        """When the last message was taken."""
        self._source.join(self._mailbox)

    def end(self) -> None:
        """Leave: the page has been closed."""
        self._source.leave(self._mailbox)

    @property
    def has_answers(self) -> bool:
        """True if the next message is an answer."""
        return self._mailbox.has_answers

    @property
    def is_full(self) -> bool:
        """True if nothing more should be received before some messages have been taken."""
        return self._mailbox.is_full

    def receive(self, text: str | None) -> None:
        """Take a message of the page; None stands for one that is not text."""
        number: object = None
        try:
            number, message = parse_message(text)
            request = parse_request(message)
            if len(self._open) >= MOST_OPEN:
                raise RequestError("Too many requests at once. Wait for their answers.")
            if request.rule.is_personal:
                request.arguments["page"] = self._mailbox
            self._open[request] = number, monotonic()
            self._ask(request, number)
        except RequestError as error:
            self._mailbox.answer(number, {"error": str(error)})

    def take(self) -> str | None:
        """Return the next message for the page; None if there is nothing new.

        The first is a greeting. After a second without news it is the status alone.
        """
        self._give_up_late()
        message = self._next()
        if message is None:
            return None
        self._last = monotonic()
        return json.dumps(message, default=str)

    def _next(self) -> dict[str, Any] | None:
        if self._last is None:
            return self._greeting()
        if (message := self._mailbox.take()) is not None:
            return message
        if monotonic() >= self._last + HEARTBEAT:
            return {"type": "frame", **self._source.status()}
        return None

    def _greeting(self) -> dict[str, Any]:
        return {
            "type": "hello",
            "read_only": self._requests.read_only,
            "version": __version__,
            **self._source.greeting(),
            "selected": self._mailbox.selected,
            **self._source.status(),
        }

    def _ask(self, request: Request, number: object) -> None:
        def reply(answer: Answer) -> None:
            if self._open.pop(request, None) is not None:  # else it has just been given up
                self._mailbox.answer(number, answer)

        try:
            self._requests.ask(request, reply)
        except RequestError:
            del self._open[request]
            raise

    def _give_up_late(self) -> None:
        latest = monotonic() - dispatcher.LOOP_PATIENCE
        for request, (number, made) in tuple(self._open.items()):
            if made <= latest and self._open.pop(request, None) is not None:
                self._mailbox.answer(number, {"error": str(give_up(request))})
