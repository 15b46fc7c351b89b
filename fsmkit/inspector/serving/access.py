"""AccessControl: decides who may use the server."""

from __future__ import annotations

from secrets import compare_digest
from typing import Any, Final

from fsmkit.inspector.serving.web import ASGIApp, PlainTextResponse, Receive, Scope, Send

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

    The first condition is against DNS rebinding, where the name of another site leads here; the
    second against pages of other sites. The token is the first part of the path and is compared in
    constant time.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = frozenset(f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or one socket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif (refusal := self._refusal(scope)) is None:
            await self._app(scope, receive, self._with_headers(scope, send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
        else:
            await PlainTextResponse(f"{refusal}\n", status_code=403)(scope, receive, send)

    def _refusal(self, scope: Scope) -> str | None:
        """Return the reason for refusing a request; None if it is admitted."""
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
