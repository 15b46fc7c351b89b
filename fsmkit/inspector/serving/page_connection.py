"""PageConnection: carries the messages to and from one page over its socket."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

from fsmkit.inspector.serving.web import WebSocket, WebSocketDisconnect
from fsmkit.inspector.talking.conversation import HEARTBEAT, Conversation
from fsmkit.inspector.talking.dispatcher import Dispatcher

SPACING: Final = 1.0 / 60.0
"""Minimum seconds between two messages."""


class PageConnection:
    """Sends what there is, one message at a time and not too fast, and receives requests."""

    def __init__(self, socket: WebSocket, requests: Dispatcher) -> None:
        self._socket = socket
        self._requests = requests
        self._news = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._wake = lambda: _call_soon(loop, self._news.set)

    async def run(self) -> None:
        """Serve the page until it is closed."""
        await self._socket.accept()
        conversation = Conversation(self._requests, self._wake)
        sending = asyncio.create_task(self._send_all(conversation))
        try:
            while (message := await self._socket.receive())["type"] == "websocket.receive":
                conversation.receive(message.get("text"))
        except RuntimeError:  # closed while something was being sent
            pass
        finally:
            conversation.end()
            sending.cancel()

    async def _send_all(self, conversation: Conversation) -> None:
        with suppress(WebSocketDisconnect):  # run() notices it, too
            while True:
                if (message := conversation.take()) is not None:
                    await self._socket.send_text(message)
                    await asyncio.sleep(SPACING)
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
