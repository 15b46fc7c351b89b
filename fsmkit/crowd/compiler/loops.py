"""Loops over constants, which are written out: their turns."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import define, field

from fsmkit.crowd.compiler.lookups import Lookups

MAX_TURNS: Final = 100
"""The most turns of the loops in a function, each turn of a loop within a loop counted."""

RETURNED: Final = 1
"""The number that stands for a `return`, where later statements are skipped."""


@define(eq=False)
class Loop:
    """A loop that is being written out."""

    depth: int
    """1 for a loop that is in no other one."""
    skipped: list[dict[str, str]] = field(factory=list)
    """The variables and their kinds where this turn ends early."""
    left: list[dict[str, str]] = field(factory=list)
    """The same, where the loop is left."""

    @property
    def skips(self) -> int:
        """The number that stands for `continue`."""
        return 2 * self.depth

    @property
    def leaves(self) -> int:
        """The number that stands for `break`."""
        return 2 * self.depth + 1


def turns_of(node: ast.For, expressions: Lookups) -> Sequence[Mapping[str, Any]]:
    """Return, for each turn, the values of the loop's variables. Raises SubsetError."""
    values = expressions.members(node.iter)
    if values is None:
        _refuse(node, expressions)
    assert values is not None
    if len(values) > MAX_TURNS:
        expressions.refuse(
            node, f"the loop has {len(values)} turns, but is written out when it is compiled.",
            f"{MAX_TURNS} are possible.",
        )  # fmt: skip
    return [dict(_assigned(node, expressions, node.target, each)) for each in values]


def _refuse(node: ast.For, expressions: Lookups) -> None:
    expressions.refuse_changeable(node.iter)
    text = ast.unparse(node.iter)
    if isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range":
        expressions.refuse(
            node, f"{text} is not constant, but loops are written out when they are compiled.",
            "Loop over a constant range, and leave it with `break`.",
        )  # fmt: skip
    expressions.refuse(
        node, f"a loop over {text} cannot be compiled, as that is no constant.",
        "Loop over a constant range or tuple; let Cells or Places write what is near into fields.",
    )  # fmt: skip


def _assigned(
    node: ast.For, expressions: Lookups, target: ast.expr, value: Any
) -> list[tuple[str, Any]]:
    """Return the variables of a turn with their values."""
    if isinstance(target, ast.Name):
        if target.id in expressions.roles:
            expressions.refuse(
                node, f"{target.id!r} is a parameter.", "Take a variable of another name."
            )
        return [(target.id, value)]
    if not isinstance(target, ast.Tuple) or any(isinstance(e, ast.Starred) for e in target.elts):
        expressions.refuse(
            node, f"{ast.unparse(target)} cannot be the variable of a loop.", "Take a variable."
        )
    if not isinstance(value, tuple) or len(value) != len(target.elts):
        expressions.refuse(
            node, f"{value!r} does not fit {ast.unparse(target)}.", "Take as many variables."
        )
    pairs = zip(target.elts, value, strict=True)
    return [one for part, each in pairs for one in _assigned(node, expressions, part, each)]


def assigns(statements: Sequence[ast.stmt], name: str) -> bool:
    """Return True if they assign to a variable."""
    return any(
        (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.MatchAs) and node.name == name)
        for statement in statements
        for node in ast.walk(statement)
    )


def reads(statements: Sequence[ast.stmt], name: str) -> int:
    """Return how many times they read a variable."""
    nodes = (node for statement in statements for node in ast.walk(statement))
    return sum(
        isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
        for each in nodes
    )
