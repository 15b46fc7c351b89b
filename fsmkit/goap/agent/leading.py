"""Whether a plan leads to its goal, in the world as it is now."""

from __future__ import annotations

from collections.abc import Sequence

from fsmkit.goap.action import Facts, GoapAction


def leads_to(goal: Facts, actions: Sequence[GoapAction], world: Facts, *, skip: int) -> bool:
    """Whether `actions`, one after another, lead from `world` to `goal`.

    The preconditions of the first `skip` are not asked for: those are under way.
    """
    state: dict[str, bool] = {}
    for index, action in enumerate(actions):
        if index >= skip and not _holds(action.preconditions, state, world):
            return False
        state.update(action.effects)
    return _holds(goal, state, world)


def _holds(conditions: Facts, changed: Facts, world: Facts) -> bool:
    for fact, value in conditions.items():
        now = changed[fact] if fact in changed else world.get(fact, False)
        if now is not value:
            return False
    return True
