"""Files of snapshots: written wholly or not at all, and read with care."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fsmkit import Fsm
from fsmkit.recording import (
    SnapshotError,
    SnapshotMismatchError,
    load_snapshot,
    save_snapshot,
)
from fsmkit.terminal import atomic_file
from fsmkit.terminal.atomic_file import write_atomically

posix = pytest.mark.skipif(os.name != "posix", reason="signals and modes are those of POSIX")


def door() -> Fsm:
    fsm = Fsm("门 🚪")
    fsm.add_state("Closed").add_transition("OPEN", fsm.add_state("Open \ud800"))
    return fsm


def test_a_machine_is_saved_to_a_file_and_loaded_again(tmp_path: Path) -> None:
    fsm, other = door(), door()
    fsm.start()
    fsm.send_event("OPEN")
    save_snapshot(fsm, tmp_path / "save.json")
    load_snapshot(other, str(tmp_path / "save.json"))
    assert other.current_state.name == "Open \ud800"
    assert [path.name for path in tmp_path.iterdir()] == ["save.json"]


def test_the_hooks_are_those_of_snapshot_and_restore(tmp_path: Path) -> None:
    fsm, other = door(), door()
    fsm.start()
    fsm.send_event("OPEN", 3 + 4j)
    save_snapshot(fsm, tmp_path / "save.json", encode=str)
    other.add_state("New")
    load_snapshot(other, tmp_path / "save.json", decode=complex, migrate=lambda data: data)
    assert other.event_data == 3 + 4j


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a snapshot, or is damaged"),
        (b"\x89PNG\r\n", "not a snapshot, or is damaged"),
        (b'{"format": "fsmkit snap', "not a snapshot, or is damaged"),
        (b"[" * 100_000, "not a snapshot, or is damaged"),
        (b"[1, 2]", "not a snapshot"),
    ],
)
def test_a_foreign_or_damaged_file_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "save.json"
    path.write_bytes(content)
    with pytest.raises(SnapshotError, match=reason) as caught:
        load_snapshot(door(), path)
    assert "save.json" in "".join([str(caught.value), *getattr(caught.value, "__notes__", ())])


def test_a_file_of_another_machine_is_a_mismatch(tmp_path: Path) -> None:
    save_snapshot(door(), tmp_path / "save.json")
    with pytest.raises(SnapshotMismatchError, match="is missing"):
        load_snapshot(Fsm("Window"), tmp_path / "save.json")


def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "save.json"
    save_snapshot(door(), path)
    content = path.read_bytes()
    for length in range(0, len(content) - 1, 7):
        path.write_bytes(content[:length])
        with pytest.raises(SnapshotError):
            load_snapshot(door(), path)


def test_a_file_that_is_not_there_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_snapshot(door(), tmp_path / "save.json")


def test_what_cannot_be_saved_leaves_the_old_file(tmp_path: Path) -> None:
    fsm = door()
    save_snapshot(fsm, tmp_path / "save.json")
    before = (tmp_path / "save.json").read_bytes()
    fsm.post_event("X", object())
    with pytest.raises(SnapshotError):
        save_snapshot(fsm, tmp_path / "save.json")
    assert (tmp_path / "save.json").read_bytes() == before


# Writing atomically


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.txt", "门\r\n")
    assert (tmp_path / "a.txt").read_bytes() == "门\r\n".encode()


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_atomically(path, b"old")
    with pytest.raises(TypeError):
        write_atomically(path, 5)  # type: ignore[arg-type]
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a.txt", b"old")]


@posix
def test_the_mode_of_the_file_and_a_link_to_it_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "a.txt", tmp_path / "link"
    write_atomically(path, b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)


WRITER = """
import os, sys
from fsmkit.terminal.atomic_file import write_atomically
moment, path = sys.argv[1:]
def die(*_):
    os.kill(os.getpid(), 9)
original = os.write, os.fsync, os.replace
if moment == "before it is on the disk":
    os.fsync = die
elif moment == "before it is in its place":
    os.replace = die
elif moment == "right after":
    os.replace = lambda *paths: (original[2](*paths), die())
if moment == "at any time":
    print(flush=True)
    while True:
        write_atomically(path, b"old" * 1_000_000)
        write_atomically(path, b"new" * 1_000_000)
write_atomically(path, b"new" * 1_000_000)
"""


def run_writer(moment: str, path: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, moment, path], stdout=subprocess.PIPE)


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("before it is on the disk", b"old"),
        ("before it is in its place", b"old"),
        ("right after", b"new" * 1_000_000),
    ],
)
def test_a_process_killed_while_writing_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, moment: str, expected: bytes
) -> None:
    path = tmp_path / "save.json"
    path.write_bytes(b"old")
    with run_writer(moment, path) as writer:
        assert writer.wait() == -signal.SIGKILL
    assert path.read_bytes() == expected


@pytest.mark.slow
@posix
@pytest.mark.parametrize("delay", [0.001, 0.004, 0.013, 0.03, 0.05])
def test_a_process_killed_at_any_time_leaves_a_whole_file(tmp_path: Path, delay: float) -> None:
    path = tmp_path / "save.json"
    path.write_bytes(b"old" * 1_000_000)
    with run_writer("at any time", path) as writer:
        assert writer.stdout
        writer.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(delay)
        writer.kill()
    assert path.read_bytes() in (b"old" * 1_000_000, b"new" * 1_000_000)


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".tmp"))


@pytest.mark.slow
@posix
def test_what_a_killed_process_has_left_is_removed_by_the_next_save(tmp_path: Path) -> None:
    path = tmp_path / "save.json"
    for moment in ("before it is on the disk", "before it is in its place"):
        with run_writer(moment, path) as writer:
            writer.wait()
        assert len(left_over(tmp_path)) == 1
    write_atomically(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["save.json"]


def test_only_what_is_left_of_that_file_is_removed(tmp_path: Path) -> None:
    others = [
        ".save.json.tmp", ".save.json.mine.tmp", ".save.json.0123456z.tmp", ".other.0123abcd.tmp",
        ".save.json.bak.0123abcd.tmp", "save.json.0123abcd.tmp", ".saveXjson.0123abcd.tmp",
    ]  # fmt: skip
    for name in (*others, ".save.json.0123abcd.tmp"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".save.json.deadbeef.tmp").mkdir()
    write_atomically(tmp_path / "save.json", b"new")
    assert left_over(tmp_path) == sorted([*others, ".save.json.deadbeef.tmp"])


HOLDER = """
import os, sys
from fsmkit.terminal import atomic_file
def wait(_):
    print(flush=True)
    sys.stdin.readline()
atomic_file.os.fsync = wait
atomic_file.write_atomically(sys.argv[1], b"slow")
"""


@pytest.mark.slow
def test_what_another_process_is_just_writing_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "save.json"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdin
        assert holder.stdout
        holder.stdout.readline()
        write_atomically(path, b"fast")
        assert (path.read_bytes(), len(left_over(tmp_path))) == (b"fast", 1)
        holder.communicate(b"\n\n\n")
    assert (holder.returncode, path.read_bytes(), left_over(tmp_path)) == (0, b"slow", [])


def test_a_file_that_is_taken_for_a_left_over_is_written_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, sweeps = tmp_path / "save.json", []

    def swept(temporary: Path, target: Path) -> Path:
        if len(sweeps) < tries:
            sweeps.append(temporary)
            temporary.unlink()
        return replace(temporary, target)

    replace = Path.replace
    monkeypatch.setattr(Path, "replace", swept)
    tries = 3
    write_atomically(path, b"new")
    assert (path.read_bytes(), len(sweeps), left_over(tmp_path)) == (b"new", 3, [])
    tries = 99
    with pytest.raises(OSError, match="keep removing its temporary file"):
        write_atomically(path, b"newer")
    assert (path.read_bytes(), left_over(tmp_path)) == (b"new", [])


def test_without_locks_what_is_left_is_removed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_file, "fcntl", None)  # as on Windows
    (tmp_path / ".save.json.0123abcd.tmp").write_bytes(b"half")
    write_atomically(tmp_path / "save.json", b"new")
    write_atomically(tmp_path / "save.json", b"newer")
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"newer"]


def test_many_threads_may_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "save.json"
    contents = [str(number).encode() * 1000 for number in range(4)]

    def write(content: bytes) -> None:
        for _ in range(20):
            write_atomically(path, content)

    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(write, content) for content in contents]:
            done.result()
    assert path.read_bytes() in contents
    assert left_over(tmp_path) == []


@pytest.mark.parametrize(
    ("owner", "name", "number"),
    [
        (os, "fsync", errno.ENOSPC),
        (os, "fsync", errno.EDQUOT),
        (Path, "open", errno.EACCES),
        (Path, "open", errno.EROFS),
        (Path, "replace", errno.EACCES),
    ],
)
def test_a_full_disk_or_a_folder_that_is_read_only_leaves_the_old_file_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str, number: int
) -> None:
    path = tmp_path / "save.json"
    save_snapshot(door(), path)
    before = path.read_bytes()

    def refuse(handle: object, *_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), *([str(handle)] if owner is Path else []))

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, refuse)
        with pytest.raises(
            OSError, match=re.escape(f"{os.strerror(number)}: {str(path)!r}")
        ) as caught:
            save_snapshot(door(), path)
    assert caught.value.errno == number
    assert (path.read_bytes(), left_over(tmp_path)) == (before, [])


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere.save\.json'$"):
        save_snapshot(door(), tmp_path / "nowhere" / "save.json")


def test_a_save_is_plain_json(tmp_path: Path) -> None:
    save_snapshot(door(), tmp_path / "save.json")
    assert json.loads((tmp_path / "save.json").read_text())["format"] == "fsmkit snapshot"
