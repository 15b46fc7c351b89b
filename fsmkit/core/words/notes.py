"""Notes and texts of errors, even if the class of an error fails when asked.

An exception may be a frozen dataclass, which refuses every attribute, or have a `__str__` that
fails. Describing an error here never replaces it by another.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Final

# What Python itself stores, as the class may define a property that raises.
_TRACEBACK: Final[Any] = BaseException.__traceback__
_MEMBERS: Final[Any] = BaseExceptionGroup.exceptions


def index_of(thing: object, things: Sequence[object]) -> int:
    """The index of this very object, whatever it claims to be equal to."""
    return [other is thing for other in things].index(True)


def titled(action: object, actions: Sequence[object], what: str = "actions") -> str:
    """Return how messages call an action among others, as `"actions[0] (Move)"`."""
    return f"{what}[{index_of(action, actions)}] ({type(action).__name__})"


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
    """Return the notes of an error; none if they cannot be read. Raises no Exception."""
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
    """Return the `repr` of an error, or the name of its class if that fails."""
    try:
        return repr(error)
    except Exception:  # from the class of the error
        return type(error).__name__


def message_of(error: BaseException) -> str:
    """Return the text of an error; empty if it has none. Raises no Exception."""
    try:
        return f"{error}"
    except Exception:  # from the class of the error
        return ""


def traceback_of(error: BaseException) -> TracebackType | None:
    """Return where an error was raised."""
    traceback: TracebackType | None = _TRACEBACK.__get__(error)
    return traceback


def members_of(error: BaseException) -> tuple[BaseException, ...]:
    """Return the errors of a group; none if it is not a group."""
    if not issubclass(type(error), BaseExceptionGroup):  # isinstance() would ask for `__class__`
        return ()
    members: tuple[BaseException, ...] = _MEMBERS.__get__(error)
    return members
