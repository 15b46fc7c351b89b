"""attached: begins to inspect machines or a crowd, whatever pages there will be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fsmkit import Fsm, FsmGroup
from fsmkit.checking.ignoring import Ignores
from fsmkit.inspector.arguments import (
    check_choice,
    check_for_crowd,
    check_function,
    check_inspectable,
    check_places,
    check_rate,
    check_signal,
    is_crowd,
)
from fsmkit.inspector.loop.session import Session
from fsmkit.inspector.loop.signal import Signal
from fsmkit.inspector.reading.code import Code, checked_editor
from fsmkit.inspector.reading.watches import Watch, Watches
from fsmkit.tooling.places import Places

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd


def attached(
    machines: Fsm[Any] | FsmGroup | Crowd,
    *,
    read_only: bool,
    rate: float,
    record: bool | None,
    watch: Watch | None,
    stop_on_error: bool,
    ignore: Sequence[str],
    places: Places | None,
    editor: str | None,
    while_held: Callable[[], object] | None,
    signal: Signal | None,
) -> Session:
    """Return a session of the machines; see `inspect` for the arguments and errors."""
    check_inspectable(machines)
    check_rate(rate)
    check_choice("read_only", read_only, (True, False))
    check_choice("record", record, (True, False, None))
    check_choice("stop_on_error", stop_on_error, (True, False))
    check_function("while_held", while_held)
    check_places(places)
    check_signal(signal)
    watches = Watches(watch)
    code = Code(places, checked_editor(editor), is_brief=read_only)
    ignored = Ignores(ignore).texts
    session: Session
    if is_crowd(machines):
        check_for_crowd(machines, record=record, watch=watch, stop_on_error=stop_on_error)
        from fsmkit.inspector.crowd.crowd_session import CrowdSession  # here: it needs numpy

        session = CrowdSession(
            machines, rate=rate, while_held=while_held, code=code, ignore=ignored, signal=signal
        )
    else:
        session = Session(
            machines,
            rate=rate,
            record=record,
            while_held=while_held,
            watches=watches,
            code=code,
            ignore=ignored,
            signal=signal,
        )
    if stop_on_error:
        session.stops.stop_on_error()
    return session
