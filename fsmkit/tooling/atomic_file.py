"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Write the file at `path`, so that anyone who opens it finds the old content or the new.

    This holds even if the process is killed or the power fails: the content goes to a second file
    in the same folder, which replaces the first once it is safely on the disk. (A killed process
    may leave the second file behind: `.NAME.*.tmp`.) Text is written as UTF-8. If the file cannot
    be written, raises OSError and leaves the old one.
    """
    target = Path(path).resolve()  # or a link would be replaced rather than its target
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "The path of a file must not be a folder", str(path))
    temporary = target.with_name(f".{target.name}.{token_hex(4)}.tmp")
    try:
        _write(temporary, content.encode() if isinstance(content, str) else content)
        with suppress(FileNotFoundError):
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Flush the new name of the file to the disk; Windows does that by itself."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot do that
            raise
    finally:
        os.close(handle)
