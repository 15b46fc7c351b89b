"""The loop without branches that goes before the update loop, for machines that are light.

A processor does it for several agents at once, as long as it does the same for all of them. So what
is rare is not done there: an agent for whom an error would be raised, or who changes the state more
than once, is left as it is, and left over for the update loop.
"""

from __future__ import annotations

import ast
import re
from textwrap import indent
from typing import Final

from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.compiler.selecting import LEFT, BranchNeededError, Selecting, selected

MOST_STATES: Final = 32
MOST: Final = 300
"""Operations up to which a sweep is written: it does all of them for every agent."""

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
# Does what `update` does, but without branches, so that it can be done for several agents at once.
# Those for whom an error would be raised, or who go on to a second state, stay as they are, and are
# left over for `update`.
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
    """The text of the loop, from the parts of the update loop; None if there should be none."""
    if len(layout.states) > MOST_STATES:
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
    if sum(map(_operations, done)) > MOST:
        return None
    body = indent("\n".join(map(_text, done)), " " * 8)
    return LOOP.format(parameters=", ".join(layout.parameters(LEFT)), body=body)


def _without_branches(layout: Layout, statements: list[ast.stmt]) -> list[ast.stmt]:
    used = {each.id for part in statements for each in ast.walk(part) if isinstance(each, ast.Name)}
    narrow = {name: layout.columns.place(name).is_narrow for name in layout.columns.kinds}
    columns = {"state": False, "entered_at": False, **narrow}
    selecting = Selecting(
        {name: is_narrow for name, is_narrow in columns.items() if name in used},
        {*used, *layout.parameters(LEFT)},
    )
    before = dict(selecting.values)
    selecting.block(statements)
    after, left = selecting.values, selecting.values[LEFT]
    stored = {
        name: selected(left, before[name], after[name])
        for name in columns
        if name in selecting.written
    }
    ends = [f"{name}[i] = {ast.unparse(value)}" for name, value in (stored | {LEFT: left}).items()]
    return [*selecting.done, *ast.parse("\n".join([*ends, f"count += {LEFT}[i]"])).body]


def _text(statement: ast.stmt) -> str:
    """A statement, or a comment that was made one."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ast.unparse(statement)


def _operations(statement: ast.stmt) -> int:
    counted = (ast.BinOp, ast.Compare, ast.Call, ast.UnaryOp)
    return sum(isinstance(each, counted) for each in ast.walk(statement))
