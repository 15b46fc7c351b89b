"""Files that are written completely or not at all.

The content goes to a temporary file in the same folder, which then replaces the old one. A process
that is killed in between leaves the temporary file behind; the next process that writes the same
file removes it. A temporary file is locked (on Windows: open) while it is being written, and the
system releases the lock of a process that ends in any way: one that can be locked is abandoned.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import IO, Final, TypeAlias

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]

MOST_TRIES: Final = 10

Write: TypeAlias = Callable[[IO[bytes]], object]
"""Writes the content of a file into it."""


def write_atomically(path: str | Path, content: str | bytes | Write) -> None:
    """Write the file at `path`, so that every reader finds the old content or the new.

    This holds even if the process is killed or the power fails: the content goes to a second file
    in the same folder, `.NAME.*.tmp`, which replaces the first once it is safely on the disk. The
    next process that writes the file removes the remains of a killed one. Text is written as UTF-8.
    A function writes the content itself, into the file that it is given; it may be called again.

    What is no file that could be replaced, such as a pipe, a terminal or `/dev/stdout`, is written
    to. Raises OSError if the file cannot be written, and leaves the old one; also for a folder, a
    socket, a disk, and a pipe from which nobody reads.
    """
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, "The path of a file must not be a folder", str(path))
    check_target(path)
    write = content if callable(content) else partial(_write, content)
    with _naming_target(path):
        if is_written_to(path):
            _write_into(Path(path), write)
            return
        target = Path(path).resolve()  # otherwise a link would be replaced rather than its target
        _sweep(target)
        for _ in range(MOST_TRIES):
            if _has_replaced(target, write):
                return
    raise OSError(errno.EBUSY, "Other processes keep removing its temporary file", str(path))


def check_target(path: str | Path) -> None:
    """Raise OSError for a socket or a disk: opening a file there would fail, or destroy it."""
    target = Path(path)
    what = "socket" if target.is_socket() else "disk" if target.is_block_device() else None
    if what is not None:
        raise OSError(errno.EINVAL, f"The path of a file must not be a {what}", str(path))


def is_written_to(path: str | Path) -> bool:
    """Whether there is something at `path` that must be written to, as it cannot be replaced.

    That is a pipe or a device, or an open file whose name is gone, as `/dev/fd/3` may be.
    """
    try:
        there = Path(path).stat()
    except OSError:
        return False
    if not stat.S_ISREG(there.st_mode):
        return not stat.S_ISDIR(there.st_mode)
    try:
        return not os.path.samestat(there, Path(path).resolve().stat())
    except OSError:
        return True


def without_waiting(path: str, flags: int) -> int:
    """Open a file, as an `opener` for `open`; OSError for a pipe from which nobody reads.

    Without that, a game that saves to such a pipe would stand still until somebody does.
    """
    if not hasattr(os, "O_NONBLOCK"):
        return os.open(path, flags, 0o666)
    try:
        file = os.open(path, flags | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO and Path(path).is_fifo():
            raise OSError(errno.ENXIO, "Nobody reads from this pipe", path) from None
        raise
    os.set_blocking(file, True)
    return file


def _write_into(path: Path, write: Write) -> None:
    content = BytesIO()  # a function may go back in the file, which nobody can in a pipe
    write(content)
    with open(path, "wb", opener=without_waiting) as file:
        file.write(content.getbuffer())


def _write(content: str | bytes, file: IO[bytes]) -> None:
    file.write(content.encode() if isinstance(content, str) else content)


def _has_replaced(target: Path, write: Write) -> bool:
    """Write a second file and replace `target` by it; False if another process has removed it."""
    temporary = target.with_name(f".{target.name}.{token_hex(4)}.tmp")
    try:
        with _written(temporary, write):
            with suppress(FileNotFoundError):
                temporary.chmod(target.stat().st_mode & 0o7777)
            is_moved = _is_moved(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)
    return is_moved


def _is_moved(temporary: Path, target: Path) -> bool:
    """Replace `target` by the file; False if it is gone, since it seemed to be abandoned."""
    try:
        temporary.replace(target)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _written(path: Path, write: Write) -> Iterator[None]:
    """Write a file, and keep it locked during the block if the system can lock it."""
    with path.open("xb") as file:
        with suppress(OSError):  # without locks, as on some file systems, nothing is swept either
            _lock(file)
        write(file)
        file.flush()
        os.fsync(file.fileno())
        if fcntl is not None:
            yield
            return
    yield  # Windows does not move a file that is open


def _lock(file: IO[bytes]) -> None:
    """Lock a file until it is closed; OSError if that is impossible."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sweep(target: Path) -> None:
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.tmp")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if name.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_unless_in_use(Path(entry.path))


def _remove_unless_in_use(path: Path) -> None:
    with suppress(OSError):
        if fcntl is None:
            path.unlink()  # refused if it is open
            return
        with path.open("r+b") as file:
            _lock(file)
            path.unlink()


@contextmanager
def _naming_target(path: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        if error.filename2 is not None:
            del error.filename2
        raise


def _flush_folder(folder: Path) -> None:
    """Flush the new name of the file to the disk; Windows does that by itself."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot flush
            raise
    finally:
        os.close(handle)
