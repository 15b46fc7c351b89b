"""The recording that the inspector keeps, and its download while it grows."""

import json
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.recording import Recording, replay

DT = 1 / 64


def build() -> Fsm[None]:
    fsm = Fsm("Guard", on_unhandled="ignore")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    for state, other in (patrol, rest), (rest, patrol):
        state.add_action(TimedWait(0.5))
        state.add_transition(FINISHED, other)
    patrol.add_transition("TIRED", rest)
    return fsm


def running() -> Fsm[None]:
    fsm = build()
    fsm.start()
    return fsm


def test_it_replays(inspected: Callable[..., Any], tmp_path: Path) -> None:
    fsm = build()
    page = inspected(fsm)
    fsm.start()
    page.ask("speed", factor=2.0)
    page.ask("send", machine="Guard", event="TIRED")
    page.ask("force", machine="Guard", state="Patrol")
    path = page.inspector.session.recorder.path
    (tmp_path / "guard.jsonl").write_bytes(fetch(f"{page.inspector.url}recording")[1])
    recording = Recording.load(tmp_path / "guard.jsonl")
    assert [step.call for step in recording.steps if step.call != "update"] == [
        "start", "offer_event", "start",
    ]  # fmt: skip
    assert str(replay(build, recording)) == f"{len(recording.steps)} steps, all equal"
    page.inspector.close()
    assert not Path(path).exists()


def test_it_replays_a_machine_that_was_suspended(
    inspected: Callable[..., Any], tmp_path: Path
) -> None:
    group = FsmGroup([build(), build()])
    page = inspected(group)
    for fsm in group:
        fsm.start()
    page.ask("suspend", machine="Guard", on=True)
    for _ in range(40):
        page.update()
    page.ask("send", machine="Guard", event="TIRED")
    page.ask("suspend", machine="Guard", on=False)
    for _ in range(8):
        page.update()
    (tmp_path / "guards.jsonl").write_bytes(fetch(f"{page.inspector.url}recording")[1])
    recording = Recording.load(tmp_path / "guards.jsonl")
    found = replay(lambda: FsmGroup([build(), build()]), recording)
    assert str(found) == f"{len(recording.steps)} steps, all equal"


def test_many_machines_are_recorded_only_on_request(
    inspected: Callable[..., Any],
) -> None:
    group = FsmGroup(running() for _ in range(40))
    assert not inspected(group).hello["recorded"]


@pytest.mark.slow
def test_it_is_downloaded_in_whole_lines_while_it_grows(inspected: Callable[..., Any]) -> None:
    group = FsmGroup(running() for _ in range(20))
    page = inspected(group)
    for _ in range(200):
        group.update(DT)
    with ThreadPoolExecutor() as pool:
        download = pool.submit(fetch, f"{page.inspector.url}recording")
        while not download.done():
            group.update(DT)
    response, content = download.result()
    assert response["content-disposition"] == 'attachment; filename="20_machines.jsonl"'
    assert content.endswith(b"\n")
    assert len([json.loads(line) for line in content.splitlines()]) > 20 * 200


def fetch(address: str) -> tuple[dict[str, str], bytes]:
    with urllib.request.urlopen(address, timeout=60) as response:
        return dict(response.headers.items()), response.read()


def test_an_incomplete_line_is_left_out(tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    from fsmkit.inspector.live.recorder import PART, whole_lines

    path = tmp_path / "some.jsonl"
    for text, whole in {"": 0, "a": 0, "a\n": 2, "a\nbc": 2, "a\n" + "b" * 2 * PART: 2}.items():
        path.write_text(text, "utf-8")
        size, parts = whole_lines(path)
        with path.open("a", encoding="utf-8") as file:
            file.write("more\n")
        assert (size, b"".join(parts)) == (whole, text[:whole].encode())


def test_it_ends_when_the_file_is_full() -> None:
    from fsmkit.inspector.live.recorder import LiveRecorder, recording_so_far

    fsm = running()
    recorder = LiveRecorder(fsm, wanted=True, longest=10_000)
    assert recorder.path is not None
    ended = []
    for _ in range(200):
        fsm.update(DT)
        ended.append(recorder.ends())
    assert ended.count(True) == 1
    steps = Recording.load(recorder.path).steps
    assert len(steps) == ended.index(True) + 1
    assert 10_000 <= recorder.path.stat().st_size < 10_500
    size, parts = recording_so_far(recorder.path)
    assert (size, b"".join(parts)) == (recorder.path.stat().st_size, recorder.path.read_bytes())
    recorder.close()


def test_the_log_says_when_it_has_ended(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.inspector.session.recorder.longest = 10_000
    for _ in range(200):
        fsm.update(DT)
    frame = page.frame(lambda frame: any(e["kind"] == "note" for e in frame["log"]))
    assert [entry["text"] for entry in frame["log"] if entry["kind"] == "note"] == [
        "the recording ends here: its file has reached 0.01 MB"
    ]
    assert frame["recorded"]
