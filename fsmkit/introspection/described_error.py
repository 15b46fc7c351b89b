"""Described errors: the text that Python would print for an error, without its traceback."""

from __future__ import annotations

from traceback import format_exception_only

from fsmkit.core.words.notes import shown_error


def described_error(error: BaseException) -> str:
    """Return the lines that end a traceback; less if the class of the error fails meanwhile."""
    try:
        return "".join(format_exception_only(error)).strip()
    except Exception:  # from a user's __notes__ or __cause__
        return shown_error(error)
