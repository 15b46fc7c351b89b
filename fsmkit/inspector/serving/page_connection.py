"""Correspondence: the messages to and from one page."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from fsmkit import __version__
from fsmkit.inspector.loop.mailbox import Mailbox
from fsmkit.inspector.loop.requests import Request, RequestError, opened, request_of
from fsmkit.inspector.serving.web import WebSocket, WebSocketDisconnect

if TYPE_CHECKING:
    from fsmkit.inspector.serving.pages import Pages

SPACING: Final = 1.0 / 60.0
"""Seconds between two messages, at least."""

HEARTBEAT: Final = 1.0
"""Seconds after which a page is told how things are though there is nothing new."""

MOST_OPEN: Final = 64
"""Requests of one page that may wait for an answer."""


class Correspondence:
    """Sends frames and answers, one at a time and not too fast, and takes requests."""

    def __init__(self, socket: WebSocket, pages: Pages) -> None:
        self._socket = socket
        self._pages = pages
        self._news = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._mailbox = Mailbox(wake=lambda: _call_soon(loop, self._news.set))
        self._open: set[asyncio.Task[None]] = set()

    async def carry_on(self) -> None:
        """Until the page is closed."""
        await self._socket.accept()
        self._pages.session.audience.join(self._mailbox)
        sending = asyncio.create_task(self._send_all())
        try:
            while (message := await self._socket.receive())["type"] == "websocket.receive":
                self._receive(message.get("text"))
        except RuntimeError:  # it was closed while something was sent
            pass
        finally:
            self._pages.session.audience.leave(self._mailbox)
            for task in (sending, *self._open):
                task.cancel()

    # Requests

    def _receive(self, text: str | None) -> None:
        number: object = None
        try:
            number, message = opened(text)
            request = request_of(message)
            if len(self._open) >= MOST_OPEN:
                raise RequestError("Too many requests at once. Wait for their answers.")
        except RequestError as error:
            self._mailbox.answer(number, {"error": str(error)})
            return
        if request.do == "select":
            request.arguments["page"] = self._mailbox
        task = asyncio.create_task(self._answer(number, request))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _answer(self, number: object, request: Request) -> None:
        try:
            await self._pages.answer(request, lambda answer: self._mailbox.answer(number, answer))
        except RequestError as error:
            self._mailbox.answer(number, {"error": str(error)})

    # Messages

    async def _send_all(self) -> None:
        with suppress(WebSocketDisconnect):  # whoever receives gets to know of it, too
            await self._send(self._hello())
            while True:
                await self._send(await self._awaited())

    async def _awaited(self) -> dict[str, Any]:
        """The next message; how things are, if there is none for long."""
        while (message := self._mailbox.take()) is None:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), HEARTBEAT)
            except TimeoutError:
                return {"type": "frame", **self._pages.session.status()}
        return message

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(message, default=str))
        await asyncio.sleep(SPACING)

    def _hello(self) -> dict[str, Any]:
        session = self._pages.session
        return {
            "type": "hello",
            "title": session.title,
            "read_only": self._pages.read_only,
            "machines": session.cast.states,
            "selected": self._mailbox.selected,
            "rate": session.audience.rate,
            "version": __version__,
            **session.status(),
        }


def _call_soon(loop: asyncio.AbstractEventLoop, function: Any) -> None:
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:  # the server has ended meanwhile
        return
