"""The packages that serve the page: imported here and nowhere else."""

from __future__ import annotations

try:
    from starlette.applications import Starlette
    from starlette.requests import Request as HttpRequest
    from starlette.responses import (
        FileResponse,
        JSONResponse,
        PlainTextResponse,
        Response,
        StreamingResponse,
    )
    from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.websockets import WebSocket, WebSocketDisconnect
    from uvicorn import Config, Server
    from websockets.version import version as _websockets  # noqa: F401  # uvicorn needs it
except ImportError as error:
    raise ImportError(
        "The inspector needs Starlette, uvicorn and websockets: pip install 'fsmkit[inspector]'."
    ) from error

__all__ = [
    "ASGIApp",
    "BaseRoute",
    "Config",
    "FileResponse",
    "HttpRequest",
    "JSONResponse",
    "Mount",
    "PlainTextResponse",
    "Receive",
    "Response",
    "Route",
    "Scope",
    "Send",
    "Server",
    "Starlette",
    "StreamingResponse",
    "WebSocket",
    "WebSocketDisconnect",
    "WebSocketRoute",
]
