"""What an error in the code of a user says: the error, and the line of his code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from traceback import extract_tb, format_exception_only
from typing import Final

OURS: Final = (Path(__file__).parents[1], Path(__file__).parents[2] / "actions")


def described_fault(error: BaseException) -> str:
    """Return lines that say what `error` is and where it was raised, without a traceback."""
    return "\n".join(f"  {line}" for line in _lines(error))


def _lines(error: BaseException) -> Iterator[str]:
    yield from "".join(format_exception_only(error)).splitlines()
    if isinstance(error, SyntaxError):  # it shows the line
        return
    for call in reversed(extract_tb(error.__traceback__)):
        path = Path(call.filename)
        is_ours = any(path.is_relative_to(folder) for folder in OURS)
        if path.is_file() and not is_ours and "site-packages" not in path.parts:
            yield f"in {path.name}, line {call.lineno}, {call.name}"
            return
