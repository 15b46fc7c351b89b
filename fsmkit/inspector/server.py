"""The server, in a thread of its own: its pages, their connections, and who may use it.

This file alone imports the packages of the extra. It never touches a machine.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from secrets import compare_digest, token_hex
from threading import Thread
from typing import Any, Final

from fsmkit.inspector import conversation
from fsmkit.inspector.live.requests.page_request import PageAnswer, PageRequest, RequestError
from fsmkit.introspection.data_files import data_files

try:
    from starlette import responses
    from starlette.applications import Starlette
    from starlette.requests import Request as HttpRequest
    from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.websockets import WebSocket, WebSocketDisconnect
    from uvicorn import Config, Server
    from websockets.version import version as _websockets  # noqa: F401  # uvicorn needs it
except ImportError as error:
    raise ImportError(
        "The inspector needs Starlette, uvicorn and websockets: pip install 'fsmkit[inspector]'."
    ) from error

SPACING: Final = 1.0 / 60.0
"""Minimum seconds between messages, unless the next one is an answer."""

READING_PATIENCE: Final = 10.0
"""Seconds after which a page that makes requests, but reads no answers, is closed."""


class PageConnection:
    """Carries the messages of one page over its socket, one at a time and not too fast.

    Each request gets its answer: while too many answers are pending, no requests are received.
    """

    def __init__(self, socket: WebSocket, requests: conversation.Dispatcher) -> None:
        self._socket = socket
        self._requests = requests
        self._news = asyncio.Event()
        self._sent = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._wake = lambda: _call_soon(loop, self._news.set)

    async def run(self) -> None:
        await self._socket.accept()
        page = conversation.Conversation(self._requests, self._wake)
        sending = asyncio.create_task(self._send_all(page))
        try:
            while (message := await self._receive(page))["type"] == "websocket.receive":
                page.receive(message.get("text"))
        except (RuntimeError, TimeoutError):  # closed while sending, or about to be
            pass
        finally:
            page.end()
            sending.cancel()

    async def _receive(self, page: conversation.Conversation) -> Any:
        """Return the next message of the page. Raises TimeoutError if it reads no answers."""
        while page.mailbox.is_full:
            self._sent.clear()
            await asyncio.wait_for(self._sent.wait(), READING_PATIENCE)
        return await self._socket.receive()

    async def _send_all(self, page: conversation.Conversation) -> None:
        with suppress(WebSocketDisconnect):  # run() notices it, too
            while True:
                if (message := page.take()) is not None:
                    await self._socket.send_text(message)
                    self._sent.set()
                    await asyncio.sleep(0.0 if page.mailbox.has_answers else SPACING)
                else:
                    self._news.clear()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._news.wait(), conversation.HEARTBEAT)


def _call_soon(loop: asyncio.AbstractEventLoop, function: Any) -> None:
    with suppress(RuntimeError):  # the server has ended in the meantime
        loop.call_soon_threadsafe(function)


FOLDER: Final = files("fsmkit.inspector") / "page"

TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""The media types of the page's files, independent of the system's table."""


async def _response(file: Traversable, media_type: str) -> responses.Response:
    return responses.Response(await asyncio.to_thread(file.read_bytes), media_type=media_type)


class Pages:
    def __init__(self, source: conversation.PageSource, *, read_only: bool) -> None:
        self._requests = conversation.Dispatcher(source, read_only, run=token_hex(8))
        self._resources = conversation.Resources(source)
        self._files = data_files(FOLDER)

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self._index),
            Route("/page/{name:path}", self._file),
            *(Route(f"/{name}", self._resource, methods=["GET"]) for name in conversation.QUERIES),
            Route("/snapshot", self._restore, methods=["POST"]),
            WebSocketRoute("/socket", self._socket),
        ]

    async def _index(self, _request: HttpRequest) -> responses.Response:
        return await _response(FOLDER / "index.html", "text/html")

    async def _file(self, request: HttpRequest) -> responses.Response:
        name = request.path_params["name"]
        file, kind = self._files.get(name), TYPES.get(PurePosixPath(name).suffix)
        if file is None or kind is None:
            return responses.JSONResponse({"error": f"There is no file {name!r}."}, status_code=404)
        return await _response(file, kind)

    async def _resource(self, request: HttpRequest) -> responses.Response:
        name, query = _name_of(request), conversation.query_of(request.url.query)
        return await self._run(self._resources.get(name, query))

    async def _restore(self, request: HttpRequest) -> responses.Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > conversation.LARGEST_SNAPSHOT:
                break  # it is refused, however long it is
        name, query = _name_of(request), conversation.query_of(request.url.query)
        return await self._run(self._resources.post(name, query, body))

    async def _run(self, errand: conversation.Errand) -> responses.Response:
        answer = {} if errand.request is None else await self._answer(errand.request)
        reply = await asyncio.to_thread(errand.finish, answer)
        response = (
            responses.Response if isinstance(reply.body, bytes) else responses.StreamingResponse
        )
        return response(reply.body, reply.status, dict(reply.headers))  # type: ignore[arg-type]

    async def _answer(self, request: PageRequest) -> PageAnswer:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[PageAnswer] = loop.create_future()

        def settle(answer: PageAnswer) -> None:
            if not answered.done():
                answered.set_result(answer)

        try:
            self._requests.ask(request, lambda answer: loop.call_soon_threadsafe(settle, answer))
            return await asyncio.wait_for(answered, conversation.LOOP_PATIENCE)
        except TimeoutError:
            return {"error": str(conversation.give_up(request))}
        except RequestError as error:
            return {"error": str(error)}

    async def _socket(self, socket: WebSocket) -> None:
        await PageConnection(socket, self._requests).run()


def _name_of(request: HttpRequest) -> str:
    return request.url.path.rpartition("/")[2]


HEADERS: Final = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
}


class AccessControl:
    """Admits requests with a host name of this computer, from no other site, with the token.

    The first condition prevents DNS rebinding, where the name of another site leads here; the
    second, requests by pages of other sites. The token is the first part of the path and is
    compared in constant time.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = frozenset(f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif (refusal := self._refusal(scope)) is None:
            await self._app(scope, receive, self._with_headers(scope, send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
        else:
            await responses.PlainTextResponse(f"{refusal}\n", status_code=403)(scope, receive, send)

    def _refusal(self, scope: Scope) -> str | None:
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "Wrong host. Open the address that was printed."
        origins = _values(scope, b"origin")
        if any(origin.lower() != b"http://" + hosts[0].lower() for origin in origins):
            return "Requests from other sites are refused."
        token = scope["path"].split("/")[1] if scope["path"].startswith("/") else ""
        if not compare_digest(token.encode(), self._token.encode()):
            return "The token in the address is wrong. Open the address that was printed."
        return None

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        host = _values(scope, b"host")[0].decode()
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
            f"connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [*HEADERS.items(), (b"content-security-policy", policy.encode())]
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            await send(message)

        return send_with_headers


def _values(scope: Scope, header: bytes) -> list[bytes]:
    return [value for name, value in scope["headers"] if name == header]


HOST: Final = "127.0.0.1"

CLOSING_PATIENCE: Final = 5.0
"""Seconds to wait for the server to end."""

LARGEST_MESSAGE: Final = 64 * 1024
"""Bytes of one message from a page."""


class ServerThread:
    """Serves the page until closed. Raises OSError if the port is taken."""

    def __init__(self, pages: Pages, port: int, token: str) -> None:
        self._socket = _listen(port)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{HOST}:{self.port}/{token}/"
        app = Starlette(routes=[Mount(f"/{token}", routes=pages.routes())])
        self._server = Server(
            Config(
                AccessControl(app, token, self.port),
                ws="websockets-sansio",
                ws_max_size=LARGEST_MESSAGE,
                ws_per_message_deflate=False,  # on this computer it only takes time
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
        self._server.should_exit = True
        self._thread.join(CLOSING_PATIENCE)

    def _run(self) -> None:
        # Only here is it certain that the event loop no longer uses the socket: were it closed
        # earlier, the next server could get its number, and this one that server's connections.
        with self._socket:
            self._server.run(sockets=[self._socket])


def _listen(port: int) -> socket.socket:
    # With the protocol given, asyncio sends small messages at once (TCP_NODELAY).
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()  # at once: a page may be opened before the server runs
    except OSError as error:
        listening.close()
        raise OSError(error.errno, _refusal(port, error)) from error
    except BaseException:
        listening.close()
        raise
    return listening


def _refusal(port: int, error: OSError) -> str:
    return (
        f"The inspector cannot listen on port {port} of {HOST}: {error.strerror}. Close the "
        "program that uses it, pass another port, or port=0 for a free one."
    )
