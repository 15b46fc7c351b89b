"""Sweep: the loop without branches that runs before the update loop, for light machines.

A processor runs it for several agents at once, as long as all of them do the same. So rare cases
are not handled there: an agent for which an error would be raised, which changes its state more
than once, or which needs branches, for example to draw a random number, is not touched, but left to
the update loop.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Final

from fsmkit.crowd.compiler import if_conversion
from fsmkit.crowd.compiler.if_conversion import LEFT, BranchNeededError, IfConverter
from fsmkit.crowd.compiler.layout import Layout

OWN: Final = frozenset({LEFT, "call", "entered", "s", "to"})
"""Variables of the loop itself, which always have a value."""

OPERATIONS: Final = (ast.BinOp, ast.Compare, ast.Call, ast.UnaryOp)

MAX_STATES: Final = 32
MAX_OPERATIONS: Final = 300
"""The most operations of a sweep, which performs all of them for every agent."""
MAX_LEFT: Final = 0.5
"""The largest share of the states in which every update needs branches."""

IMPORTS: Final = """from numba import types
from numba.core.cgutils import true_bit
from numba.extending import intrinsic
"""

COMPILED: Final = '''swift = compile(nogil=True, cache=True, error_model="numpy", _nrt=False)


@intrinsic
def _select(typing, when, value, instead):
    """One of two values, without a branch."""
    kind = types.unliteral(typing.unify_pairs(value, instead))

    def write(context, builder, signature, arguments):
        return builder.select(*arguments)

    return kind(types.boolean, kind, kind), write


@intrinsic
def _lowest(typing, word):
    """The number of the lowest bit that is set."""

    def write(context, builder, signature, arguments):
        return builder.cttz(arguments[0], true_bit)

    return types.int64(types.uint64), write'''

LOOP: Final = """\
# Does the same as `update`, but without branches, so that it can run for several agents at once.
# Those for which an error would be raised, which go on to a second state, or which come to
# something that needs branches, are not touched, but left to `update`.
@swift
def sweep({parameters}):
    for i in range(len(state)):
{body}
    # The marks, those of eight agents in a word: few agents change their states, and reading and
    # writing the times of all takes longer.
    some_left = False
    for k in range(len(words)):
        word = words[k]
        if word != 0:
            words[k] = word & np.uint64(0x0101010101010101)
            some_left |= words[k] != 0
            word &= np.uint64(0x0202020202020202)
            while word != 0:
                entered_at[8 * k + _lowest(word) // 8] = now
                word &= word - np.uint64(1)
    return some_left"""
"""Only agents that change their states get a time: that was 1.12 times as fast with a million light
agents, 0.95 times with ten thousand.
"""

STEP: Final = """s = state[i]
to = STAY
{decide}
changed = to != STAY
if changed:
{leave}
    s = to
    to = STAY
    state[i] = s
    entered_at[i] = now
{enter}
"""


MARK: Final = "_select({left}, np.uint8(1), _select({changed}, np.uint8(2), np.uint8(0)))"
"""1 for an agent that is left, 2 for one that has changed its state."""


def sweep(
    layout: Layout, helpers: Sequence[str], *, begin: str, decide: str, leave: str, enter: str
) -> str | None:
    """Return the text of the loop; None if it is too heavy, or would skip most agents.

    `helpers` are the texts of the functions that are called, the others parts of the update loop.
    """
    if len(layout.states) > MAX_STATES:
        return None
    enter += f"\n{LEFT} |= to != STAY" if "to = " in enter else ""
    step = begin + STEP.format(
        decide=decide, leave=indent(leave, " " * 4), enter=indent(enter, " " * 4)
    )
    commented = re.sub("(?m)^( *)(#.*)$", lambda line: f"{line[1]}{line[2]!r}", step)
    parsed_helpers = [each for text in helpers for each in ast.parse(text).body]
    functions = {each.name: each for each in parsed_helpers if isinstance(each, ast.FunctionDef)}
    try:
        if _leaves_most(layout, decide, functions):
            return None
        done = _without_branches(layout, ast.parse(commented).body, functions)
    except (BranchNeededError, if_conversion.TooLongError):
        return None
    operations = [n for part in done for n in ast.walk(part) if isinstance(n, OPERATIONS)]
    if len(operations) > MAX_OPERATIONS:
        return None
    body = indent("\n".join(map(_text, done)), " " * 8)
    return LOOP.format(parameters=", ".join(layout.parameters(LEFT, "words")), body=body)


def _leaves_most(layout: Layout, decide: str, functions: Mapping[str, ast.FunctionDef]) -> bool:
    """Return True if in most states every update needs branches."""
    left = count = 0
    rest = ast.parse(decide).body
    while rest and isinstance(state := rest[0], ast.If):
        count += 1
        try:
            _converter(layout, state.body, functions).block(state.body)
        except BranchNeededError:
            left += 1
        rest = state.orelse
    return left > MAX_LEFT * count


def _converter(
    layout: Layout, statements: list[ast.stmt], functions: Mapping[str, ast.FunctionDef]
) -> IfConverter:
    parts = (*statements, *functions.values())
    names = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)]
    used = {each.id for each in names}
    float32 = {name: layout.columns.operand(name).is_float32 for name in layout.columns.kinds}
    columns = {"state": False, "entered_at": False, "ids": False, **float32}
    return IfConverter(
        {name: is_float32 for name, is_float32 in columns.items() if name in used},
        {*used, *layout.parameters(LEFT, "words")},
        functions,
        {each.id for each in names if isinstance(each.ctx, ast.Store)} - OWN,
    )


def _without_branches(
    layout: Layout, statements: list[ast.stmt], functions: Mapping[str, ast.FunctionDef]
) -> list[ast.stmt]:
    converter = _converter(layout, statements, functions)
    before = dict(converter.values)
    converter.block(statements)
    after, left = converter.values, converter.values[LEFT]
    stored = {
        name: if_conversion.selected(left, value, after[name])
        for name, value in before.items()
        if name not in (LEFT, "entered_at") and after[name] is not value
    }
    lines = [f"{name}[i] = {ast.unparse(value)}" for name, value in stored.items()]
    mark = MARK.format(left=ast.unparse(left), changed=ast.unparse(after["changed"]))
    ends = ast.parse("\n".join([*lines, f"{LEFT}[i] = {mark}"])).body
    return [*_needed(converter.done, ends), *ends]


def _needed(statements: list[ast.stmt], ends: list[ast.stmt]) -> list[ast.stmt]:
    used = {name for each in ends for name in names_in(each)}
    needed: list[ast.stmt] = []
    for statement in reversed(statements):
        if not isinstance(statement, ast.Assign) or ast.unparse(statement.targets[0]) in used:
            needed.append(statement)
            used |= names_in(statement)
    return needed[::-1]


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _text(statement: ast.stmt) -> str:
    """Return the text of a statement, or of a comment that was turned into one."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ast.unparse(statement)
