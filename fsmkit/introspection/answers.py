"""Answers: what guards and conditions have said, without asking any of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from fsmkit import FsmState
from fsmkit.core.checks.functions import Adapted
from fsmkit.core.state import Back
from fsmkit.introspection import walk
from fsmkit.space.hysteresis import is_condition

Destination: TypeAlias = FsmState[Any] | Back
"""The target of a transition: a state, or `BACK`."""


def measured(function: object, state: FsmState[Any]) -> str:
    """Return how near a condition was when `state` asked it last; empty if that is not known."""
    while isinstance(function, Adapted):
        function = function.function
    return function.measured_for(state) if is_condition(function) else ""


def given(
    state: FsmState[Any], event: str, target: Destination | None
) -> Iterator[tuple[walk.OwnedTransition, bool]]:
    """Yield the guarded transitions that were asked about `event`, each with the answer.

    `target` is that of the change that followed; None: all of them have refused. If several lead
    there, it is not known which of them has agreed: the first of them and those after it are left
    out.
    """
    asked = walk.asked(state, event)
    leading = [each for each in asked if each.transition.target is target]
    for each in asked:
        has_agreed = each in leading
        if has_agreed and len(leading) > 1:
            return
        if each.transition.when is not None:
            yield each, has_agreed
        if has_agreed:
            return
