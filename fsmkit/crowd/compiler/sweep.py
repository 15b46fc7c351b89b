"""Sweep: the loop without branches that runs before the update loop, for light machines.

A processor runs it for several agents at once, as long as it does the same for all of them. So rare
cases are not handled there: an agent for which an error would be raised, or which changes its state
more than once, is not touched, and is left to the update loop.
"""

from __future__ import annotations

import ast
import re
from textwrap import indent
from typing import Final

from fsmkit.crowd.compiler.if_conversion import LEFT, BranchNeededError, IfConverter, selected
from fsmkit.crowd.compiler.layout import Layout

MAX_STATES: Final = 32
MAX_OPERATIONS: Final = 300
"""The most operations of a sweep: it does all of them for every agent."""

IMPORTS: Final = """from numba import types
from numba.extending import intrinsic
"""

COMPILED: Final = '''swift = compile(nogil=True, cache=True, error_model="numpy")


@intrinsic
def _select(typing, when, value, instead):
    """One of two values, without a branch."""
    kind = types.unliteral(typing.unify_pairs(value, instead))

    def write(context, builder, signature, arguments):
        return builder.select(*arguments)

    return kind(types.boolean, kind, kind), write'''

LOOP: Final = """\
# Does the same as `update`, but without branches, so that it can run for several agents at once.
# Those for which an error would be raised, or which go on to a second state, are not touched, but
# left to `update`.
@swift
def sweep({parameters}):
    count = 0
    for i in range(len(state)):
{body}
    return count"""

STEP: Final = """s = state[i]
to = STAY
{decide}
if to != STAY:
{leave}
    s = to
    to = STAY
    state[i] = s
    entered_at[i] = now
{enter}
"""


def sweep(layout: Layout, begin: str, decide: str, leave: str, enter: str) -> str | None:
    """Return the text of the loop, from the parts of the update loop; None if it is too heavy."""
    if len(layout.states) > MAX_STATES:
        return None
    if "to = " in enter:
        enter += f"\n{LEFT} |= to != STAY"
    step = begin + STEP.format(
        decide=decide, leave=indent(leave, " " * 4), enter=indent(enter, " " * 4)
    )
    commented = re.sub("(?m)^( *)(#.*)$", lambda line: f"{line[1]}{line[2]!r}", step)
    try:
        done = _without_branches(layout, ast.parse(commented).body)
    except BranchNeededError:
        return None
    if sum(map(_operations, done)) > MAX_OPERATIONS:
        return None
    body = indent("\n".join(map(_text, done)), " " * 8)
    return LOOP.format(parameters=", ".join(layout.parameters(LEFT)), body=body)


def _without_branches(layout: Layout, statements: list[ast.stmt]) -> list[ast.stmt]:
    used = {each.id for part in statements for each in ast.walk(part) if isinstance(each, ast.Name)}
    float32 = {name: layout.columns.place(name).is_float32 for name in layout.columns.kinds}
    columns = {"state": False, "entered_at": False, **float32}
    converter = IfConverter(
        {name: is_float32 for name, is_float32 in columns.items() if name in used},
        {*used, *layout.parameters(LEFT)},
    )
    before = dict(converter.values)
    converter.block(statements)
    after, left = converter.values, converter.values[LEFT]
    stored = {
        name: selected(left, before[name], after[name])
        for name in columns
        if name in converter.written
    }
    ends = [f"{name}[i] = {ast.unparse(value)}" for name, value in (stored | {LEFT: left}).items()]
    return [*converter.done, *ast.parse("\n".join([*ends, f"count += {LEFT}[i]"])).body]


def _text(statement: ast.stmt) -> str:
    """Return the text of a statement, or of a comment that was made one."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ast.unparse(statement)


def _operations(statement: ast.stmt) -> int:
    counted = (ast.BinOp, ast.Compare, ast.Call, ast.UnaryOp)
    return sum(isinstance(each, counted) for each in ast.walk(statement))
