"""Pages: the routes of the server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from fsmkit.inspector.loop.requests import Answer, Request, RequestError
from fsmkit.inspector.loop.source import Source
from fsmkit.inspector.serving.page_connection import PageConnection
from fsmkit.inspector.serving.web import (
    BaseRoute,
    FileResponse,
    HttpRequest,
    JSONResponse,
    Response,
    Route,
    StreamingResponse,
    WebSocket,
    WebSocketRoute,
)
from fsmkit.inspector.talking import dispatcher
from fsmkit.inspector.talking.dispatcher import Dispatcher, give_up
from fsmkit.inspector.talking.resources import (
    LARGEST_SNAPSHOT,
    QUERIES,
    Errand,
    Resources,
    query_of,
)

FOLDER: Final = Path(__file__).parents[1] / "page"

TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""The media types of the page's files, independent of the system's table."""


class Pages:
    """The page, its drawings, its downloads, and its socket."""

    def __init__(self, source: Source, *, read_only: bool) -> None:
        self._requests = Dispatcher(source, read_only)
        self._resources = Resources(source)
        self._files = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*.*")}

    def routes(self) -> list[BaseRoute]:
        """Return all routes."""
        return [
            Route("/", self._index),
            Route("/page/{name:path}", self._file),
            *(Route(f"/{name}", self._resource, methods=["GET"]) for name in QUERIES),
            Route("/snapshot", self._restore, methods=["POST"]),
            WebSocketRoute("/socket", self._socket),
        ]

    async def _index(self, _request: HttpRequest) -> Response:
        return FileResponse(FOLDER / "index.html")

    async def _file(self, request: HttpRequest) -> Response:
        name = request.path_params["name"]
        path = self._files.get(name)
        if path is None or path.suffix not in TYPES:
            return _missing(f"There is no file {name!r}.")
        return FileResponse(path, media_type=TYPES[path.suffix])

    async def _resource(self, request: HttpRequest) -> Response:
        name, query = _name_of(request), query_of(request.url.query)
        return await self._run(self._resources.get(name, query))

    async def _restore(self, request: HttpRequest) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_SNAPSHOT:
                break  # which is refused, however much is to come
        name, query = _name_of(request), query_of(request.url.query)
        return await self._run(self._resources.post(name, query, body))

    async def _run(self, errand: Errand) -> Response:
        answer = {} if errand.request is None else await self._answer(errand.request)
        reply = await asyncio.to_thread(errand.finish, answer)
        response = Response if isinstance(reply.body, bytes) else StreamingResponse
        return response(reply.body, reply.status, dict(reply.headers))  # type: ignore[arg-type]

    async def _answer(self, request: Request) -> Answer:
        """Return the answer that the source gives, or its refusal."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Answer] = loop.create_future()

        def settle(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        try:
            self._requests.ask(request, lambda answer: loop.call_soon_threadsafe(settle, answer))
            return await asyncio.wait_for(answered, dispatcher.LOOP_PATIENCE)
        except TimeoutError:
            return {"error": str(give_up(request))}
        except RequestError as error:
            return {"error": str(error)}

    async def _socket(self, socket: WebSocket) -> None:
        await PageConnection(socket, self._requests).run()


def _name_of(request: HttpRequest) -> str:
    return request.url.path.rpartition("/")[2]


def _missing(text: str) -> Response:
    return JSONResponse({"error": text}, status_code=404)
