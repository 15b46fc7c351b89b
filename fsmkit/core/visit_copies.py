"""Copies of visits: everything but the hooks, which contain functions (rule 23)."""

from __future__ import annotations

import copyreg
from typing import Any, Final

from fsmkit.core.action import overridden
from fsmkit.core.visit import NO_VISIT, NOWHERE, Visit

MADE_OF_HOOKS: Final = {
    "enters", "every_update", "exits", "kinds", "listeners", "routes", "updates",
}  # fmt: skip


def _reduced(visit: Visit) -> Any:
    if visit is NO_VISIT:
        return "NO_VISIT"
    kept = {name: getattr(visit, name) for name in Visit.__slots__ if name not in MADE_OF_HOOKS}
    unfinished = [action for _, action in visit.updates if action is not None]
    return _restored, (kept, unfinished, [action for _, action in visit.listeners])


def _restored(kept: dict[str, Any], unfinished: list[Any], listening: list[Any]) -> Visit:
    visit = object.__new__(Visit)
    for name, value in kept.items():
        setattr(visit, name, value)
    visit.kinds = ()  # it is not entered again
    visit.every_update = overridden("on_update", visit.actions)
    visit.updates = [*overridden("on_update", unfinished)]
    visit.listeners = overridden("on_event", listening)
    visit.routes = NOWHERE  # until the machine makes it watch
    return visit


copyreg.pickle(Visit, _reduced)
