"""Computers without a home, and without a folder for temporary files."""

from pathlib import Path

import pytest

from fsmkit import Fsm
from fsmkit.inspector.live.recorder import LiveRecorder


def no_folder(*_wishes: object, **_more: object) -> str:
    raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_the_inspector_says_that_it_makes_no_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmkit.inspector.live.recorder.mkstemp", no_folder)
    with pytest.warns(RuntimeWarning) as warned:
        recorder = LiveRecorder(Fsm("Door"), wanted=None)
    [warning] = warned
    assert str(warning.message) == (
        "The inspector makes no recording, as it has no folder for it: No usable temporary "
        "directory found in ['/tmp']. Set TMPDIR to a folder that can be written to, or pass "
        "record=False."
    )
    assert (recorder.path, recorder.ends(), recorder.stop()) == (None, False, False)
    recorder.close()


def test_a_recording_that_was_asked_for_is_an_error_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fsmkit.inspector.live.recorder.mkstemp", no_folder)
    message = "The inspector has no folder to record in: No usable temporary directory"
    with pytest.raises(FileNotFoundError, match=message):
        LiveRecorder(Fsm("Door"), wanted=True)


def test_a_crowd_without_any_folder_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="numba is not installed (the extra crowd)")
    from fsmkit.crowd.engine import compiled

    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr(compiled, "gettempdir", no_folder)
    with pytest.raises(OSError, match=r"can be written to\. Set NUMBA_CACHE_DIR to one that can"):
        compiled.load("x = 1")


def test_shards_do_not_start_a_frozen_program_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="numba is not installed (the extra crowd)")
    from fsmkit.crowd.errors import CrowdError
    from fsmkit.crowd.shards.processes import WorkerProcess

    monkeypatch.setattr("sys.frozen", True, raising=False)
    with pytest.raises(CrowdError, match="a frozen program has none. Use InProcessShards"):
        WorkerProcess(object)
