"""Waiting: what a state waits for before FINISHED is sent, and where that leads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from fsmkit import BACK, FINISHED, Fsm, FsmAction
from fsmkit.diagram.wording import function_text
from fsmkit.inspector.reading.values import LONGEST
from fsmkit.inspector.reading.ways import target_of, ways
from fsmkit.tooling.run_state import unfinished


def waiting_for(machine: Fsm[Any], names: Mapping[Fsm[Any], str]) -> Iterator[dict[str, Any]]:
    """Yield what the current state waits for, if it has a transition for FINISHED.

    No guard is asked. For the page: the actions that have not finished, how many were missed
    because of an error, and where FINISHED leads.
    """
    leads = list(_leads(machine))
    if not leads:
        return
    waiting, missed = unfinished(machine)
    counts = Counter(type(action).__name__ for action in waiting)
    yield {
        "machine": names[machine],
        "actions": [
            {"text": _text(action, counts), "endless": _is_endless(action)} for action in waiting
        ],
        "missed": missed,
        "leads": leads,
    }


def _leads(machine: Fsm[Any]) -> Iterator[str]:
    """Yield the targets of FINISHED in the order of asking, with their guards."""
    for way in ways(machine, FINISHED):
        target = target_of(machine, way)
        if target is machine.current_state and way in machine.global_transitions.get(FINISHED, ()):
            continue  # rule 7
        where = "nothing to go back to" if target is None else target.name
        back = "back to " if way.target is BACK and target is not None else ""
        guard = f" if [{function_text(way.when)}]" if way.when is not None else ""
        yield f"{back}{where}{guard}"


def _text(action: FsmAction[Any], counts: Mapping[str, int]) -> str:
    """Return the name of an action and what it still needs, as `TimedWait 1.2 of 2.0 s`."""
    name = type(action).__name__
    if counts[name] > 1:
        name = f"actions[{[other is action for other in action.state.actions].index(True)}] {name}"
    text = f"{name} (has no end)" if _is_endless(action) else f"{name} {_words(action)}".strip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _is_endless(action: FsmAction[Any]) -> bool:
    try:
        return action.finishes == "never"
    except Exception:  # a user's property may raise anything
        return False


def _words(action: FsmAction[Any]) -> str:
    """Return what an action says of itself, or how far it has got."""
    try:
        words: object = action.waits_for
        if words and isinstance(words, str):
            return words
        progress = action.progress  # type: ignore[attr-defined]  # it may have none
        return f"{100 * progress:.0f} %" if 0.0 <= progress <= 1.0 else ""
    except Exception:  # it has none, or a user's property raises
        return ""
