"""Pages: one without a browser, which updates the machine in between, and one in a browser."""

from __future__ import annotations

import json
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from threading import Thread
from time import monotonic, sleep
from typing import Any, Final, TypeAlias

import pytest

from fsmkit import Fsm, FsmGroup

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")

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
    monkeypatch.setattr("fsmkit.inspector.talking.dispatcher.LOOP_PATIENCE", PATIENCE)


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no chromium on the PATH")
    playwright.expect.set_options(timeout=PATIENCE / 2 * 1000)
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield chromium
        chromium.close()


class Show:
    """A running game, and a page that shows it.

    The machines belong to the thread of the game: from outside, use `post_event` and `do`.
    """

    def __init__(self, browser: Any, machines: Fsm[Any] | FsmGroup, **options: Any) -> None:
        self.machines = machines
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
            self.machines.update(DT)
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

    def begin(machines: Fsm[Any] | FsmGroup, **options: Any) -> Show:
        shows.append(Show(browser, machines, **options))
        return shows[-1]

    yield begin
    for each in shows:
        each.context.close()
        later(each.end)
    assert [complaint for each in shows for complaint in each.complaints] == []
