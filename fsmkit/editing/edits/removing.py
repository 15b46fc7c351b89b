"""Removing the call that made a part."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fsmkit.editing.draft import Draft, Patch
from fsmkit.editing.refusal import RefusedEditError
from fsmkit.editing.source import Replacement, SourceFile
from fsmkit.editing.trial import Trace


def removals(draft: Draft, trace: Trace) -> Iterator[Patch]:
    """Yield the ways to take out the statement that made a part.

    The innermost call is the first: where it makes parts of several machines, it goes for all.
    """
    place, innermost = draft.source(trace[0].path), draft.node(trace[0])
    is_in_loop = innermost is None or place.loop(innermost) is not None
    if innermost is not None and not is_in_loop and isinstance(place.parent(innermost), ast.Expr):
        yield Patch(place, [without(place, innermost)])
    source, call = draft.whole_call(trace)
    yield Patch(source, [without(source, call)])


def without(source: SourceFile, call: ast.Call) -> Replacement:
    """Return the piece that takes out a call: its statement, or the end of a chain of calls."""
    statement = source.parent(call)
    if not isinstance(statement, ast.Expr):
        raise RefusedEditError("what the call returns is used", source.place(call))
    method = call.func
    if isinstance(method, ast.Attribute) and isinstance(method.value, ast.Call):
        return source.between_ends(method.value, call, "")
    return source.without(statement)
