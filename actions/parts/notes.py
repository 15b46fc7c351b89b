"""Notes of errors, and what errors say, whatever the class of a user does when it is asked."""

from __future__ import annotations


def add_note(error: BaseException, note: str) -> None:
    """Add `note`, unless it is there already or the error takes none."""
    try:
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
    except Exception:  # from the class of the error, such as a frozen dataclass
        return


def shown_error(error: BaseException) -> str:
    """Return the type and the message of an error; a failing `__str__` does no harm.

    >>> shown_error(KeyError("door"))
    "KeyError: 'door'"
    """
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # from the class of the error
        return type(error).__name__
