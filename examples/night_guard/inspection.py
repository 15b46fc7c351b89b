"""The inspector, which one key opens: a page in the browser that shows all machines at work."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from typing import Any

from attrs import define, field
from events import F1, MISSING

from actions import DelegateAction, SetValue, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup, FsmState

HINT = "The inspector is not installed: pip install 'fsmkit[inspector]'"
HINT_TIME = 6.0


@define(eq=False)
class Inspection:
    machines: FsmGroup
    while_held: Callable[[], object] | None = None
    """Called again and again while the page holds the game at a breakpoint."""
    hint: str = field(default="", init=False)
    page: Any = field(default=None, init=False)


def inspection_machine(inspection: Inspection) -> Fsm[Inspection]:
    fsm = Fsm("Inspection", context=inspection, on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    missing = fsm.add_state("Missing")

    opened.add_action(DelegateAction(open_page, on_exit=close_page))
    missing.add_action(SetValue(inspection, "hint", HINT, restore_on_exit=True))
    missing.add_action(TimedWait(HINT_TIME))

    closed.add_transition(F1, opened)
    opened.add_transition(MISSING, missing)
    opened.add_transition(F1, closed)
    missing.add_transition(FINISHED, closed)
    return fsm


def open_page(state: FsmState[Inspection]) -> None:
    inspection = state.context
    try:
        from fsmkit.inspector import inspect  # only who presses the key needs it

        inspection.page = inspect(inspection.machines, while_held=inspection.while_held)
    except ImportError:
        state.send_event(MISSING)
    else:
        webbrowser.open(inspection.page.url)


def close_page(state: FsmState[Inspection]) -> None:
    page, state.context.page = state.context.page, None
    if page is not None:
        page.close()
