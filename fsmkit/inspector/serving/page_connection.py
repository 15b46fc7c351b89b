"""PageConnection: carries the messages to and from one page over its socket."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

from fsmkit.inspector.serving.web import WebSocket, WebSocketDisconnect
from fsmkit.inspector.talking.conversation import HEARTBEAT, Conversation
from fsmkit.inspector.talking.dispatcher import Dispatcher

SPACING: Final = 1.0 / 60.0
"""Minimum seconds after a message, unless the next one is an answer."""

READING_PATIENCE: Final = 10.0
"""Seconds after which a page that asks, but reads none of the answers, is closed."""


class PageConnection:
    """Sends what there is, one message at a time and not too fast, and receives requests.

    Each request gets its answer: while too many answers wait, no more requests are received.
    """

    def __init__(self, socket: WebSocket, requests: Dispatcher) -> None:
        self._socket = socket
        self._requests = requests
        self._news = asyncio.Event()
        self._sent = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._wake = lambda: _call_soon(loop, self._news.set)

    async def run(self) -> None:
        """Serve the page until it is closed."""
        await self._socket.accept()
        conversation = Conversation(self._requests, self._wake)
        sending = asyncio.create_task(self._send_all(conversation))
        try:
            while (message := await self._receive(conversation))["type"] == "websocket.receive":
                conversation.receive(message.get("text"))
        except (RuntimeError, TimeoutError):  # closed while something was being sent; or to be
            pass
        finally:
            conversation.end()
            sending.cancel()

    async def _receive(self, conversation: Conversation) -> Any:
        """Return the next message of the page. Raises TimeoutError if it reads no answers."""
        while conversation.is_full:
            self._sent.clear()
            await asyncio.wait_for(self._sent.wait(), READING_PATIENCE)
        return await self._socket.receive()

    async def _send_all(self, conversation: Conversation) -> None:
        with suppress(WebSocketDisconnect):  # run() notices it, too
            while True:
                if (message := conversation.take()) is not None:
                    await self._socket.send_text(message)
                    self._sent.set()
                    await asyncio.sleep(0.0 if conversation.has_answers else SPACING)
                else:
                    await self._news_or_heartbeat()

    async def _news_or_heartbeat(self) -> None:
        self._news.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), HEARTBEAT)


def _call_soon(loop: asyncio.AbstractEventLoop, function: Any) -> None:
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:  # the server has ended in the meantime
        return
