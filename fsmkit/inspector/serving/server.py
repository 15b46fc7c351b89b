"""The server: a thread of its own, for this computer only."""

from __future__ import annotations

import socket
from secrets import token_urlsafe
from threading import Thread
from typing import Final

from fsmkit.inspector.serving.access import AccessControl
from fsmkit.inspector.serving.pages import Pages
from fsmkit.inspector.serving.web import Config, Mount, Server, Starlette

HOST: Final = "127.0.0.1"

LARGEST_MESSAGE: Final = 64 * 1024
"""Bytes of one message from a page."""


class ServerThread:
    """Serves the page until closed. Raises OSError if the port is taken."""

    def __init__(self, pages: Pages, port: int) -> None:
        self._socket = _listen(port)
        self.port: int = self._socket.getsockname()[1]
        token = token_urlsafe(24)
        self.url = f"http://{HOST}:{self.port}/{token}/"
        app = Starlette(routes=[Mount(f"/{token}", routes=pages.routes())])
        self._server = Server(
            Config(
                AccessControl(app, token, self.port),
                ws="websockets-sansio",
                ws_max_size=LARGEST_MESSAGE,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=1,
            )
        )
        self._thread = Thread(target=self._run, name="fsmkit inspector", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the server and wait until it has ended."""
        self._server.should_exit = True
        self._thread.join(timeout=5.0)
        self._socket.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


def _listen(port: int) -> socket.socket:
    # With the protocol given, asyncio sends small messages at once (TCP_NODELAY).
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()  # so that a page opened right away finds it
    except OSError as error:
        listening.close()
        raise OSError(error.errno, _refusal(port, error)) from error
    except BaseException:
        listening.close()
        raise
    return listening


def _refusal(port: int, error: OSError) -> str:
    return (
        f"The inspector cannot listen on port {port} of {HOST}: {error.strerror}. Close what uses "
        "it, pass another port, or port=0 for a free one."
    )
