"""Notes of errors, and what errors say, whatever the class of a user does when it is asked.

An exception may be a frozen dataclass, which refuses every attribute, or have a `__str__` that
fails. What is said here about an error never takes its place.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Final

# What Python keeps of an error, whatever its class says: it may be a property that raises.
_TRACEBACK: Final[Any] = BaseException.__traceback__
_MEMBERS: Final[Any] = BaseExceptionGroup.exceptions


def add_note(error: BaseException, note: str) -> None:
    """Add `note`, unless it is there already or the error takes none. Raises no Exception.

    >>> error = ValueError("no such door")
    >>> add_note(error, "state 'Patrol'")
    >>> add_note(error, "state 'Patrol'")
    >>> notes_of(error)
    ("state 'Patrol'",)
    """
    try:
        if note not in notes_of(error):
            error.add_note(note)
    except Exception:  # from the class of the error
        return


def notes_of(error: BaseException) -> tuple[str, ...]:
    """Return the notes of an error; none where they cannot be read. Raises no Exception."""
    try:
        return tuple(note for note in getattr(error, "__notes__", ()) if type(note) is str)
    except Exception:  # from the class of the error
        return ()


def shown_error(error: BaseException) -> str:
    """Return the type and the message of an error; a failing `__str__` does no harm.

    >>> shown_error(KeyError("door"))
    "KeyError: 'door'"
    """
    name = type(error).__name__
    text = message_of(error)
    return f"{name}: {text}" if text else name


def repr_of(error: BaseException) -> str:
    """Return the `repr` of an error, or its class where that fails."""
    try:
        return repr(error)
    except Exception:  # from the class of the error
        return type(error).__name__


def message_of(error: BaseException) -> str:
    """Return the text of an error; an empty one where it has none. Raises no Exception."""
    try:
        return f"{error}"
    except Exception:  # from the class of the error
        return ""


def traceback_of(error: BaseException) -> TracebackType | None:
    """Return where an error was raised."""
    traceback: TracebackType | None = _TRACEBACK.__get__(error)
    return traceback


def members_of(error: BaseException) -> tuple[BaseException, ...]:
    """Return the errors of a group; none if it is no group."""
    if not issubclass(type(error), BaseExceptionGroup):  # isinstance() would ask for `__class__`
        return ()
    members: tuple[BaseException, ...] = _MEMBERS.__get__(error)
    return members
