"""The inspector without a server: pages that are joined by function calls."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.inspector.conversation import LARGEST_SNAPSHOT, MOST_OPEN
from fsmkit.inspector.local import LocalInspector, LocalPage, Reply

DT = 1 / 64


def lamp() -> Fsm[None]:
    fsm = Fsm("Lamp", on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESSED", on)
    on.add_action(TimedWait(3 * DT))
    on.add_transition(FINISHED, off)
    fsm.start()
    return fsm


def taken(page: LocalPage) -> list[dict[str, Any]]:
    messages = []
    while (text := page.take()) is not None:
        messages.append(json.loads(text))
    return messages


def ask(page: LocalPage, do: str, **arguments: Any) -> None:
    page.send(json.dumps({"id": do, "do": do, **arguments}))


class Held:
    """A signal: while the loop waits, what is planned is done."""

    def __init__(self, *plan: Callable[[], object]) -> None:
        self.plan = list(plan)

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def wait(self, timeout: float) -> None:
        if self.plan:
            self.plan.pop(0)()


@pytest.mark.slow
def test_it_needs_no_package_of_the_extra_and_no_thread() -> None:
    code = """
import sys, threading
for package in "starlette", "uvicorn", "websockets", "anyio":
    sys.modules[package] = None
from fsmkit import Fsm
from fsmkit.inspector.local import LocalInspector
lamp = Fsm("Lamp")
lamp.add_state("Off")
lamp.start()
inspector = LocalInspector(lamp)
page = inspector.open()
lamp.update(0.02)
print(page.take()[:16], threading.active_count(), "asyncio" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == '{"type": "hello" 1 False\n'


def test_a_page_gets_a_greeting_then_frames_and_answers_before_their_effect() -> None:
    fsm = lamp()
    with LocalInspector(fsm, rate=60.0) as inspector:
        news: list[str] = []
        page = inspector.open(lambda: news.append("news"))
        ask(page, "send", machine="Lamp", event="PRESSED")
        assert [message["type"] for message in taken(page)] == ["hello"]
        assert not news
        fsm.update(DT)
        answer, frame = taken(page)
    assert news == ["news", "news"]
    assert answer == {"type": "answer", "id": "send", "ok": True, "outcome": answer["outcome"]}
    assert (frame["type"], frame["detail"]["state"]) == ("frame", "On")


@pytest.mark.slow
def test_a_page_that_takes_nothing_gets_what_it_missed_in_one_message() -> None:
    fsm = lamp()
    with LocalInspector(fsm, rate=60.0) as inspector:
        page = inspector.open()
        fsm.update(DT)
        taken(page)
        for _ in range(200):
            ask(page, "send", machine="Lamp", event="PRESSED")
            fsm.update(DT)
        messages = taken(page)
    [frame] = [message for message in messages if message["type"] == "frame"]
    assert frame["dropped"] > 100
    assert len([entry for entry in frame["log"] if entry["kind"] == "enter"]) > 100


def test_a_page_may_not_have_too_many_requests_waiting() -> None:
    fsm = lamp()
    with LocalInspector(fsm) as inspector:
        page = inspector.open()
        page.take()
        for _ in range(MOST_OPEN + 1):
            ask(page, "step")
        [refused] = taken(page)
        assert refused["error"] == "Too many requests at once. Wait for their answers."
        fsm.update(DT)
        assert len([each for each in taken(page) if each.get("ok")]) == MOST_OPEN


def test_a_request_that_the_loop_leaves_waiting_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fsmkit.inspector.conversation.LOOP_PATIENCE", 0.0)
    fsm = lamp()
    with LocalInspector(fsm) as inspector:
        page = inspector.open()
        page.take()
        ask(page, "pause")
        [late] = taken(page)
        assert late["error"] == "No answer for 0 s: the loop is not updating the machine."
        fsm.update(DT)
        assert not inspector.session.clock.paused


def test_a_closed_page_is_sent_nothing_more() -> None:
    fsm = lamp()
    with LocalInspector(fsm, rate=60.0) as inspector:
        page, other = inspector.open(), inspector.open()
        page.take(), other.take()
        page.close()
        fsm.update(DT)
        assert taken(page) == []
        assert [message["type"] for message in taken(other)] == ["frame"]


def test_snapshots_are_saved_and_loaded() -> None:
    fsm = lamp()
    with LocalInspector(fsm) as inspector:
        replies = list[Reply]()
        inspector.load("snapshot?machine=Lamp", replies.append)
        assert replies == []  # the machine answers in its next update
        fsm.update(DT)
        fsm.send_event("PRESSED")
        [saved] = replies
        assert saved.headers["content-disposition"] == 'attachment; filename="Lamp.json"'
        assert isinstance(saved.body, bytes)
        inspector.load("snapshot?machine=Lamp", replies.append, saved.body)
        fsm.update(DT)
        assert replies[1].status == 200
        assert fsm.current_state is fsm.states["Off"]


def test_what_cannot_be_loaded_is_refused() -> None:
    fsm = lamp()
    bodies = {
        "snapshot": b"no JSON",
        "graph": b"{}",
        "snapshot?file=x": b"{}",
        "snapshot?machine=Lamp": b"x" * (LARGEST_SNAPSHOT + 1),
        "": b"{}",
        "../snapshot": b"{}",
    }
    with LocalInspector(fsm) as inspector:
        replies = list[Reply]()
        for address, body in bodies.items():
            inspector.load(address, replies.append, body)
        inspector.load("nothing", replies.append)
    assert [(reply.status, json.loads(bytes(reply.body))["error"]) for reply in replies] == [
        (400, "A snapshot must be JSON."),
        (400, "'graph' accepts no upload."),
        (400, "'snapshot' has no argument 'file'."),
        (413, "A snapshot must have at most 16,000,000 bytes."),
        (400, "'' accepts no upload."),
        (400, "'../snapshot' accepts no upload."),
        (400, "There is no 'nothing'. Choose one of: graph, recording, snapshot."),
    ]


def test_a_recording_can_be_downloaded_while_it_grows() -> None:
    fsm = lamp()
    with LocalInspector(fsm, record=True) as inspector:
        replies = list[Reply]()
        fsm.update(DT)
        inspector.load("recording", replies.append)
        [reply] = replies
        lines = b"".join(reply.body).splitlines()  # type: ignore[arg-type]
    assert len(lines) > 2
    assert all(json.loads(line) is not None for line in lines)


def test_drawings_may_be_laid_out_by_another_program() -> None:
    fsm = lamp()
    seen: list[str] = []

    def draw(dot: str) -> str:
        seen.append(dot)
        return '<svg viewBox="0 0 1 1"><g id="graph0"></g></svg>'

    with LocalInspector(fsm, draw=draw) as inspector:
        replies = list[Reply]()
        inspector.load("graph?machine=Lamp", replies.append)
        fsm.update(DT)
    assert len(seen) == 1
    assert seen[0].startswith("digraph")
    assert "Lamp__Off" in json.loads(bytes(replies[0].body))["nodes"]  # type: ignore[arg-type]


def test_a_breakpoint_holds_the_call_if_the_program_can_wait() -> None:
    fsm = lamp()
    seen: list[Any] = []
    held = Held(
        lambda: seen.append((fsm.current_state.name, taken(page)[-1]["held"]["target"])),  # type: ignore[union-attr]
        lambda: ask(page, "resume"),
    )
    with LocalInspector(fsm, signal=held) as inspector:
        page = inspector.open()
        ask(page, "break", machine="Lamp", kind="state", name="On", on=True)
        ask(page, "send", machine="Lamp", event="PRESSED")
        fsm.update(DT)
        assert seen == [("Off", "On")]
        assert (fsm.current_state, inspector.session.holding.halt) == (fsm.states["On"], None)


def test_a_breakpoint_pauses_after_the_change_if_the_program_cannot_wait() -> None:
    fsm = lamp()
    with LocalInspector(fsm) as inspector:
        page = inspector.open()
        ask(page, "break", machine="Lamp", kind="state", name="On", on=True)
        fsm.update(DT)
        fsm.post_event("PRESSED")
        fsm.update(DT)
        time = fsm.time
        fsm.update(DT)
        assert (fsm.current_state, fsm.time) == (fsm.states["On"], time)
        stop = inspector.session.status()["stop"]
        assert stop["text"] == "after the breakpoint on 'On'"
        entries = [entry for each in taken(page) for entry in each.get("log", ())]
    assert "the breakpoint on 'On': paused after this update" in [e.get("text") for e in entries]


def test_wrong_machines_and_rates_are_refused() -> None:
    with pytest.raises(TypeError, match="needs an Fsm, an FsmGroup or a Crowd, got 'Lamp'"):
        LocalInspector("Lamp")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match="rate must be a number of frames per second >= 1 and <= 60, got 0"
    ):
        LocalInspector(lamp(), rate=0)
    fsm = lamp()
    with LocalInspector(fsm), pytest.raises(ValueError, match="is already inspected"):
        LocalInspector(fsm)
