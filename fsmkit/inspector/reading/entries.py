"""Entries: what the log says of an event or an error, for the machine that is shown and others."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Final

from fsmkit import Fsm, FsmState, Transition
from fsmkit.core.words.notes import members_of, traceback_of
from fsmkit.diagram.wording import function_text
from fsmkit.inspector.reading.callers import Caller
from fsmkit.inspector.reading.code import Code, Line
from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.values import ADDRESS, text_of
from fsmkit.inspector.reading.ways import prospect, refusal, ways
from fsmkit.tooling.code_place import function_name, is_of_user, place_of
from fsmkit.tooling.decided import decided_transition
from fsmkit.tooling.described_error import described_error

LONGEST_ERROR: Final = 2_000
"""Letters of an error in the log."""


def event_entry(
    fsm: Fsm[Any],
    event: str,
    data: object,
    outcome: str,
    *,
    why: str,
    caller: Caller,
    code: Code,
) -> Entry:
    """Return the entry of an event, for an observer in `event_sent`; without time and number.

    `why` is its `reason`. What there is not to say is left out.
    """
    state = fsm.current_state
    return _without_blanks(
        state=state.name if state is not None else "",
        event=event,
        outcome=outcome,
        **called_by(caller, code),
        data="" if data is None else text_of(data),
        why=why,
        **_transitions(fsm, event, outcome, code),
    )


def error_entry(fsm: Fsm[Any], error: BaseException, code: Code) -> Entry:
    """Return the entry of an error, with the innermost line of the user's that it came from."""
    state = fsm.current_state
    return _without_blanks(
        state=state.name if state is not None else "",
        text=ADDRESS.sub("", described_error(error))[:LONGEST_ERROR],
        place=place_of_error(error, code),
    )


def called_by(caller: Caller, code: Code) -> Entry:
    """Return what an entry says of who has made a call."""
    place = caller.place
    if place is None and caller.action is not None:
        place = code.sending_place(caller.action)
    return _without_blanks(
        sender=caller.sender,
        how=caller.how,
        place=None if place is None else code.line(place, caller.function),
    )


def is_global(fsm: Fsm[Any], event: str) -> bool:
    """Return True if the change that `event` has just decided is by a global transition."""
    return _owner(fsm, event, decided_transition(fsm, event)) is fsm


def _transitions(fsm: Fsm[Any], event: str, outcome: str, code: Code) -> Entry:
    """Return what there is to say of the transition just decided, or of the guards that refused."""
    if outcome == "refused":
        return {"lines": _refusing(fsm, event, code)}
    way = decided_transition(fsm, event) if outcome == "changed" else None
    if way is None:
        return {}
    owner = _owner(fsm, event, way)
    return {
        "global": owner is fsm,
        "guard": function_text(way.when) if way.when is not None else "",
        "effect": function_text(way.do) if way.do is not None else "",
        "lines": list(code.of_transition_parts(owner, way)),
    }


def _owner(fsm: Fsm[Any], event: str, way: Transition[Any] | None) -> Fsm[Any] | FsmState[Any]:
    state = fsm.current_state
    own = state.transitions.get(event, ()) if state is not None else ()
    return state if state is not None and (way is None or way in own) else fsm


def _refusing(fsm: Fsm[Any], event: str, code: Code) -> list[Line]:
    """Return the lines of the guards that have refused `event`."""
    asked = [way.when for way in ways(fsm, event) if way.when is not None]
    lines = ((function_text(guard), code.of_function(guard)) for guard in asked)
    return [{**line, "what": text} for text, line in lines if line is not None]


def reason(fsm: Fsm[Any], event: str, outcome: str) -> str:
    """Return why an event has changed nothing; empty if it has. May raise what users' code does."""
    if outcome == "refused":
        return refusal(fsm, event)
    return prospect(fsm, event) if outcome in ("ignored", "unhandled") else ""


def place_of_error(error: BaseException, code: Code) -> Line | None:
    """Return the innermost line of the user's in the traceback; of a group, that of its first."""
    while members := members_of(error):
        error = members[0]
    innermost: TracebackType | None = None
    traceback = traceback_of(error)
    while traceback is not None:
        if is_of_user(traceback.tb_frame.f_code.co_filename):
            innermost = traceback
        traceback = traceback.tb_next
    if innermost is None or (place := place_of(innermost.tb_frame)) is None:
        return None
    place = place._replace(line=innermost.tb_lineno)
    return code.line(place, function_name(innermost.tb_frame))


def _without_blanks(**more: Any) -> Entry:
    return {name: value for name, value in more.items() if value}
