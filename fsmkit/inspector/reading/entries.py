"""Entries of the log about events and errors, with their origins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cache
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple, TypeAlias

from fsmkit import Fsm, FsmAction, StateGroup
from fsmkit.core.words.notes import members_of, traceback_of
from fsmkit.diagram.wording import function_text
from fsmkit.inspector.reading.candidates import candidates, prospect, refusal, state_name
from fsmkit.inspector.reading.code import Code, CodeLine
from fsmkit.inspector.reading.machine_log import LogEntry
from fsmkit.inspector.reading.page_values import ADDRESS, text_of
from fsmkit.introspection import walk
from fsmkit.introspection.code_place import (
    OUR_FOLDERS,
    CodePlace,
    function_name,
    is_installed,
    is_of_user,
    is_ours,
    place_of,
)
from fsmkit.introspection.described_error import described_error
from fsmkit.introspection.known_events import decided_transition
from fsmkit.recording.action_paths import sender_title, title

MachineNaming: TypeAlias = Mapping[Fsm[Any], str]
"""The names of the machines on the page."""

CALLBACKS: Final = frozenset(
    {"on_enter", "on_update", "on_exit", "on_event", "on_suspend", "on_resume", "_machine_settled_"}
)
"""The methods in which an action acts."""

PAGE: Final = "the page"
"""The sender of calls that a page has requested."""

INSPECTOR: Final = OUR_FOLDERS[0] / "inspector"
REQUESTS: Final = str(INSPECTOR / "live" / "requests")
"""The folder of the code that carries out requests of pages."""
NOTED: Final = (str(INSPECTOR / "live" / "senders.py"), "NotedCalls.intercept")
"""The function around each call to a watched machine."""
NOTIFYING: Final = (str(INSPECTOR.parent / "core" / "observers.py"), "Observers.notify")
"""The function that calls the methods of observers."""
ENDS: Final = {
    (str(INSPECTOR / "live" / "session.py"), "Session._let_pass"),
    (str(INSPECTOR / "live" / "session.py"), "Session._hold"),
    (str(INSPECTOR.parent / "core" / "group.py"), "FsmGroup._update.<locals>.<lambda>"),
    (str(INSPECTOR.parent / "core" / "fsm.py"), "Fsm.update"),
}
"""The functions that let time pass: their callers have not sent the events of an update."""
END_NAMES: Final = {name for _, name in (NOTED, *ENDS)}


class CallOrigin(NamedTuple):
    """The origin of a call to a machine. Unknown parts are empty or None."""

    action: FsmAction[Any] | None = None
    """The action in whose callback it was made."""
    sender: str = ""
    """The name of that action, with its machine unless it is the one called; or `PAGE`."""
    place: CodePlace | None = None
    """The line that has made it."""
    function: str = ""
    """The function that line is in, as `hit()`; empty at module level."""
    how: str = ""
    """How it was delayed: `"posted"`, or `"after 1.5 s"`."""


NOBODY: Final = CallOrigin()


def caller_of(fsm: Fsm[Any], frame: FrameType | None, names: MachineNaming) -> CallOrigin:
    """Return the origin of the call to `fsm` that the frame is part of.

    Goes outwards to the first callback of an action, and takes the first line of user code on the
    way: so it finds the function that an action calls, and the caller of a library that sends.
    """
    place: FrameType | None = None
    package: FrameType | None = None
    while frame is not None:
        code = frame.f_code
        owner = _owner_of(code.co_filename)
        ours = owner is FileOwner.US or owner is FileOwner.PAGE
        if code.co_name in CALLBACKS and (action := _action_in(frame, code)) is not None:
            if not ours and place is None:
                place = frame
            if not _hands_on(fsm, action, code.co_name, ours):
                return _called(fsm, action, place, names)
        elif ours:
            if owner is FileOwner.PAGE:
                return CallOrigin(sender=PAGE)
            if _is_end(fsm, frame, code, is_found=place is not None):
                break
        elif place is None and owner is FileOwner.USER:
            place = frame
        elif package is None and owner is FileOwner.PACKAGE:
            package = frame
        frame = frame.f_back
    return _called(fsm, None, place or package, names)


class FileOwner(Enum):
    """Whose code a file holds."""

    US = auto()
    PAGE = auto()
    """Ours as well: it carries out requests of the page."""
    USER = auto()
    PACKAGE = auto()
    PYTHON = auto()


@cache
def _owner_of(filename: str) -> FileOwner:
    if is_ours(filename):
        return FileOwner.PAGE if filename.startswith(REQUESTS) else FileOwner.US
    if is_of_user(filename):
        return FileOwner.USER
    return FileOwner.PACKAGE if is_installed(filename) else FileOwner.PYTHON


def outside_of_observers(frame: FrameType) -> FrameType:
    """Return the frame that notifies the observers, for a frame in the method of one of them."""
    outer: FrameType | None = frame
    while outer is not None:
        if (outer.f_code.co_filename, outer.f_code.co_qualname) == NOTIFYING:
            return outer
        outer = outer.f_back
    return frame


def _is_end(fsm: Fsm[Any], frame: FrameType, code: CodeType, *, is_found: bool) -> bool:
    """Return True if the frames further out have not made the call.

    Within a call that is noted, the machine itself sends the events that no callback sends.
    """
    if code.co_qualname not in END_NAMES:
        return False
    where = code.co_filename, code.co_qualname
    if where != NOTED:
        return where in ENDS
    within = frame.f_locals
    return is_found or within["fsm"] is fsm or within["call"] == "update"


def _action_in(frame: FrameType, code: CodeType) -> FsmAction[Any] | None:
    if not code.co_argcount:
        return None
    found = frame.f_locals.get(code.co_varnames[0])
    return found if isinstance(found, FsmAction) and found.state is not None else None


def _hands_on(fsm: Fsm[Any], action: FsmAction[Any], callback: str, ours: bool) -> bool:
    """Return True if an action only passes an event on to its nested machine: it sends nothing."""
    is_handed_on = callback == "on_event" and ours
    return is_handed_on and any(outer is action.fsm for outer in machines_around(fsm))


def machines_around(fsm: Fsm[Any]) -> Iterator[Fsm[Any]]:
    """Yield the machines that a machine is nested in, from the inside out."""
    while fsm.host is not None and fsm.host.fsm is not None:
        fsm = fsm.host.fsm
        yield fsm


def _called(
    fsm: Fsm[Any], action: FsmAction[Any] | None, frame: FrameType | None, names: MachineNaming
) -> CallOrigin:
    place = None if frame is None else _line(frame)
    function = "" if frame is None else function_name(frame)
    return CallOrigin(action, _sender(fsm, action, names), place, function)


def _line(frame: FrameType) -> CodePlace:
    """Return the line, also of typed or generated code: `<stdin>:1`."""
    return place_of(frame) or CodePlace(frame.f_code.co_filename, frame.f_lineno)


def _sender(fsm: Fsm[Any], action: FsmAction[Any] | None, names: MachineNaming) -> str:
    machine = None if action is None else action.fsm
    if action is None or machine is None:
        return ""
    if machine is fsm:
        return sender_title(fsm.acting) if fsm.acting is not None else title(action)
    return f"{names.get(machine, machine.name)}: {title(action)}"


LONGEST_ERROR: Final = 2_000
"""Characters of an error in the log."""


def event_entry(
    fsm: Fsm[Any],
    event: str,
    data: object,
    outcome: str,
    *,
    why: str,
    caller: CallOrigin,
    code: Code,
    decided: Sequence[walk.OwnedTransition],
) -> LogEntry:
    """Return the entry of an event, for an observer in `event_sent`; without time and number.

    `why` is its `reason`, `decided` are the `decided_transitions`. Empty parts are left out.
    """
    entry: LogEntry = {
        "state": state_name(fsm), "event": event, "outcome": outcome,
        "sender": caller.sender, "how": caller.how, "place": _place(caller, code),
        "data": "" if data is None else text_of(data), "why": why,
    }  # fmt: skip
    if decided:
        entry.update(_change(fsm, decided, code))
    elif outcome == "refused":
        entry["lines"] = _refusing(fsm, event, code)
    return _without_blanks(entry)


def error_entry(fsm: Fsm[Any], error: BaseException, code: Code) -> LogEntry:
    """Return the entry of an error, with the innermost line of the user's code in its traceback."""
    return _without_blanks({
        "state": state_name(fsm),
        "text": ADDRESS.sub("", described_error(error))[:LONGEST_ERROR],
        "place": place_of_error(error, code),
    })  # fmt: skip


def called_by(caller: CallOrigin, code: Code) -> LogEntry:
    place = _place(caller, code)
    return _without_blanks({"sender": caller.sender, "how": caller.how, "place": place})


def _place(caller: CallOrigin, code: Code) -> CodeLine | None:
    place = caller.place
    if place is None and caller.action is not None:
        place = code.sending_place(caller.action)
    return None if place is None else code.line(place, caller.function)


def is_global(fsm: Fsm[Any], event: str) -> bool:
    """Return True if the change that `event` has just decided is by a global transition."""
    decided = decided_transition(fsm, event)
    return decided is not None and decided.owner is fsm


def _change(fsm: Fsm[Any], decided: Sequence[walk.OwnedTransition], code: Code) -> LogEntry:
    owner, _, _, transition = decided[0]
    when, do = transition.when, transition.do
    ranks = [each.rank for each in decided if each.owner is owner]
    return {
        "global": owner is fsm,
        "group": owner.name if isinstance(owner, StateGroup) else "",
        "ranks": ranks if ranks != [0] else [],
        "guard": function_text(when) if when is not None else "",
        "effect": function_text(do) if do is not None else "",
        "lines": list(code.of_transition(owner, transition)),
    }


def _refusing(fsm: Fsm[Any], event: str, code: Code) -> list[CodeLine]:
    asked = [each.when for each in candidates(fsm, event) if each.when is not None]
    lines = ((function_text(guard), code.of_function(guard)) for guard in asked)
    return [{**line, "what": text} for text, line in lines if line is not None]


UNCHANGING: Final = ("refused", "ignored", "unhandled")
"""The outcomes of events that have changed nothing, and that nothing has consumed."""


def reason(fsm: Fsm[Any], event: str, outcome: str) -> str:
    """Return why an event has changed nothing; empty if it has. May raise what user code raises."""
    if outcome == "refused":
        return refusal(fsm, event)
    return prospect(fsm, event) if outcome in ("ignored", "unhandled") else ""


def place_of_error(error: BaseException, code: Code) -> CodeLine | None:
    """Return the innermost line of user code in the traceback; for a group, of its first error."""
    while members := members_of(error):
        error = members[0]
    steps = walk_tb(traceback_of(error))
    users = [(frame, line) for frame, line in steps if is_of_user(frame.f_code.co_filename)]
    if not users or (place := place_of(users[-1][0])) is None:
        return None
    frame, line = users[-1]
    return code.line(place._replace(line=line), function_name(frame))


def _without_blanks(entry: LogEntry) -> LogEntry:
    return {name: value for name, value in entry.items() if value}
