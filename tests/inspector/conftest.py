"""Pages: one without a browser, which updates the machine in between, and one in a browser."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any, TypeAlias

import pytest

# anyio imports this when a server sends its first file, and pytest would parse it in the server's
# thread, which Python 3.11 may fail at while another thread parses something, too.
from anyio import open_file  # noqa: F401

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.local import LocalInspector, LocalPage, Reply

DT = 1 / 64
PATIENCE = 60.0  # a busy machine is slow, but not wrong

Later: TypeAlias = Callable[[Callable[[], object]], None]


class Page:
    """The other end of the socket. While it waits it calls `update`, the game's loop."""

    inspector: Any
    socket: Any

    def __init__(self, url: str, update: Callable[[], object], **options: Any) -> None:
        from websockets.sync.client import connect

        address = f"{url.replace('http', 'ws')}socket"
        self.socket = connect(address, proxy=None, **options).__enter__()
        self._begin(update)

    def _begin(self, update: Callable[[], object]) -> None:
        self.update = update
        self.frames: list[dict[str, Any]] = []
        self._numbers = count(1)
        self.hello = self._receive_until(lambda message: message["type"] == "hello")

    def another(self) -> Page:
        """Open another page of the same inspector."""
        page = type(self)(self.inspector.url, self.update)
        page.inspector = self.inspector
        return page

    def get(self, address: str) -> tuple[int, dict[str, str], bytes]:
        """Return what the address leads to."""
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(_fetch, f"{self.inspector.url}{address}")
            while not answer.done():
                self.update()
                sleep(0.005)
            return answer.result()

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


class PageInside(Page):
    """A page in the same program, without a server."""

    def __init__(self, inspector: LocalInspector, update: Callable[[], object]) -> None:
        self.inspector = inspector
        self.socket = LineInside(inspector.open())
        self._begin(update)

    def another(self) -> Page:
        return PageInside(self.inspector, self.update)

    def get(self, address: str) -> tuple[int, dict[str, str], bytes]:
        replies: list[Reply] = []
        self.inspector.load(address, replies.append)
        while not replies:
            self.update()
        [reply] = replies
        body = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)
        return reply.status, dict(reply.headers), body


class LineInside:
    """Has the methods of a socket."""

    def __init__(self, page: LocalPage) -> None:
        self.page = page
        self.send = page.send
        self.close = page.close

    def recv(self, timeout: float) -> str:
        if (text := self.page.take()) is not None:
            return text
        sleep(timeout)
        raise TimeoutError


def _fetch(url: str) -> tuple[int, dict[str, str], bytes]:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, {k.lower(): v for k, v in error.headers.items()}, error.read()


@pytest.fixture(autouse=True)
def _is_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages wait longer for the loop, and a paused game for the next page."""
    monkeypatch.setattr("fsmkit.inspector.conversation.LOOP_PATIENCE", PATIENCE)
    monkeypatch.setattr("fsmkit.inspector.live.subscribers.PATIENCE", PATIENCE)


@pytest.fixture(scope="module")
def later() -> Iterator[Later]:
    """Run work in the background, such as the end of a server; its errors are raised at the end."""
    futures: list[Future[Any]] = []

    with ThreadPoolExecutor() as pool:
        yield lambda work: futures.append(pool.submit(work))
    for future in futures:
        future.result()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat the tests of a module for each of its WAYS to join a page: "server" or "inside"."""
    if "inspected" in metafunc.fixturenames and hasattr(metafunc.module, "WAYS"):
        metafunc.parametrize("inspected", metafunc.module.WAYS, indirect=True)


@pytest.fixture
def inspected(request: pytest.FixtureRequest, later: Later) -> Iterator[Callable[..., Page]]:
    """Inspect machines and open a page."""
    to_close: list[Any] = []

    def open_page(machines: Fsm[Any] | FsmGroup, **options: Any) -> Page:
        from fsmkit.inspector import inspect

        inspector = inspect(machines, announce=None, rate=60.0, **options)
        to_close.append(inspector)
        page = Page(inspector.url, lambda: machines.update(DT))
        page.inspector = inspector
        to_close.insert(0, page.socket)
        return page

    def open_page_inside(machines: Fsm[Any] | FsmGroup, **options: Any) -> Page:
        inspector = LocalInspector(machines, rate=60.0, **options)
        to_close.append(inspector)
        return PageInside(inspector, lambda: machines.update(DT))

    if getattr(request, "param", "server") == "inside":
        yield open_page_inside
    else:
        for package in "starlette", "uvicorn", "websockets":
            pytest.importorskip(package)
        yield open_page
    for each in to_close:
        later(each.close)


@pytest.fixture
def shown(later: Later) -> Iterator[Callable[..., Page]]:
    """Inspect recordings and open a page."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    pytest.importorskip("websockets")
    from fsmkit.inspector import inspect_recording

    to_close: list[Any] = []

    def open_page(*recordings: Any, **options: Any) -> Page:
        inspector = inspect_recording(*recordings, announce=None, rate=60.0, **options)
        to_close.append(inspector)
        page = Page(inspector.url, lambda: None)
        page.inspector = inspector
        to_close.insert(0, page.socket)
        return page

    yield open_page
    for each in to_close:
        later(each.close)


class Show:
    """A running game, and a page that shows it.

    The machines belong to the thread of the game: from other threads, use `post_event` and `do`.
    """

    def __init__(
        self,
        browser: Any,
        machines: Fsm[Any] | FsmGroup,
        update: Callable[[float], object] | None = None,
        **options: Any,
    ) -> None:
        self.machines = machines
        self._update = update or machines.update
        from fsmkit.inspector import inspect

        self.inspector = inspect(machines, announce=None, **options)
        self.complaints: list[str] = []
        self.updates = 0
        self._errands: deque[Callable[[], object]] = deque()
        self._goes_on = True
        self._game = Thread(target=self._play, daemon=True)  # or it outlives a failed start
        self._game.start()
        self.context = browser.new_context(viewport={"width": 1280, "height": 720})
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)
        self.page.goto(self.inspector.url)

    def end(self) -> None:
        """End the game; the page must have been closed before."""
        self._goes_on = False
        self._game.join(PATIENCE)
        assert not self._game.is_alive()
        self.inspector.close()

    def do(self, errand: Callable[[], object]) -> None:
        """Have the game do something between two updates."""
        self._errands.append(errand)

    def play(self, seconds: float) -> None:
        """Wait until the game has made as many updates as there are in that time."""
        enough, end = self.updates + round(seconds / DT), monotonic() + PATIENCE
        while self.updates < enough:
            assert monotonic() < end, "the game does not go on"
            self.page.wait_for_timeout(10)

    def state(self) -> str | None:
        [fsm] = [self.machines] if isinstance(self.machines, Fsm) else list(self.machines)[:1]
        state = fsm.current_state
        return state.name if state is not None else None

    def _play(self) -> None:
        while self._goes_on:
            self._update(DT)
            self.updates += 1
            while self._errands:
                self._errands.popleft()()
            sleep(DT)

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@pytest.fixture
def show(browser: Any, later: Any) -> Iterator[Callable[..., Show]]:
    shows: list[Show] = []

    def begin(machines: Any, *more: Any, **options: Any) -> Show:
        shows.append(Show(browser, machines, *more, **options))
        return shows[-1]

    yield begin
    for each in shows:
        each.context.close()
        later(each.end)
    assert [complaint for each in shows for complaint in each.complaints] == []


THEMES = ("light", "dark")
TABS = ("machines", "graph", "now", "timeline", "log")

COMPLAINTS = """async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    const why = ({ any, all, none }) => [...any, ...all, ...none][0]?.message ?? "";
    return violations.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 160)}: ${why(node)}`));
}"""
"""What is wrong with the document, in words."""


@pytest.fixture(scope="module")
def axe() -> str:
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    script = cache / "fsmkit" / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        pytest.skip(f"no axe-core: npm install --prefix {cache / 'fsmkit'} axe-core")
    return script.read_text()


@pytest.fixture
def axe_looks(axe: str) -> Iterator[Callable[..., None]]:
    """Look at a page in both themes, at 1400 pixels and, tab by tab, on a phone."""
    found: dict[str, list[str]] = {}

    def look_at(page: Any, scene: str, tabs: tuple[str, ...] = TABS) -> None:
        page.evaluate(axe)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            for tab in ("desktop", *tabs):
                width = 1400 if tab == "desktop" else 390
                page.set_viewport_size({"width": width, "height": 844})
                page.evaluate("tab => { document.body.dataset.tab = tab }", tab)
                page.wait_for_timeout(50)
                if complaints := page.evaluate(COMPLAINTS):
                    found[f"{scene}, {theme}, {tab}"] = complaints
        page.set_viewport_size({"width": 1400, "height": 844})

    yield look_at
    assert found == {}
