"""A page without a browser: it talks to the inspector and updates the machine in between."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from time import monotonic
from typing import Any, TypeAlias

import pytest

from fsmkit import Fsm, FsmGroup

DT = 1 / 64
PATIENCE = 60.0  # a busy machine is slow, but not wrong

Later: TypeAlias = Callable[[Callable[[], object]], None]


class Page:
    """The other end of the socket. While it waits it calls `update`, the game's loop."""

    def __init__(self, url: str, update: Callable[[], object], **options: Any) -> None:
        from websockets.sync.client import connect

        address = f"{url.replace('http', 'ws')}socket"
        self.socket = connect(address, proxy=None, **options).__enter__()
        self.update = update
        self.frames: list[dict[str, Any]] = []
        self._numbers = count(1)
        self.hello = self._receive_until(lambda message: message["type"] == "hello")

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer to a request."""
        number = next(self._numbers)
        self.socket.send(json.dumps({"id": number, "do": do, **arguments}))
        return self._receive_until(lambda message: message.get("id") == number)

    def frame(self, wanted: Callable[[dict[str, Any]], object] = lambda _: True) -> dict[str, Any]:
        """Return the next frame that satisfies `wanted`."""
        return self._receive_until(lambda message: message["type"] == "frame" and wanted(message))

    def answer_to(self, text: str | bytes) -> dict[str, Any]:
        """Return the answer to any text."""
        self.socket.send(text)
        return self._receive_until(lambda message: message["type"] == "answer")

    def _receive_until(self, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        end = monotonic() + PATIENCE
        while monotonic() < end:
            self.update()
            try:
                message = json.loads(self.socket.recv(timeout=0.005))
            except TimeoutError:
                continue
            if message["type"] == "frame":
                if "log" not in message:
                    continue  # the status alone: there was nothing new for a second
                self.frames.append(message)
            if wanted(message):
                return message
        raise AssertionError("no such message arrived")


@pytest.fixture(autouse=True)
def _is_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages wait longer for the loop."""
    with suppress(ImportError):  # without the extra
        monkeypatch.setattr("fsmkit.inspector.serving.pages.LOOP_PATIENCE", PATIENCE)


@pytest.fixture(scope="module")
def later() -> Iterator[Later]:
    """Run work in the background, such as the end of a server; its errors are raised at the end."""
    futures: list[Future[Any]] = []

    with ThreadPoolExecutor() as pool:
        yield lambda work: futures.append(pool.submit(work))
    for future in futures:
        future.result()


@pytest.fixture
def inspected(later: Later) -> Iterator[Callable[..., Page]]:
    """Inspect machines and open a page."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    pytest.importorskip("websockets")
    from fsmkit.inspector import inspect

    to_close: list[Any] = []

    def open_page(machines: Fsm[Any] | FsmGroup, **options: Any) -> Page:
        inspector = inspect(machines, announce=None, rate=60.0, **options)
        to_close.append(inspector)
        page = Page(inspector.url, lambda: machines.update(DT))
        page.inspector = inspector  # type: ignore[attr-defined]
        to_close.insert(0, page.socket)
        return page

    yield open_page
    for each in to_close:
        later(each.close)
