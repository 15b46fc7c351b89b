"""The file of a shard: its columns as npz. They are written and read one by one."""

from __future__ import annotations

import os
from hashlib import file_digest
from pathlib import Path
from typing import Any

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np


def write(path: str | Path, columns: dict[str, Any]) -> str:
    """Write the columns to a new file, and see to it that it is on the disk; return its hash.

    The manifest of the checkpoint makes the file count; what is cut short is never read. Raises
    OSError.
    """
    with Path(path).open("w+b") as file:
        np.savez(file, **columns)
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        return file_digest(file, "sha256").hexdigest()


def hash_of(path: str | Path) -> str:
    """Return the hash of a file. Raises OSError."""
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def read(path: str | Path, expected: str) -> dict[str, Any]:
    """Return the columns in the file. No code in it is run.

    Raises CrowdError unless it has the hash that was `expected`, OSError if it cannot be read.
    """
    if hash_of(path) != expected:
        raise CrowdError(f"{str(path)!r} is damaged: it is not the file that the checkpoint names.")
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
