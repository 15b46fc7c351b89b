"""Every request gets exactly one answer, however many are sent at once."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any, cast

import pytest

from fsmkit import Fsm
from fsmkit.inspector.conversation import Dispatcher
from fsmkit.inspector.live.mailbox import MOST_ANSWERS
from fsmkit.inspector.live.session import Session

PATIENCE = 60.0


def lamp() -> Fsm[None]:
    fsm = Fsm[None]("Lamp")
    fsm.add_state("Off")
    fsm.start()
    return fsm


def answers(page: Any, count: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    end = monotonic() + PATIENCE
    while len(found) < count and monotonic() < end:
        page.update()
        try:
            message = json.loads(page.socket.recv(timeout=0.005))
        except TimeoutError:
            continue
        if message["type"] == "answer":
            found.append(message)
    return found


@pytest.mark.slow
def test_a_thousand_requests_at_once_are_all_answered_once(inspected: Callable[..., Any]) -> None:
    page = inspected(lamp())
    page.ask("pause")
    before = page.inspector.session.updates
    for number in range(1_000, 2_000):
        page.socket.send(json.dumps({"id": number, "do": "step"}))
    found = answers(page, 1_000)
    ids = Counter(answer["id"] for answer in found)
    assert ids == Counter(range(1_000, 2_000))
    made = sum("error" not in answer for answer in found)
    for _ in range(made):
        page.update()
    assert page.inspector.session.updates - before == made
    assert page.ask("resume")["ok"]


@pytest.mark.slow
def test_malformed_messages_at_once_are_all_refused(inspected: Callable[..., Any]) -> None:
    page = inspected(lamp())
    for number in range(MOST_ANSWERS * 3):
        page.socket.send(json.dumps({"id": number, "do": "nonsense"}))
    found = answers(page, MOST_ANSWERS * 3)
    assert sorted(answer["id"] for answer in found) == [*range(MOST_ANSWERS * 3)]
    assert all(answer["error"].startswith("There is no request") for answer in found)


class DeafSocket:
    """A page that asks again and again, and takes nothing."""

    def __init__(self) -> None:
        self.received = 0

    async def accept(self) -> None:
        pass

    async def receive(self) -> dict[str, Any]:
        self.received += 1
        return {"type": "websocket.receive", "text": '{"id": 1, "do": "nonsense"}'}

    async def send_text(self, _text: str) -> None:
        await asyncio.Event().wait()


def test_a_page_that_asks_and_never_reads_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    from fsmkit.inspector import server

    monkeypatch.setattr(server, "READING_PATIENCE", 0.01)
    session = Session(lamp(), rate=30.0, record=False, while_held=None, signal=None)
    socket = DeafSocket()

    async def serve() -> None:
        requests = Dispatcher(session, read_only=False, run="first")
        await server.PageConnection(cast("Any", socket), requests).run()

    with ThreadPoolExecutor(1) as pool:  # there may be an event loop in this thread
        pool.submit(lambda: asyncio.run(serve())).result()
    assert socket.received == MOST_ANSWERS
    session.close()
