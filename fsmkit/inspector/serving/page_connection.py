"""PageConnection: the messages to and from one page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

from fsmkit import __version__
from fsmkit.inspector.loop.mailbox import Mailbox
from fsmkit.inspector.loop.requests import (
    PERSONAL,
    Answer,
    Request,
    RequestError,
    parse_message,
    parse_request,
)
from fsmkit.inspector.loop.source import Source
from fsmkit.inspector.serving.web import WebSocket, WebSocketDisconnect

AnswerFunction: TypeAlias = Callable[[Request, Callable[[Answer], object]], Awaitable[Answer]]
"""Has the loop answer a request, and calls the function with the answer in the loop's thread."""

SPACING: Final = 1.0 / 60.0
"""Minimum seconds between two messages."""

HEARTBEAT: Final = 1.0
"""Seconds after which a page is sent the status though there is nothing new."""

MOST_OPEN: Final = 64
"""Requests of one page that may be waiting for an answer."""


class PageConnection:
    """Sends frames and answers, one at a time and not too fast, and receives requests."""

    def __init__(
        self, socket: WebSocket, source: Source, answer: AnswerFunction, *, read_only: bool
    ) -> None:
        self._socket = socket
        self._source = source
        self._answer_request = answer
        self._read_only = read_only
        self._news = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._mailbox = Mailbox(wake=lambda: _call_soon(loop, self._news.set))
        self._open: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Serve the page until it is closed."""
        await self._socket.accept()
        self._source.join(self._mailbox)
        sending = asyncio.create_task(self._send_all())
        try:
            while (message := await self._socket.receive())["type"] == "websocket.receive":
                self._receive(message.get("text"))
        except RuntimeError:  # closed while something was being sent
            pass
        finally:
            self._source.leave(self._mailbox)
            for task in (sending, *self._open):
                task.cancel()

    # Requests

    def _receive(self, text: str | None) -> None:
        number: object = None
        try:
            number, message = parse_message(text)
            request = parse_request(message)
            if len(self._open) >= MOST_OPEN:
                raise RequestError("Too many requests at once. Wait for their answers.")
        except RequestError as error:
            self._mailbox.answer(number, {"error": str(error)})
            return
        if request.do in PERSONAL:
            request.arguments["page"] = self._mailbox
        task = asyncio.create_task(self._answer(number, request))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _answer(self, number: object, request: Request) -> None:
        try:
            await self._answer_request(request, lambda answer: self._mailbox.answer(number, answer))
        except RequestError as error:
            self._mailbox.answer(number, {"error": str(error)})

    # Messages

    async def _send_all(self) -> None:
        with suppress(WebSocketDisconnect):  # run() notices it, too
            await self._send(self._hello())
            while True:
                await self._send(await self._next_message())

    async def _next_message(self) -> dict[str, Any]:
        """Return the next message, or the status if there is none for a while."""
        while (message := self._mailbox.take()) is None:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), HEARTBEAT)
            except TimeoutError:
                return {"type": "frame", **self._source.status()}
        return message

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(message, default=str))
        await asyncio.sleep(SPACING)

    def _hello(self) -> dict[str, Any]:
        return {
            "type": "hello",
            "read_only": self._read_only,
            "version": __version__,
            **self._source.greeting(),
            "selected": self._mailbox.selected,
            **self._source.status(),
        }


def _call_soon(loop: asyncio.AbstractEventLoop, function: Any) -> None:
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:  # the server has ended in the meantime
        return
