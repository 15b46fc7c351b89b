"""Holder: how a composite takes the actions that it is made of."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from fsmkit import FsmAction


class Holder(NamedTuple):
    wrapper: str | None
    """The class that each action is put into: `Option`."""
    takes_many: bool
    needs_more: bool
    """Whether it needs other arguments beside them."""


def holder_of(kind: type[FsmAction[Any]]) -> Holder | None:
    """Return how a kind of action takes others; None if it takes none."""
    parameters = [*inspect.signature(kind).parameters.values()]
    for each in parameters:
        taken = str(each.annotation).partition("[")[0]
        if taken in ("FsmAction", "Option"):
            needs_more = any(_is_needed(other) for other in parameters if other is not each)
            wrapper = None if taken == "FsmAction" else taken
            return Holder(wrapper, each.kind is each.VAR_POSITIONAL, needs_more)
    return None


def _is_needed(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
