"""Callers: who has sent an event to a machine, or started or stopped it, and from which line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit import Fsm, FsmAction
from fsmkit.recording.asking.titles import title
from fsmkit.recording.chronicle import sender_title
from fsmkit.tooling.code_place import (
    CodePlace,
    function_name,
    is_installed,
    is_of_user,
    is_ours,
    place_of,
)

Names: TypeAlias = Mapping[Fsm[Any], str]
"""The names of the machines on the page."""

CALLBACKS: Final = frozenset(
    {"on_enter", "on_update", "on_exit", "on_event", "on_suspend", "on_resume", "_machine_settled_"}
)
"""The methods of an action that carry out what it does."""

PAGE: Final = "the page"
"""The sender of what a page has asked for."""

INSPECTOR: Final = Path(__file__).parents[1]
REQUESTS: Final = str(INSPECTOR / "loop" / "answering")
"""Where the requests of pages are carried out."""
NOTED: Final = (str(INSPECTOR / "reading" / "noted_calls.py"), "NotedCalls.intercept")
"""The function around each call to a watched machine."""
NOTIFYING: Final = (str(INSPECTOR.parent / "core" / "observers.py"), "Observers.notify")
"""The function that calls the methods of observers."""
ENDS: Final = {
    (str(INSPECTOR / "loop" / "session.py"), "Session._let_pass"),
    (str(INSPECTOR / "loop" / "session.py"), "Session._hold"),
    (str(INSPECTOR.parent / "core" / "group.py"), "FsmGroup._update.<locals>.<lambda>"),
    (str(INSPECTOR.parent / "core" / "fsm.py"), "Fsm.update"),
}
"""The functions that let time pass: who calls them has not sent what comes of it."""


@frozen
class Caller:
    """Who has made a call to a machine. What is not known is empty or None."""

    action: FsmAction[Any] | None = None
    """The action in whose callback it was made."""
    sender: str = ""
    """The name of that action, with its machine if that is another one; or `PAGE`."""
    place: CodePlace | None = None
    """The line that has made it."""
    function: str = ""
    """The function that line is in, as `hit()`; empty at module level."""
    how: str = ""
    """How it has come to pass later: `"posted"`, or `"after 1.5 s"`."""


NOBODY: Final = Caller()


def caller_of(fsm: Fsm[Any], frame: FrameType | None, names: Names) -> Caller:
    """Return who makes the call to `fsm` that the frame is part of.

    Goes outwards to the first callback of an action, and takes the first line of the user's on the
    way: so it finds the function that an action calls, and who calls a library that sends.
    """
    place: FrameType | None = None
    package: FrameType | None = None
    while frame is not None:
        code = frame.f_code
        filename = code.co_filename
        ours = is_ours(filename)
        if code.co_name in CALLBACKS and (action := _action_in(frame, code)) is not None:
            if not ours and place is None:
                place = frame
            if not _hands_on(fsm, action, code.co_name, ours):
                return _called(fsm, action, place, names)
        elif ours:
            if filename.startswith(REQUESTS):
                return Caller(sender=PAGE)
            if _is_end(fsm, frame, code, is_found=place is not None):
                break
        elif place is None and is_of_user(filename):
            place = frame
        elif package is None and is_installed(filename):
            package = frame
        frame = frame.f_back
    return _called(fsm, None, place or package, names)


def outside_of_observers(frame: FrameType) -> FrameType:
    """Return the frame that notifies the observers, for a frame in the method of one of them."""
    outer: FrameType | None = frame
    while outer is not None:
        if (outer.f_code.co_filename, outer.f_code.co_qualname) == NOTIFYING:
            return outer
        outer = outer.f_back
    return frame


def _is_end(fsm: Fsm[Any], frame: FrameType, code: CodeType, *, is_found: bool) -> bool:
    """Return True if what is further out has not made the call.

    Within a call that is noted, the machine itself sends what no callback does.
    """
    where = code.co_filename, code.co_qualname
    if where != NOTED:
        return where in ENDS
    within = frame.f_locals
    return is_found or within["fsm"] is fsm or within["call"] == "update"


def _action_in(frame: FrameType, code: CodeType) -> FsmAction[Any] | None:
    """Return the action whose method is carried out."""
    if not code.co_argcount:
        return None
    found = frame.f_locals.get(code.co_varnames[0])
    return found if isinstance(found, FsmAction) and found.state is not None else None


def _hands_on(fsm: Fsm[Any], action: FsmAction[Any], callback: str, ours: bool) -> bool:
    """Return True if an action hands an event on to its nested machine: another one has sent it."""
    if callback != "on_event" or not ours:
        return False
    host = fsm.host
    while host is not None:
        if host.fsm is action.fsm:
            return True
        host = host.fsm.host if host.fsm is not None else None
    return False


def _called(
    fsm: Fsm[Any], action: FsmAction[Any] | None, frame: FrameType | None, names: Names
) -> Caller:
    place = None if frame is None else _line(frame)
    function = "" if frame is None else function_name(frame)
    return Caller(action, _sender(fsm, action, names), place, function)


def _line(frame: FrameType) -> CodePlace:
    """Return the line, also of code that was typed or made: `<stdin>:1`."""
    return place_of(frame) or CodePlace(frame.f_code.co_filename, frame.f_lineno)


def _sender(fsm: Fsm[Any], action: FsmAction[Any] | None, names: Names) -> str:
    """Return the name of an action that calls `fsm`; empty without one."""
    machine = None if action is None else action.fsm
    if action is None or machine is None:
        return ""
    if machine is fsm:
        return sender_title(fsm.acting) if fsm.acting is not None else title(action)
    return f"{names.get(machine, machine.name)}: {title(action)}"
