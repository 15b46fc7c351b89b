"""Resources: what pages load beside their messages: drawings, snapshots, the recording."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl

from attrs import Factory, frozen

from fsmkit import FsmError
from fsmkit.diagram.layout import Draw, svg_of
from fsmkit.inspector.loop.recorder import recording_so_far
from fsmkit.inspector.loop.requests import Answer, Request, RequestError
from fsmkit.inspector.loop.source import Source
from fsmkit.inspector.reading.chart import lay_out
from fsmkit.inspector.reading.values import text_of

Query: TypeAlias = Mapping[str, str]

QUERIES: Final[Mapping[str, Mapping[str, type]]] = {
    "graph": {"machine": str, "dark": bool, "radius": int, "around": list},
    "recording": {},
    "snapshot": {"machine": str},
}
"""Resource -> what its address may ask for. All of it is optional."""

RADII: Final = ("0", "1", "2")
"""How many arrows around the current states may be drawn; 0 draws all states."""

MOST_AROUND: Final = 64
"""Current states around which a machine may be drawn: one for each that is nested in it."""

LARGEST_SNAPSHOT: Final = 16_000_000
"""Bytes."""

_NONE: Final[Mapping[str, str]] = {}


@frozen
class Reply:
    """What a page gets, in the terms of HTTP."""

    status: int
    body: bytes | Iterable[bytes]
    headers: Mapping[str, str] = Factory(dict)


@frozen
class Errand:
    """The way to a reply: the request to make of the source, if any, and what follows from it."""

    finish: Callable[[Answer], Reply]
    """Makes the reply of the answer. Slow for a drawing; touches no machine."""
    request: Request | None = None


class Resources:
    """Knows the errand for each address; `draw` lays drawings out in place of Graphviz."""

    def __init__(self, source: Source, draw: Draw | None = None) -> None:
        self._source = source
        self._lay_out = lru_cache(maxsize=128)(partial(lay_out, draw=draw or svg_of))

    def get(self, name: str, query: Query) -> Errand:
        """Return the errand that loads a resource."""
        try:
            wishes = _parse_query(name, query)
        except RequestError as error:
            return _refused(400, error)
        if name == "recording":
            return Errand(lambda _: self._recording())
        errand: Errand = getattr(self, f"_{name}")(**wishes)
        return errand

    def post(self, name: str, query: Query, body: bytes) -> Errand:
        """Return the errand that loads a snapshot, which is `body`, into the machines."""
        try:
            if name != "snapshot":
                raise RequestError(f"{name!r} takes nothing.")
            wishes = _parse_query(name, query)
            if len(body) > LARGEST_SNAPSHOT:
                text = f"A snapshot must have at most {LARGEST_SNAPSHOT:,} bytes."
                return _refused(413, text)
            data = json.loads(body)
        except (ValueError, RecursionError):
            return _refused(400, "A snapshot must be JSON.")
        except RequestError as error:
            return _refused(400, error)
        request = Request("restore", {"machine": wishes.get("machine"), "data": data})
        return Errand(_unless_refused(_json_reply), request)

    def _graph(
        self, machine: str = "", dark: bool = False, radius: int = 0, around: Sequence[str] = ()
    ) -> Errand:
        def finish(answer: Answer) -> Reply:
            graph, parts = answer["graph"]
            try:
                svg = _without_style(self._lay_out(graph, dark=dark))
            except (ImportError, FsmError) as error:
                return _json_reply({"error": str(error)}, 500)
            return _json_reply({"svg": svg, **parts})

        extent = {"radius": radius, "around": around} if radius else {}
        return Errand(_unless_refused(finish), Request("graph", {"machine": machine, **extent}))

    def _snapshot(self, machine: str | None = None) -> Errand:
        headers = _as_file(f"{machine or self._source.title}.json")
        return Errand(
            _unless_refused(lambda answer: _json_reply(answer["snapshot"], headers=headers)),
            Request("snapshot", {"machine": machine}),
        )

    def _recording(self) -> Reply:
        path = self._source.recording
        if path is None:
            return _json_reply(
                {"error": "Nothing is recorded. Pass record=True to inspect()."}, 404
            )
        try:
            size, parts = recording_so_far(path)
        except OSError as error:
            text = f"The recording file cannot be read: {error.strerror}."
            return _json_reply({"error": text}, 404)
        headers = {
            "content-type": "application/jsonl",
            "content-length": str(size),
            **_as_file(f"{self._source.title}.jsonl"),
        }
        return Reply(200, parts, headers)


def _json_reply(content: Any, status: int = 200, headers: Mapping[str, str] = _NONE) -> Reply:
    body = json.dumps(content).encode()
    return Reply(status, body, {"content-type": "application/json", **headers})


def _refused(status: int, error: object) -> Errand:
    return Errand(lambda _: _json_reply({"error": str(error)}, status))


def _unless_refused(finish: Callable[[Answer], Reply]) -> Callable[[Answer], Reply]:
    return lambda answer: _json_reply(answer, 409) if "error" in answer else finish(answer)


def query_of(text: str) -> Query:
    r"""Return the query of an address. A name may have half a letter in it, a surrogate.

    >>> query_of("machine=M%ED%B2%80&dark=1")
    {'machine': 'M\udc80', 'dark': '1'}
    """
    try:
        return dict(parse_qsl(text, keep_blank_values=True, errors="surrogatepass"))
    except UnicodeDecodeError:  # no text at all
        return dict(parse_qsl(text, keep_blank_values=True))


def _parse_query(name: str, query: Query) -> dict[str, Any]:
    """Return the wishes in an address by name. Raises RequestError if it is malformed."""
    if name not in QUERIES:
        raise RequestError(f"There is no {name!r}. Choose one of: {', '.join(QUERIES)}.")
    if unknown := query.keys() - QUERIES[name]:
        raise RequestError(f"{name!r} has no argument {min(unknown)!r}.")
    return {key: _parsed(name, key, text) for key, text in query.items()}


def _parsed(name: str, key: str, text: str) -> str | bool | int | list[str]:
    kind = QUERIES[name][key]
    if kind is str:
        return text
    if kind is list:
        return _ids(name, key, text)
    known = RADII if kind is int else ("0", "1")
    if text not in known:
        either = f"{', '.join(known[:-1])} or {known[-1]}"
        raise RequestError(f"{name!r}: {key!r} must be {either}, got {text_of(text)}.")
    return int(text) if kind is int else text == "1"


def _ids(name: str, key: str, text: str) -> list[str]:
    """Return the ids in a text, which has blanks between them."""
    ids = text.split()
    if len(ids) > MOST_AROUND:
        raise RequestError(f"{name!r}: {key!r} must be at most {MOST_AROUND} ids, got {len(ids)}.")
    return ids


def _without_style(svg: str) -> str:
    """Return a picture whose root has no inline style, which the page's policy forbids."""
    head, end, rest = svg.partition(">")
    return re.sub(r' style="[^"]*"', "", head) + end + rest


def _as_file(name: str) -> dict[str, str]:
    """Return the header of a reply that is to be saved as a file."""
    stem, _, kind = name.rpartition(".")
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in stem)[:80]
    return {"content-disposition": f'attachment; filename="{safe}.{kind}"'}
