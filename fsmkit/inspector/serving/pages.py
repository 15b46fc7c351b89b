"""Pages: the routes of the server."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from fsmkit.diagram.graph import Graph
from fsmkit.inspector.loop.recorder import recording_so_far
from fsmkit.inspector.loop.requests import (
    LOOKING,
    Answer,
    Request,
    RequestError,
    parse_extent,
)
from fsmkit.inspector.loop.source import Source
from fsmkit.inspector.reading.chart import lay_out
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

FOLDER: Final = Path(__file__).parents[1] / "page"

TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""The media types of the page's files, independent of the system's table."""

LARGEST_SNAPSHOT: Final = 16_000_000
"""Bytes."""

LOOP_PATIENCE: Final = 5.0
"""Seconds to wait for an answer of the loop."""


class Pages:
    """The page, its drawings, its downloads, and its socket."""

    def __init__(self, source: Source, *, read_only: bool) -> None:
        self.source = source
        self.read_only = read_only
        self._lay_out = lru_cache(maxsize=128)(lay_out)
        self._files = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*.*")}

    def routes(self) -> list[BaseRoute]:
        """Return all routes."""
        return [
            Route("/", self._index),
            Route("/page/{name:path}", self._file),
            Route("/graph", self._graph),
            Route("/recording", self._recording),
            Route("/snapshot", self._snapshot, methods=["GET"]),
            Route("/snapshot", self._restore, methods=["POST"]),
            WebSocketRoute("/socket", self._socket),
        ]

    async def answer(
        self, request: Request, on_answer: Callable[[Answer], object] = lambda _: None
    ) -> Answer:
        """Return the answer that the loop gives in its next update. Raises RequestError.

        `on_answer` is called with it in the loop's thread, before any frame that shows the effect.
        """
        if self.read_only and request.do not in LOOKING:
            raise RequestError("This inspector is read-only: it grants no control.")
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Answer] = loop.create_future()

        def settle(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        def reply(answer: Answer) -> None:
            if not request.is_given_up:
                on_answer(answer)
            loop.call_soon_threadsafe(settle, answer)

        request.reply = reply
        self.source.ask(request)
        try:
            return await asyncio.wait_for(answered, LOOP_PATIENCE)
        except TimeoutError:
            request.is_given_up = True
            raise RequestError(
                f"No answer for {LOOP_PATIENCE:g} s: the loop is not updating the machine."
            ) from None

    async def _index(self, _request: HttpRequest) -> Response:
        return FileResponse(FOLDER / "index.html")

    async def _file(self, request: HttpRequest) -> Response:
        name = request.path_params["name"]
        path = self._files.get(name)
        if path is None or path.suffix not in TYPES:
            return _missing(f"There is no file {name!r}.")
        return FileResponse(path, media_type=TYPES[path.suffix])

    async def _graph(self, request: HttpRequest) -> Response:
        machine = request.query_params.get("machine", "")
        dark = request.query_params.get("dark") == "1"
        try:
            extent = parse_extent(request.query_params)
        except RequestError as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        answer = await self._answer_or_error(Request("graph", {"machine": machine, **extent}))
        if "error" in answer:
            return JSONResponse(answer, status_code=409)
        graph, parts = answer["graph"]
        try:
            svg = await asyncio.to_thread(self._picture, graph, dark)
        except ImportError as error:
            return JSONResponse({"error": str(error)}, status_code=500)
        return JSONResponse({"svg": svg, **parts})

    def _picture(self, graph: Graph, dark: bool) -> str:
        svg = self._lay_out(graph, dark=dark)
        head, end, rest = svg.partition(">")
        return re.sub(r' style="[^"]*"', "", head) + end + rest

    async def _recording(self, _request: HttpRequest) -> Response:
        path = self.source.recording
        if path is None:
            return _missing("Nothing is recorded. Pass record=True to inspect().")
        try:
            size, parts = recording_so_far(path)
        except OSError as error:
            return _missing(f"The recording file cannot be read: {error.strerror}.")
        headers = {"content-length": str(size), **_as_file(f"{self.source.title}.jsonl")}
        return StreamingResponse(parts, headers=headers, media_type="application/jsonl")

    async def _snapshot(self, request: HttpRequest) -> Response:
        machine = request.query_params.get("machine")
        answer = await self._answer_or_error(Request("snapshot", {"machine": machine}))
        if "error" in answer:
            return JSONResponse(answer, status_code=409)
        headers = _as_file(f"{machine or self.source.title}.json")
        return JSONResponse(answer["snapshot"], headers=headers)

    async def _restore(self, request: HttpRequest) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_SNAPSHOT:
                return JSONResponse(
                    {"error": f"A snapshot must have at most {LARGEST_SNAPSHOT:,} bytes."},
                    status_code=413,
                )
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            return JSONResponse({"error": "A snapshot must be JSON."}, status_code=400)
        machine = request.query_params.get("machine")
        answer = await self._answer_or_error(Request("restore", {"machine": machine, "data": data}))
        return JSONResponse(answer, status_code=409 if "error" in answer else 200)

    async def _answer_or_error(self, request: Request) -> dict[str, Any]:
        try:
            return await self.answer(request)
        except RequestError as error:
            return {"error": str(error)}

    async def _socket(self, socket: WebSocket) -> None:
        connection = PageConnection(socket, self.source, self.answer, read_only=self.read_only)
        await connection.run()


def _missing(text: str) -> Response:
    return JSONResponse({"error": text}, status_code=404)


def _as_file(name: str) -> dict[str, str]:
    """Return the header of a response that is to be saved as a file."""
    stem, _, kind = name.rpartition(".")
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in stem)[:80]
    return {"content-disposition": f'attachment; filename="{safe}.{kind}"'}
