"""The inspector, which one key opens: a page in the browser that shows all machines at work."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from typing import Any

from attrs import define, field
from events import F1, MISSING, TELL

from actions import Broadcast, DelegateAction
from fsmkit import FINISHED, Fsm, FsmGroup, FsmState

MISSING_HINT = "The inspector is not installed: pip install 'fsmkit[inspector]'"
OPEN_HINT = "The inspector is in your browser, or at {}"


@define(eq=False)
class Inspection:
    machines: FsmGroup
    while_held: Callable[[], object] | None = None
    """Called again and again while the page holds the game at a breakpoint."""
    page: Any = field(default=None, init=False)


def inspection_machine(inspection: Inspection, hints: FsmGroup) -> Fsm[Inspection]:
    fsm = Fsm("Inspection", context=inspection, on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    missing = fsm.add_state("Missing")

    opened.add_action(DelegateAction(open_page, on_exit=close_page))
    opened.add_action(Broadcast(hints, TELL, lambda: OPEN_HINT.format(inspection.page.url)))
    missing.add_action(Broadcast(hints, TELL, MISSING_HINT))

    closed.add_transition(F1, opened)
    opened.add_transition(MISSING, missing)
    opened.add_transition(F1, closed)
    missing.add_transition(FINISHED, closed)
    return fsm


def open_page(state: FsmState[Inspection]) -> None:
    inspection = state.context
    try:
        from fsmkit.inspector import inspect  # only needed once the key is pressed

        inspection.page = inspect(inspection.machines, while_held=inspection.while_held)
    except ImportError:
        state.send_event(MISSING)
    else:
        webbrowser.open(inspection.page.url)


def close_page(state: FsmState[Inspection]) -> None:
    page, state.context.page = state.context.page, None
    if page is not None:
        page.close()
