"""The loop without branches that goes before the update loop, for machines that are light.

A processor does it for several agents at once, as long as it does the same for all of them. So what
is rare is not done there: an agent who would have an error, or who changes the state twice, is left
as it is, and left over for the update loop.
"""

from __future__ import annotations

import ast
import re
from textwrap import indent
from typing import Final

from fsmkit.crowd.layout import Layout
from fsmkit.crowd.selecting import LEFT, BranchNeededError, Selecting, selected

MOST: Final = 400
"""Operations for which a loop without branches is worth it."""

IMPORTS: Final = """
from numba import types
from numba.extending import intrinsic
"""

COMPILED: Final = '''
swift = compile(nogil=True, cache=True, error_model="numpy")


@intrinsic
def _select(typing, when, value, instead):
    """One of two values, both of which are worked out."""
    kind = types.unliteral(typing.unify_pairs(value, instead))

    def write(context, builder, signature, arguments):
        return builder.select(*arguments)

    return kind(types.boolean, kind, kind), write
'''

LOOP: Final = """# The update of all agents for whom nothing is raised, and who change the state once at most.
# It does the same as `update`, without branches; the others are left as they are, for `update`.
@swift
def sweep({parameters}):
    count = 0
    for i in range(len(state)):
{body}
    return count"""

STEP: Final = """
s = state[i]
to = STAY
{decide}
if to != STAY:
{leave}
    s = to
    to = STAY
    state[i] = s
    entered_at[i] = now
{enter}
    {goes_on}
"""


def sweep(layout: Layout, decide: str, leave: str, enter: str, begin: str) -> str | None:
    """The text of the loop, made of the parts of the update loop; None if it is not worth it."""
    step = begin + STEP.format(
        decide=decide,
        leave=indent(leave, " " * 4),
        enter=indent(enter, " " * 4),
        goes_on="left |= to != STAY" if "to = " in enter else "",
    )
    statements = ast.parse(re.sub(r"^( *)(#.*)$", _as_text, step, flags=re.MULTILINE)).body
    try:
        done = _without_branches(layout, statements)
    except BranchNeededError:
        return None
    if sum(map(_operations, done)) > MOST:
        return None
    body = indent("\n".join(map(_written, done)), " " * 8)
    return LOOP.format(parameters=", ".join(layout.parameters(LEFT)), body=body)


def _without_branches(layout: Layout, statements: list[ast.stmt]) -> list[ast.stmt]:
    kinds = layout.columns.kinds
    columns = {"state": False, "entered_at": False} | {
        name: layout.columns.place(name).is_narrow for name in kinds
    }
    used = {each.id for part in statements for each in ast.walk(part) if isinstance(each, ast.Name)}
    selecting = Selecting(columns, {*used, *layout.parameters(LEFT)})
    for column in columns:
        if column in used:
            selecting.read(column)
    before = dict(selecting.values)
    selecting.block(statements)
    left = selecting.values[LEFT]
    for column in columns:
        if column in selecting.written:
            value = selected(left, before[column], selecting.values[column])
            selecting.done.append(_stored(column, value))
    selecting.done += [_stored(LEFT, left), *ast.parse(f"count += {ast.unparse(left)}").body]
    return selecting.done


def _stored(column: str, value: ast.expr) -> ast.stmt:
    return ast.parse(f"{column}[i] = {ast.unparse(value)}").body[0]


def _as_text(comment: re.Match[str]) -> str:
    return f"{comment[1]}{comment[2]!r}"


def _written(statement: ast.stmt) -> str:
    """A statement as text, a comment as one again."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ast.unparse(statement)


def _operations(statement: ast.stmt) -> int:
    counted = (ast.BinOp, ast.Compare, ast.Call, ast.UnaryOp)
    return sum(isinstance(each, counted) for each in ast.walk(statement))
