"""The messages between a page and a source, and the resources that pages load beside them.

A `PageSource` is a session of machines, a crowd or a recording. Its pages hold a
`Conversation` with it, whatever carries it, and load drawings, snapshots and the recording.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from time import monotonic
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import parse_qsl

from attrs import Factory, frozen

from fsmkit import FsmError, __version__
from fsmkit.core.checks import arguments
from fsmkit.diagram.graph import clusters_of
from fsmkit.diagram.layout import Draw, svg_of
from fsmkit.inspector.live.mailbox import PageMailbox
from fsmkit.inspector.live.recorder import recording_so_far
from fsmkit.inspector.live.requests.page_request import (
    PageAnswer,
    PageRequest,
    RequestError,
    parse_message,
    parse_request,
)
from fsmkit.inspector.reading.chart import lay_out

LOOP_PATIENCE: Final = 5.0
"""Seconds to wait for an answer of the loop."""


@frozen
class Dispatcher:
    """Passes requests on to the source; on a read-only page, only those that change nothing."""

    source: PageSource
    read_only: bool
    run: str
    """Tells this run of the program from another one at the same address."""

    def ask(self, request: PageRequest, reply: Callable[[PageAnswer], object]) -> None:
        """Have `request` answered in the next update. Raises RequestError if it is refused.

        `reply` is called with the answer in the loop's thread, before any frame that shows the
        effect; unless the request has been given up by then.
        """
        if self.read_only and not request.rule.changes_nothing:
            raise RequestError("This inspector is read-only: it grants no control.")
        request.reply = lambda answer: None if request.is_given_up else reply(answer)
        self.source.ask(request)


def give_up(request: PageRequest) -> RequestError:
    request.is_given_up = True
    return RequestError(f"No answer for {LOOP_PATIENCE:g} s: the loop is not updating the machine.")


class PageSource(Protocol):
    """Sends frames to the pages that have joined, and answers their requests.

    All its methods may be called from any thread.
    """

    @property
    def title(self) -> str: ...

    @property
    def recording(self) -> Path | None:
        """The file of the recording that can be downloaded."""
        ...

    def greeting(self) -> dict[str, Any]:
        """Return the content of the first message: the machines and their states, and more."""
        ...

    def status(self) -> dict[str, Any]:
        """Return the part of a frame that is the same for every page."""
        ...

    def join(self, page: PageMailbox) -> None: ...

    def leave(self, page: PageMailbox) -> None: ...

    def ask(self, request: PageRequest) -> None:
        """Have a request answered. Raises RequestError if too many are pending."""

    def close(self) -> None:
        """Detach from the machines, if any, and answer no more requests."""


HEARTBEAT: Final = 1.0
"""Seconds after which a page is sent the status even without news."""

MOST_OPEN: Final = 64
"""Pending requests of one page."""


class Conversation:
    """Receives the messages of a page, and keeps messages for it.

    `wake` is called, in the loop's thread, when there is a new one. All methods belong to the
    thread that carries the messages.
    """

    def __init__(self, requests: Dispatcher, wake: Callable[[], object]) -> None:
        self._requests = requests
        self._source = requests.source
        self.mailbox = PageMailbox(wake)
        self._open: dict[PageRequest, tuple[object, float]] = {}
        """Request -> the id of its message, and when it was made."""
        self._last: float | None = None
        """When the last message was taken."""
        self._source.join(self.mailbox)

    def end(self) -> None:
        """Leave the source: the page has been closed."""
        self._source.leave(self.mailbox)

    def receive(self, text: str | None) -> None:
        """Receive a message of the page; None stands for one of bytes."""
        number: object = None
        try:
            number, message = parse_message(text)
            request = parse_request(message)
            if len(self._open) >= MOST_OPEN:
                raise RequestError("Too many requests at once. Wait for their answers.")
            if request.rule.is_personal:
                request.arguments["page"] = self.mailbox
            self._open[request] = number, monotonic()
            self._ask(request, number)
        except RequestError as error:
            self.mailbox.answer(number, {"error": str(error)})

    def take(self) -> str | None:
        """Return the next message for the page; None if there is nothing new.

        The first is a greeting. After a second without news it is the status alone.
        """
        self._give_up_late()
        message = self._next()
        if message is None:
            return None
        self._last = monotonic()
        return json.dumps(message, default=str)

    def _next(self) -> dict[str, Any] | None:
        if self._last is None:
            return self._greeting()
        if (message := self.mailbox.take()) is not None:
            return message
        if monotonic() >= self._last + HEARTBEAT:
            return {"type": "frame", **self._source.status()}
        return None

    def _greeting(self) -> dict[str, Any]:
        return {
            "type": "hello",
            "run": self._requests.run,
            "read_only": self._requests.read_only,
            "version": __version__,
            **self._source.greeting(),
            "selected": self.mailbox.selected,
            **self._source.status(),
        }

    def _ask(self, request: PageRequest, number: object) -> None:
        def reply(answer: PageAnswer) -> None:
            if self._open.pop(request, None) is not None:  # else it has just been given up
                self.mailbox.answer(number, answer)

        try:
            self._requests.ask(request, reply)
        except RequestError:
            del self._open[request]
            raise

    def _give_up_late(self) -> None:
        latest = monotonic() - LOOP_PATIENCE
        for request, (number, made) in tuple(self._open.items()):
            is_late = made <= latest and not request.is_aside
            if is_late and self._open.pop(request, None) is not None:
                self.mailbox.answer(number, {"error": str(give_up(request))})


Query: TypeAlias = Mapping[str, str]

QUERIES: Final[Mapping[str, Mapping[str, type]]] = {
    "graph": {"machine": str, "dark": bool, "radius": int, "around": list},
    "recording": {},
    "snapshot": {"machine": str},
}
"""Resource -> the arguments of its address, all of them optional."""

RADII: Final = ("0", "1", "2")
"""How many arrows around the current states may be drawn; 0 draws all states."""

MOST_AROUND: Final = 64
"""Current states around which a machine may be drawn: one for each nested machine."""

LARGEST_SNAPSHOT: Final = 16_000_000
"""Bytes."""

_NONE: Final[Mapping[str, str]] = {}


@frozen
class Reply:
    status: int
    body: bytes | Iterable[bytes]
    headers: Mapping[str, str] = Factory(dict)


@frozen
class Errand:
    """The steps to a reply: the request to the source, if any, and its evaluation."""

    _finish: Callable[[PageAnswer], Reply]
    request: PageRequest | None = None

    def finish(self, answer: PageAnswer) -> Reply:
        """Turn the answer into the reply. Slow for a drawing; touches no machine."""
        return _json_reply(answer, 409) if "error" in answer else self._finish(answer)


class Resources:
    """Maps each address to an errand; `draw` replaces Graphviz."""

    def __init__(self, source: PageSource, draw: Draw | None = None) -> None:
        self._source = source
        self._lay_out = lru_cache(maxsize=128)(partial(lay_out, draw=draw or svg_of))

    def get(self, name: str, query: Query) -> Errand:
        try:
            wanted = _parse_query(name, query)
        except RequestError as error:
            return _refused(400, error)
        if name == "recording":
            return Errand(lambda _: self._recording())
        errand: Errand = getattr(self, f"_{name}")(**wanted)
        return errand

    def post(self, name: str, query: Query, body: bytes) -> Errand:
        """Return the errand that loads a snapshot, which is `body`, into the machines."""
        try:
            if name != "snapshot":
                raise RequestError(f"{name!r} accepts no upload.")
            wanted = _parse_query(name, query)
            if len(body) > LARGEST_SNAPSHOT:
                text = f"A snapshot must have at most {LARGEST_SNAPSHOT:,} bytes."
                return _refused(413, text)
            data = json.loads(body)
        except (ValueError, RecursionError):
            return _refused(400, "A snapshot must be JSON.")
        except RequestError as error:
            return _refused(400, error)
        request = PageRequest("restore", {"machine": wanted.get("machine"), "data": data})
        return Errand(_json_reply, request)

    def _graph(
        self, machine: str = "", dark: bool = False, radius: int = 0, around: Sequence[str] = ()
    ) -> Errand:
        def finish(answer: PageAnswer) -> Reply:
            graph, parts = answer["graph"]
            try:
                svg, places = self._lay_out(graph, dark=dark)
            except (ImportError, FsmError) as error:
                return _json_reply({"error": str(error)}, 500)
            kept = any(node.place for cluster in clusters_of(graph) for node in cluster.nodes)
            drawing = {"svg": _without_style(svg), "places": {} if radius else places, **parts}
            return _json_reply({**drawing, "has_kept": kept})

        extent = {"radius": radius, "around": around} if radius else {}
        return Errand(finish, PageRequest("graph", {"machine": machine, **extent}))

    def _snapshot(self, machine: str | None = None) -> Errand:
        headers = _as_file(f"{machine or self._source.title}.json")
        return Errand(
            lambda answer: _json_reply(answer["snapshot"], headers=headers),
            PageRequest("snapshot", {"machine": machine}),
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


def query_of(text: str) -> Query:
    r"""Return the query of an address. A name may have half a letter in it, a surrogate.

    >>> query_of("machine=M%ED%B2%80&dark=1")
    {'machine': 'M\udc80', 'dark': '1'}
    """
    try:
        return dict(parse_qsl(text, keep_blank_values=True, errors="surrogatepass"))
    except UnicodeDecodeError:  # not UTF-8
        return dict(parse_qsl(text, keep_blank_values=True))


def _parse_query(name: str, query: Query) -> dict[str, Any]:
    """Return the arguments in an address. Raises RequestError if it is malformed."""
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
        ids = text.split()
        if len(ids) > MOST_AROUND:
            count = f"at most {MOST_AROUND} ids, got {len(ids)}"
            raise RequestError(f"{name!r}: {key!r} must be {count}.")
        return ids
    known = RADII if kind is int else ("0", "1")
    arguments.choice(text, f"{name!r}: {key!r}", known, RequestError)
    return int(text) if kind is int else text == "1"


def _without_style(svg: str) -> str:
    """Remove the inline style of the root, which the page's policy forbids."""
    head, end, rest = svg.partition(">")
    return re.sub(r' style="[^"]*"', "", head) + end + rest


def _as_file(name: str) -> dict[str, str]:
    stem, _, kind = name.rpartition(".")
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in stem)[:80]
    return {"content-disposition": f'attachment; filename="{safe}.{kind}"'}
