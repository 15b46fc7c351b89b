"""What a command says on stderr while it waits for the user's code: its line, and what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from threading import get_ident
from types import FrameType

from fsmkit.introspection.blocks import block
from fsmkit.introspection.code_place import function_name, is_of_user, place_of
from fsmkit.terminal.progress import Overdue, Progress


@block
def overdue_import(where: str) -> Iterator[None]:
    """Import the user's file or module `where` in the block."""
    thread, stderr = get_ident(), sys.stderr

    def notice() -> bool:
        calls = [*_calls(thread)]
        at = next((n for n, call in enumerate(calls) if _is_line_of_module(call)), None)
        if at is None or _is_importing(calls[:at]):
            progress.show()  # a package takes long; what comes after it may never end
            return False
        place, inside = place_of(calls[at]), _inside(calls[:at])
        progress.clear()
        print(
            f"fsmkit: Waiting for {place}, which runs when the file is imported{inside}. If it is "
            'the loop of your program, put it below `if __name__ == "__main__":`.',
            file=stderr, flush=True,
        )  # fmt: skip
        return True

    with Progress(f"importing {where}") as progress, Overdue(notice):
        yield


def overdue_build(label: str) -> Overdue:
    """Call the user's function `label`, which builds the machine, in the block."""
    thread, stderr = get_ident(), sys.stderr

    def notice() -> bool:
        calls = [*_calls(thread)]
        if _is_importing(calls):
            return False
        print(
            f"fsmkit: Waiting for {label!r}{_inside(calls)}. If that is a loop, leave it out: the "
            "function returns the machine, and the command updates it.",
            file=stderr, flush=True,
        )  # fmt: skip
        return True

    return Overdue(notice)


def _calls(thread: int) -> Iterator[FrameType]:
    """Yield the calls that a thread is in, innermost first."""
    call = sys._current_frames().get(thread)
    while call is not None:
        yield call
        call = call.f_back


def _is_line_of_module(call: FrameType) -> bool:
    code = call.f_code
    return code.co_name == "<module>" and is_of_user(code.co_filename)


def _is_importing(calls: Iterable[FrameType]) -> bool:
    return any(call.f_code.co_filename.startswith("<frozen importlib") for call in calls)


def _inside(calls: Iterable[FrameType]) -> str:
    """Return where the user's code is, within these calls; empty if none is the user's."""
    for call in calls:
        if is_of_user(call.f_code.co_filename) and (place := place_of(call)) is not None:
            return f", now at {place} in {function_name(call)}"
    return ""
