"""Removing the call that made a part."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fsmkit.editing.draft import Draft, Patch
from fsmkit.editing.refusal import RefusedEditError
from fsmkit.editing.trial import Trace


def removals(draft: Draft, trace: Trace) -> Iterator[Patch]:
    """Yield the ways to take out the statement that made a part."""
    source, call = draft.whole_call(trace)
    statement = source.parent(call)
    if not isinstance(statement, ast.Expr):
        raise RefusedEditError("what the call returns is used", source.place(call))
    yield Patch(source, [source.without(statement)])
