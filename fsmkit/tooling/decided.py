"""The transition that a machine has decided to take."""

from __future__ import annotations

from typing import Any

from fsmkit import Fsm, Transition


def decided_transition(fsm: Fsm[Any], event: str) -> Transition[Any] | None:
    """Return the transition that `event` has just decided; None if nothing is decided.

    For an observer, in `event_sent` with the outcome `"changed"`. The transition is one of those in
    `fsm.current_state.transitions` and `fsm.global_transitions`.
    """
    if fsm._next_ is None or fsm.current_state is None:
        return None
    lead = fsm._next_[0]
    if lead is None:
        return None
    own = fsm.current_state.transitions.get(event, ())
    candidates = (*own, *fsm.global_transitions.get(event, ()))
    return next((way for way in candidates if lead in (way, way.target)), None)
