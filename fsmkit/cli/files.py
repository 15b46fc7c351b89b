"""Files that commands read and write; a file that cannot be read or written is a CommandError."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from fsmkit.cli.command_errors import CommandError
from fsmkit.introspection.blocks import block
from fsmkit.terminal.atomic_file import check_target, is_written_to, write_atomically

if TYPE_CHECKING:
    from fsmkit.recording import Recording


@block
def reading(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CommandError(f"{path!r} cannot be read: {error.strerror}.") from None


@block
def writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CommandError(f"{path!r} cannot be written: {error.strerror}.") from None


def read_recording(path: str) -> Recording:
    """Load the recording at `path`; of a damaged one, the good part."""
    from fsmkit.recording import Recording, RecordingError  # here, as most commands read none

    try:
        with reading(path):
            return Recording.load(path)
    except RecordingError as error:
        raise CommandError(str(error)) from None


def kind_of(output: str, kinds: Iterable[str]) -> str:
    kind = Path(output).suffix.lower()
    if kind not in kinds:
        raise CommandError(
            f"-o {output!r}: the extension must be one of {', '.join(kinds)}, got {kind or 'none'}."
        )
    return kind


def write_file(path: str, content: str | bytes, contents: str = "") -> None:
    """Write a file, and print that it has been written; `contents` describes it in words."""
    with writing(path):
        write_atomically(path, content)
    print(f"{contents}, written to {path}." if contents else f"Written to {path}.")


def check_free(*paths: Path) -> None:
    for path in paths:
        if path.exists():
            raise CommandError(f"{str(path)!r} exists already. Choose another name, or move it.")


def check_writable(path: str) -> None:
    """Check that a file could be written there, without writing it."""
    with writing(path):
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        check_target(path)
        if is_written_to(path):
            return
        with TemporaryFile(dir=Path(path).resolve().parent):
            pass
