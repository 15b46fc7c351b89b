"""CommandError: an error that a command explains in words, without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from traceback import extract_tb, format_exception_only
from typing import Final

from fsmkit.core.errors import FsmError

FAILED: Final = 1
"""The exit code when the machine failed."""

MISUSED: Final = 2
"""The exit code for a wrong target or wrong arguments, as in argparse."""

MAX_MEMBERS: Final = 5
"""The number of exceptions of a group that are shown."""

OUR_FOLDERS: Final = (Path(__file__).parents[1], Path(__file__).parents[2] / "actions")


class CommandError(FsmError):
    """A command cannot do what it was asked to.

    `exit_code` is the exit code of the program. If it is raised `from` another exception,
    `explained` shows that one to the user as well.
    """

    def __init__(self, message: str, exit_code: int = MISUSED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def explained(error: BaseException) -> Iterator[str]:
    """Yield lines that say what `error` is and where it was raised, without a traceback.

    >>> error = ValueError("no such door")
    >>> error.add_note("Fsm 'Guard', state 'Patrol', actions[0] (Open), update")
    >>> list(explained(error))
    ['ValueError: no such door', "Fsm 'Guard', state 'Patrol', actions[0] (Open), update"]
    """
    if isinstance(error, SyntaxError):  # shows the faulty line of code
        yield from "".join(format_exception_only(error)).splitlines()
        return
    yield from f"{type(error).__name__}: {error}".removesuffix(": ").splitlines()
    yield from getattr(error, "__notes__", ())
    if isinstance(error, BaseExceptionGroup):
        yield from _explained_members(error.exceptions)
    elif place := _place_outside(error):
        yield place


def _explained_members(members: tuple[BaseException, ...]) -> Iterator[str]:
    for member in members[:MAX_MEMBERS]:
        yield from (f"  {line}" for line in explained(member))
    if len(members) > MAX_MEMBERS:
        yield f"  and {len(members) - MAX_MEMBERS} more"


def _place_outside(error: BaseException) -> str:
    """Return the innermost line of user code that led to `error`; empty if there is none."""
    for call in reversed(extract_tb(error.__traceback__)):
        path = Path(call.filename)
        if path.is_file() and not any(path.is_relative_to(folder) for folder in OUR_FOLDERS):
            shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
            return f"in {shown}, line {call.lineno}, {call.name}"
    return ""
