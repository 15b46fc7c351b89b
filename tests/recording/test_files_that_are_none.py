"""Pipes, devices and sockets in the place of a file: written to or refused, not replaced."""

import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fsmkit import Fsm
from fsmkit.recording import Recording, save_snapshot
from fsmkit.terminal.atomic_file import write_atomically

if os.name != "posix":
    pytest.skip("such files are those of POSIX", allow_module_level=True)


def lamp() -> Fsm[Any]:
    fsm = Fsm("Lamp")
    fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    fsm.states["On"].add_transition("PRESS", "Off")
    fsm.start()
    return fsm


def save_recording(path: Path) -> None:
    fsm = lamp()
    with Recording(fsm) as recording:
        fsm.send_event("PRESS")
    recording.save(path)


def record(path: Path) -> None:
    fsm = lamp()
    with Recording(fsm, path):
        fsm.send_event("PRESS")


def record_the_last_seconds(path: Path) -> None:
    fsm = lamp()
    fsm.on_unhandled = "raise"
    with Recording(fsm, path, limit=5.0), pytest.raises(Exception, match="OOPS"):
        fsm.send_event("OOPS")


def save_columns(path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    write_atomically(path, lambda file: numpy.savez(file, one=numpy.arange(3)))


WRITERS: dict[str, Callable[[Path], object]] = {
    "write_atomically": lambda path: write_atomically(path, "content " * 20_000),
    "save_snapshot": lambda path: save_snapshot(lamp(), path),
    "Recording.save": save_recording,
    "Recording": record,
    "Recording(limit=)": record_the_last_seconds,
    "columns": save_columns,
}

every_writer = pytest.mark.parametrize("writer", WRITERS)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture(params=["itself", "by a link"])
def path(request: pytest.FixtureRequest, pipe: Path) -> Path:
    if request.param == "itself":
        return pipe
    link = pipe.with_name("link")
    link.symlink_to(pipe)
    return link


@pytest.fixture
def read(pipe: Path) -> Iterator[list[bytes]]:
    """Reads the pipe to its end, in a thread; the list has what was read once it is joined."""

    def read_all() -> None:
        with os.fdopen(reader, "rb") as file:
            os.set_blocking(reader, True)
            found.append(file.read())

    found: list[bytes] = []
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(pipe, os.O_WRONLY)  # so that its end comes when the test says so
    thread = threading.Thread(target=read_all, daemon=True)
    thread.start()
    yield found
    os.close(writer)
    thread.join(10.0)
    assert len(found[0]) > 100


@every_writer
def test_a_pipe_gets_the_content_and_stays_a_pipe(
    writer: str, path: Path, pipe: Path, read: list[bytes]
) -> None:
    WRITERS[writer](path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert {each.name for each in pipe.parent.iterdir()} <= {"pipe", "link"}


@every_writer
def test_a_pipe_that_nobody_reads_is_refused_at_once(
    writer: str, path: Path, pipe: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if writer == "Recording(limit=)":  # which writes later: the game must not notice
        WRITERS[writer](path)
        assert "Nobody reads from this pipe" in caplog.text
    else:
        with pytest.raises(OSError, match="Nobody reads from this pipe"):
            WRITERS[writer](path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@every_writer
def test_a_device_stays_a_device(writer: str, tmp_path: Path) -> None:
    link = tmp_path / "nowhere"
    link.symlink_to("/dev/null")
    WRITERS[writer](link)
    assert (link.readlink(), Path("/dev/null").is_char_device()) == (Path("/dev/null"), True)
    assert [each.name for each in tmp_path.iterdir()] == ["nowhere"]


@every_writer
def test_a_socket_is_refused(writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(OSError, match="The path of a file must not be a socket"):
            WRITERS[writer](tmp_path / "socket")
    assert Path("socket").is_socket()


@every_writer
def test_a_folder_is_refused(writer: str, tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        WRITERS[writer](tmp_path)


@every_writer
def test_an_open_file_whose_name_is_gone_is_written_to(writer: str, tmp_path: Path) -> None:
    named = Path("/proc/self/fd")
    if not named.exists():
        pytest.skip("needs /proc")
    with (tmp_path / "gone").open("w+b") as file:
        (tmp_path / "gone").unlink()
        WRITERS[writer](named / str(file.fileno()))
        assert len(file.read()) > 100
    assert [*tmp_path.iterdir()] == []


# Commands

GUARD = """
from fsmkit import Fsm

def build():
    fsm = Fsm("Guard")
    fsm.add_state("Patrol").add_transition("SEEN", fsm.add_state("Alarm"))
    fsm.states["Alarm"].add_transition("LOST", "Patrol")
    return fsm
"""


@pytest.mark.parametrize("arguments", [("draw",), ("record", "--seconds", "1")])
def test_a_command_writes_into_a_pipe(
    arguments: tuple[str, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    kind = ".mmd" if arguments[0] == "draw" else ".jsonl"
    pipe, guard = tmp_path / f"pipe{kind}", tmp_path / "guard.py"
    guard.write_text(GUARD)
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    name, *options = arguments
    exit_code, lines, errors = command(name, str(guard), *options, "-o", str(pipe))
    with os.fdopen(reader, "rb") as file:
        found.append(file.read())
    assert (exit_code, errors) == (0, []), lines
    assert (pipe.is_fifo(), len(found[0]) > 50) == (True, True)
    exit_code, _, errors = command(name, str(guard), *options, "-o", str(pipe))
    assert exit_code != 0
    assert "Nobody reads from this pipe" in " ".join(errors)
