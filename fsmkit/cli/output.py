"""Files that commands write, and what they say about it."""

from __future__ import annotations

from fsmkit.cli.errors import CommandError
from fsmkit.tooling.atomic_file import write_atomically


def write_file(path: str, content: str | bytes, what: str = "") -> None:
    """Write a file, and print that it has been written. Raises CommandError if that fails.

    `what` says what there is in it.
    """
    try:
        write_atomically(path, content)
    except OSError as error:
        raise CommandError(f"{path!r} cannot be written: {error.strerror}.") from None
    print(f"{what}, written to {path}." if what else f"Written to {path}.")
