"""Errors of commands: explained in words, with a traceback only on request."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from traceback import FrameSummary, extract_tb, format_exception_only
from typing import Final

from fsmkit.core.errors import FsmError
from fsmkit.core.words.notes import members_of, notes_of, shown_error, traceback_of
from fsmkit.introspection.blocks import block
from fsmkit.introspection.code_place import CodePlace, is_file, is_of_user, is_ours, shown_path

UNSUCCESSFUL: Final = 1
"""The exit code when the machine failed."""

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as in shells."""

MISUSED: Final = 2
"""The exit code for a wrong target or wrong arguments, as in argparse."""

MAX_MEMBERS: Final = 5
"""The number of exceptions of a group that are shown."""


class CommandError(FsmError):
    """A command cannot do what it was asked to.

    `exit_code` is the exit code of the program. If it is raised `from` another exception, the user
    sees that exception as well, as `explained` shows it.
    """

    def __init__(self, message: str, exit_code: int = MISUSED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@block
def plain_errors() -> Iterator[None]:
    """Turn an ImportError or FsmError of the block into a CommandError with its message alone."""
    try:
        yield
    except CommandError:
        raise
    except ImportError as error:
        raise CommandError(str(error)) from None
    except FsmError as error:
        raise CommandError(str(error), UNSUCCESSFUL) from None


def print_error(error: CommandError, *, with_traceback: bool) -> None:
    cause = error.__cause__
    if _may_be_broken_pipe(cause):
        print()  # if our own output is broken, this fails too
    sys.stdout.flush()  # output before the error appears before it
    if cause is not None and with_traceback:
        traceback.print_exception(cause)
    print(f"fsmkit: {error}", file=sys.stderr)
    if cause is not None:
        for line in explained(cause):
            print(f"  {line}", file=sys.stderr)
        if not with_traceback:
            print("  Add --traceback to see the calls that led there.", file=sys.stderr)


def explained(error: BaseException) -> Iterator[str]:
    """Yield lines that describe `error` and where it was raised, without a traceback.

    The place is a line of the user's code; if a library raised the error, its line follows.

    >>> error = ValueError("no such door")
    >>> error.add_note("Fsm 'Guard', state 'Patrol', actions[0] (Open), update")
    >>> list(explained(error))
    ['ValueError: no such door', "Fsm 'Guard', state 'Patrol', actions[0] (Open), update"]
    """
    if isinstance(error, SyntaxError):  # shows the faulty line of code
        yield from "".join(format_exception_only(error)).splitlines()
        if error.filename is not None and is_file(error.filename):
            return
    else:
        yield from shown_error(error).splitlines()
        yield from notes_of(error)
    if members := members_of(error):
        yield from _explained_members(members)
    else:
        yield from _places(error)


def _explained_members(members: tuple[BaseException, ...]) -> Iterator[str]:
    for member in members[:MAX_MEMBERS]:
        yield from (f"  {line}" for line in explained(member))
    if len(members) > MAX_MEMBERS:
        yield f"  and {len(members) - MAX_MEMBERS} more"


def line_of_user(error: BaseException) -> CodePlace | None:
    """Return the line of the user's code that led to `error`, the innermost; None without one."""
    if isinstance(error, SyntaxError) and error.filename and is_file(error.filename):
        return CodePlace(error.filename, error.lineno or 1)
    call = next((call for call in _calls(error) if is_of_user(call.filename)), None)
    return None if call is None else CodePlace(call.filename, call.lineno or 1)


def _places(error: BaseException) -> Iterator[str]:
    """Yield the innermost line of the user's code that led to `error`, and where it was raised."""
    calls = _calls(error)
    by_user = next((call for call in calls if is_of_user(call.filename)), None)
    if by_user is not None:
        yield f"in {_place(by_user)}"
    if calls and calls[0] is not by_user:
        yield f"{'in' if by_user is None else 'raised in'} {_place(calls[0])}"


def _calls(error: BaseException) -> list[FrameSummary]:
    """Return the calls that led to `error`, innermost first, without those of fsmkit."""
    calls = reversed(extract_tb(traceback_of(error)))
    return [call for call in calls if is_file(call.filename) and not is_ours(call.filename)]


def _place(call: FrameSummary) -> str:
    return f"{shown_path(call.filename)}, line {call.lineno}, {call.name}"


def _may_be_broken_pipe(error: BaseException | None) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(BrokenPipeError) is not None
    return isinstance(error, BrokenPipeError)
