"""Recordings that cannot be written: the game continues, with one warning."""

import gc
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from actions import DelegateAction
from fsmkit import Fsm
from fsmkit.recording import Recording, RecordingError, Replay, replay
from fsmkit.recording.replay.steps import CALLS

posix = pytest.mark.skipif(
    os.name != "posix", reason="limits to the size of files, and forks, are POSIX"
)


def lamp(on_update: Callable[[], object] = lambda: None) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Lamp", on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESSED", on)
    on.add_transition("PRESSED", off)
    on.add_action(DelegateAction(None, on_update))
    return fsm


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file grows beyond `size` bytes meanwhile, as on a disk that is full then."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "fsmkit"]


@posix
@pytest.mark.parametrize("keep", [True, False])
def test_on_a_full_disk_the_game_continues(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, keep: bool
) -> None:
    fsm, path = lamp(), tmp_path / "lamp.jsonl"
    with Recording(fsm, path, keep=keep) as recording, full_disk(1000):
        fsm.start()
        for _ in range(50):
            fsm.update(0.5)
    assert (fsm.time, len(recording.steps)) == (25.0, 51 if keep else 0)
    assert recording.fault.startswith(f"{str(path)!r} cannot be written any more: OSError: ")
    (warning,) = warnings(caplog)
    assert warning.startswith(f"Recording: {recording.fault}. The machines go on, and what is kept")
    loaded = Recording.load(path)
    assert loaded.fault.startswith(f"line {len(loaded.steps) + 2} is damaged: ")
    assert len(loaded.steps) > 5
    assert not replay(lamp, path)
    if keep:
        assert replay(lamp, recording)
        recording.save(path)
        assert str(replay(lamp, path)) == "51 steps, all equal"


@posix
def test_on_a_full_disk_the_error_of_a_step_is_raised_itself(tmp_path: Path) -> None:
    def fail() -> None:
        raise KeyError("k" * 2000)

    fsm = lamp(fail)
    with Recording(fsm, tmp_path / "lamp.jsonl") as recording, full_disk(1000):
        fsm.start("On")
        with pytest.raises(KeyError) as raised:
            fsm.update(0.5)
        assert recording.fault
        with pytest.raises(KeyError):
            fsm.update(0.5)
    assert raised.value.__context__ is None
    assert [step.raised[:8] for step in recording.steps] == ["", "KeyError", "KeyError"]


@posix
def test_a_disk_that_is_full_at_the_very_end_does_not_make_detach_fail(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fsm, path = lamp(), tmp_path / "lamp.jsonl"
    recording = Recording(fsm, path)
    fsm.start()
    with full_disk(path.stat().st_size):
        recording.detach()
    recording.detach()
    assert len(warnings(caplog)) == 1
    assert recording.fault
    assert "ends before its recording did" in Recording.load(path).fault


@posix
def test_a_failed_save_is_an_error_and_leaves_the_old_file(tmp_path: Path) -> None:
    fsm, path = lamp(), tmp_path / "lamp.jsonl"
    with Recording(fsm) as recording:
        fsm.start()
        recording.save(path)
        for _ in range(50):
            fsm.update(0.5)
    with full_disk(1000), pytest.raises(OSError, match="File too large"):
        recording.save(path)
    assert recording.fault == ""
    assert [str(step) for step in Recording.load(path).steps] == ["0.00 s  Lamp.start()"]
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_that_cannot_be_begun_is_an_error_and_nothing_is_recorded(tmp_path: Path) -> None:
    fsm = lamp()
    (tmp_path / "file").write_text("")
    places = [tmp_path / "no folder" / "x", tmp_path / "file" / "x", tmp_path]
    if Path("/dev/full").exists():
        places.append(Path("/dev/full"))
    for place in places:
        with pytest.raises(OSError, match="No|Not|Is|Permission"):
            Recording(fsm, place)
    for place in places[:2]:
        with pytest.raises(OSError, match="No such file|Not a directory"):
            Recording(fsm, place, limit=1.0)
    assert fsm._observers_ is None


def test_a_file_that_is_closed_by_others_does_not_disturb_the_game(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fsm = lamp()
    recording = Recording(fsm, tmp_path / "lamp.jsonl")
    recording._output._file.close()
    fsm.start()
    fsm.update(1.0)
    recording.detach()
    assert len(recording.steps) == 2
    assert len(warnings(caplog)) == 1


def test_data_nested_too_deeply_for_a_file_is_described(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(sys.getrecursionlimit() * 2 // 3):
        deep = [deep]
    fsm, path = lamp(), tmp_path / "lamp.jsonl"
    with Recording(fsm, path) as recording:
        fsm.start()
        fsm.send_event("KNOCK", deep)
        fsm.update(1.0)
    assert recording.fault == ""
    loaded = Recording.load(path)
    assert ([step.call for step in loaded.steps], loaded.fault) == (
        ["start", "send_event", "update"], "",
    )  # fmt: skip


# The closing line

SCRIPT = """
import sys
from fsmkit import Fsm
from fsmkit.recording import Recording
fsm = Fsm("Lamp")
fsm.add_state("Off")
recording = Recording(fsm, sys.argv[1], keep=False)
fsm.start()
fsm.update(0.5)
"""


def ended(path: Path, last: str) -> str:
    """Run a program that records and ends so; return what is wrong with its file."""
    program = [sys.executable, "-c", SCRIPT + last, str(path)]
    subprocess.run(program, check=False, stderr=subprocess.DEVNULL)
    return Recording.load(path).fault


@pytest.mark.slow
def test_a_program_that_ends_without_detaching_has_written_everything(tmp_path: Path) -> None:
    path = tmp_path / "lamp.jsonl"
    assert ended(path, "") == ""
    assert ended(path, "raise KeyError") == ""
    if os.name == "posix":
        assert (
            ended(path, "import os\nif not os.fork(): sys.exit()\nos.wait()\nfsm.update(1.0)") == ""
        )
        assert len(Recording.load(path).steps) == 3


@posix
@pytest.mark.parametrize("limit", [None, 5.0])
def test_a_copy_of_the_process_leaves_the_file_to_the_original(
    tmp_path: Path, limit: float | None
) -> None:
    path = tmp_path / "lamp.jsonl"
    recording = Recording(fsm := lamp(), path, limit=limit)
    fsm.start()
    if not (child := os.fork()):
        for dt in (0.5, -1.0):
            with suppress(ValueError):
                fsm.update(dt)
        os._exit(0)
    os.waitpid(child, 0)
    assert limit is None or not path.exists()
    with suppress(ValueError):
        fsm.update(-2.0)
    recording.detach()
    assert [str(step) for step in Recording.load(path).steps] == [
        "0.00 s  Lamp.start()", "0.00 s  Lamp.update(-2.0)",
    ]  # fmt: skip
    assert replay(lamp, path)


@pytest.mark.slow
def test_a_program_that_crashes_leaves_a_file_that_is_replayed_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "lamp.jsonl"
    assert ended(path, "import os; os._exit(1)") == (
        "the file ends before its recording did: it was cut off, or the program ended without "
        "detach()"
    )

    def build() -> Fsm[Any]:
        fsm: Fsm[Any] = Fsm("Lamp")
        fsm.add_state("Off")
        return fsm

    comparison = replay(build, path)
    assert (comparison.difference, comparison.steps, comparison.equal) == (None, 2, False)
    assert str(comparison).startswith("2 steps, all equal; but then the file ends before")
    Recording.load(path).save(path)
    assert replay(build, path)


def test_a_recording_that_nobody_keeps_is_closed(tmp_path: Path) -> None:
    def play() -> None:
        fsm = lamp()
        Recording(fsm, tmp_path / "lamp.jsonl")
        fsm.start()

    play()
    gc.collect()
    assert str(replay(lamp, tmp_path / "lamp.jsonl")) == "1 steps, all equal"


# Damage in what a step says


JUNK: list[Any] = [
    None, True, -1, 1e308, "", "Off", [], [[]], {}, {"$tuple": [1]}, ["On", 0], {"a": 1},
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_no_damage_in_the_arguments_makes_a_replay_fail(tmp_path: Path, call: str) -> None:
    fsm, path = lamp(), tmp_path / "lamp.jsonl"
    with Recording(fsm, path):
        fsm.start()
        fsm.update(0.5)
    lines = path.read_text("utf-8").splitlines()
    names = ["event", "dt", "action", "number", "delay", "state", "delayed", "keep", "data", "what"]
    for name in names:
        for junk in JUNK:
            arguments = {"event": "PRESSED", "action": ["On", 0], name: junk}
            step = {"machine": "Lamp", "call": call, "time": 0.5, "arguments": arguments}
            path.write_text("\n".join([*lines[:3], json.dumps(step), *lines[2:]]), "utf-8")
            try:
                course = Replay(lamp, Recording.load(path))
                course.forward(99)
                str(course.compare())
            except RecordingError:
                pass


def test_a_wrong_post_in_a_file_is_reported_as_a_difference(tmp_path: Path) -> None:
    fsm, path = lamp(), tmp_path / "lamp.jsonl"
    with Recording(fsm, path):
        fsm.start()
        fsm.post_event("PRESSED")
    path.write_text(path.read_text("utf-8").replace('"PRESSED"', "1"), "utf-8")
    replayed = str(replay(lamp, path)).splitlines()
    assert replayed[-3:-1] == [
        "  recorded  0.00 s  Lamp.post_event(1)",
        "  replayed  0.00 s  Lamp.post_event(1)",
    ]
    assert "raised TypeError" in replayed[-1]


@pytest.fixture(autouse=True)
def _all_warnings(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "fsmkit")
