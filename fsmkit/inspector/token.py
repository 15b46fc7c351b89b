"""The token in the page's address, which stays the same when the program is started again.

It is kept in a file that its user alone can read. A file that anybody else could have read or
written, or that holds anything but a token, is not used: a new one takes its place.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from tempfile import mkstemp
from typing import Final

from fsmkit.core.checks import arguments

VARIABLE: Final = "FSMKIT_INSPECTOR_TOKEN"
"""The environment variable that gives the token, instead of the file."""

PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{16,128}", re.ASCII)
"""It is a part of an address, and must not be guessed."""

LARGEST: Final = 1_000
"""Bytes read of the file."""

_IS_POSIX: Final = os.name == "posix"


def token_for(given: str | None) -> str:
    """Return the given token, else that of the environment, else the user's own.

    Raises TypeError and ValueError for one that cannot be a token.
    """
    if given is not None:
        return _checked(given, "token")
    if in_environment := os.environ.get(VARIABLE):
        return _checked(in_environment, VARIABLE)
    return _kept_token()


def _checked(token: object, what: str) -> str:
    if not isinstance(token, str):
        raise TypeError(f"{what} must be a string or None, got {arguments.shown(token)}.")
    if not PATTERN.fullmatch(token):  # not shown: it is a secret, even if it is too short
        raise ValueError(
            f"{what} must be 16 to 128 letters, digits, '-' or '_', got {len(token)} characters. "
            "secrets.token_urlsafe() makes one; without one, the user's own is used."
        )
    return token


def _kept_token() -> str:
    """Return the user's token, kept for the next time; one for this time if it cannot be kept."""
    with suppress(OSError, RuntimeError):  # RuntimeError: the user has no home
        path = _folder() / "inspector-token"
        return _read(path) or _write(path)
    return token_urlsafe(24)


def _folder() -> Path:
    given = os.environ.get("XDG_STATE_HOME" if _IS_POSIX else "LOCALAPPDATA", "")
    # By the specification of these folders, a relative path is not used.
    base = Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "state"
    return base / "fsmkit"


def _read(path: Path) -> str | None:
    """Return the token in a file; None if there is none, or if it is not the user's secret."""
    # A link could lead to a file of somebody else, and opening a pipe could wait for ever.
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        file = os.open(path, os.O_RDONLY | flags)
    except OSError:
        return None
    with os.fdopen(file, "rb") as reader:
        if not _is_secret(os.fstat(file)):
            return None
        text = reader.read(LARGEST).decode("ascii", "replace").strip()
    return text if PATTERN.fullmatch(text) else None


def _is_secret(found: os.stat_result) -> bool:
    """Return True for a file of the user that nobody else can read or write."""
    if not stat.S_ISREG(found.st_mode):
        return False
    if not _IS_POSIX:
        return True  # there, the folder of the user protects it
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def _write(path: Path) -> str:
    """Keep a new token, or return that of a program that has just done the same.

    Raises OSError if it cannot be kept.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    token = token_urlsafe(24)
    file, draft = mkstemp(prefix=".inspector-token-", dir=path.parent)  # its mode is 0600
    try:
        with os.fdopen(file, "w") as writer:
            writer.write(f"{token}\n")
        try:
            Path(path).hardlink_to(draft)  # complete from the first moment, and by one program
        except OSError:
            if (other := _read(path)) is not None:
                return other
            Path(draft).replace(path)  # what lies there is no secret, or links cannot be made
    finally:
        Path(draft).unlink(missing_ok=True)
    return token
