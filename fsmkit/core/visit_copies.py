"""Copies of visits: everything but the hooks, which contain functions (rule 23)."""

from __future__ import annotations

import copyreg
from typing import Any, Final

from fsmkit.core.action import NO_CALLBACKS, Hooks, overridden
from fsmkit.core.visit import NO_VISIT, NOWHERE, Visit

MADE_AGAIN: Final = {"callbacks", "routes", "spare", "updates"}


def _reduced(visit: Visit) -> Any:
    if visit is NO_VISIT:
        return "NO_VISIT"
    kept = {name: getattr(visit, name) for name in Visit.__slots__ if name not in MADE_AGAIN}
    listening = [position for _, position in visit.callbacks.listeners]
    unfinished = [visit.position(action) for action in visit.updated()]
    return _restored, (kept, visit.callbacks.size, unfinished, listening)


def _restored(
    kept: dict[str, Any], size: int, unfinished: list[int], listening: list[int]
) -> Visit:
    visit = object.__new__(Visit)
    for name, value in kept.items():
        setattr(visit, name, value)
    own = visit.callbacks = NO_CALLBACKS.among(())
    own.size, own.every_update = size, overridden("on_update", visit.actions)
    own.listeners = _at(listening, overridden("on_event", visit.actions))
    visit.updates = [*_at(unfinished, own.every_update)]
    visit.routes = NOWHERE  # until the machine makes it watch
    visit.spare = None
    return visit


def _at(positions: list[int], hooks: Hooks) -> Hooks:
    return tuple([hook for hook in hooks if hook[1] in positions])


copyreg.pickle(Visit, _reduced)
