"""What an error in the code of a user says: the error, and the line of his code."""

from __future__ import annotations

from collections.abc import Iterator
from traceback import extract_tb

from fsmkit.core.words.notes import traceback_of
from fsmkit.tooling.code_place import is_of_user, shown_path
from fsmkit.tooling.described_error import described_error


def described_fault(error: BaseException) -> str:
    """Return lines that say what `error` is and where it was raised, without a traceback."""
    return "\n".join(f"  {line}" for line in _lines(error))


def _lines(error: BaseException) -> Iterator[str]:
    yield from described_error(error).splitlines()
    if isinstance(error, SyntaxError):  # it shows the line
        return
    for call in reversed(extract_tb(traceback_of(error))):
        if is_of_user(call.filename):
            yield f"in {shown_path(call.filename)}, line {call.lineno}, {call.name}"
            return
