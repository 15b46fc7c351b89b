"""Translates simple statements, as Python calls them: assignments, births, and what is returned."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

from fsmkit.crowd.action import CrowdAction
from fsmkit.crowd.compiler.binding import Place
from fsmkit.crowd.compiler.births import BirthStatements
from fsmkit.crowd.compiler.expressions import Expressions
from fsmkit.crowd.compiler.operations import cast, join
from fsmkit.crowd.compiler.syntax_names import syntax_name
from fsmkit.crowd.source import MISSING, Source, event_named

Decide: TypeAlias = Callable[[str], "Sequence[ast.stmt]"]
"""Returns the statements to run when a function returns this event."""


class SimpleStatements:
    """The simple statements of one function, whose returned events `decide` translates."""

    def __init__(
        self,
        source: Source,
        expressions: Expressions,
        action: Any,
        decide: Decide,
        places: list[str],
        *,
        states: Mapping[str, str] | None = None,
    ) -> None:
        self.source = source
        self.expressions = expressions
        self.action = action
        self.decide = decide
        self.is_risky = False
        self.births = BirthStatements(expressions, states or {}, self._with_preparation)
        expressions.places = places

    @property
    def _is_ready_made(self) -> bool:
        """True for an action that the user has only configured, not written."""
        return not isinstance(self.action, CrowdAction)

    def _plain(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.Pass) or _is_text_or_dots(node):
            return []
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return []
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return self._assigned(node, node.target, node.value)
        if isinstance(node, ast.AugAssign):
            changed = ast.BinOp(_loaded(node.target), node.op, node.value)
            return self._assigned(node, node.target, ast.copy_location(changed, node))
        if isinstance(node, ast.Assign):
            return self._assignment(node)
        if isinstance(node, ast.Expr) and self.births.is_call(node.value):
            return self.births.translated(node, node.value)
        if isinstance(node, ast.Expr):
            self.expressions.typed(node.value)  # raises with the reason of its own, if it has one
            raise self.source.refuse(
                node, f"`{ast.unparse(node)}` has no effect here.",
                "A function reads and writes fields, and may return an event.",
            )  # fmt: skip
        raise self.source.refuse(
            node, f"{syntax_name(node)} cannot be compiled.",
            "Write `for _ in range(10):`, and leave it with `break`."
            if isinstance(node, ast.While)
            else "Use if and else, assignments and return.",
        )  # fmt: skip

    def _assignment(self, node: ast.Assign) -> list[ast.stmt]:
        target = node.targets[0]
        if len(node.targets) > 1:
            return self._same(node, node.targets, node.value)
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            return self._several(node, target.elts, node.value.elts)
        if isinstance(target, ast.Tuple) and (values := self.expressions.members(node.value)):
            return self._several(node, target.elts, [_literal(node, each) for each in values])
        return self._assigned(node, target, node.value)

    def _several(
        self, node: ast.stmt, targets: Sequence[ast.expr], values: Sequence[ast.expr]
    ) -> list[ast.stmt]:
        """Translate `a, b = b, a`: every value is computed before the first one is assigned."""
        if len(targets) != len(values):
            raise self.source.refuse(
                node, f"{len(targets)} targets need as many values, got {len(values)}.",
                "Write a value for each.",
            )  # fmt: skip
        names = [self.expressions.unused(f"_{index}") for index in range(len(values))]
        kept = [
            statement
            for name, value in zip(names, values, strict=True)
            for statement in self._assigned(node, ast.Name(name, ast.Store()), value)
        ]
        moved = [
            statement
            for name, target in zip(names, targets, strict=True)
            for statement in self._assigned(node, target, ast.Name(name, ast.Load()))
        ]
        for name in names:
            del self.expressions.locals[name]
        return [*kept, *moved]

    def _same(self, node: ast.stmt, targets: Sequence[ast.expr], value: ast.expr) -> list[ast.stmt]:
        """Translate `a = b = 0`: the value is computed once."""
        name = self.expressions.unused("_0")
        kept = self._assigned(node, ast.Name(name, ast.Store()), value)
        for target in targets:
            kept += self._assigned(node, target, ast.Name(name, ast.Load()))
        del self.expressions.locals[name]
        return kept

    def _assigned(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        (translated, kind), before = self._with_preparation(
            node, lambda: self.expressions.typed(value)
        )
        if isinstance(target, ast.Name):
            if target.id in self.expressions.roles:
                raise self.source.refuse(
                    node, f"{target.id!r} is a parameter.", "Assign to a variable of another name."
                )
            self.expressions.locals[target.id] = kind
            self.expressions.mixed.discard(target.id)
            return [*before, assign(self.expressions.variable(target.id, kind), translated)]
        place = self.expressions.place(target)
        if place is None:
            raise self.source.refuse(
                node,
                f"{ast.unparse(target)} cannot be assigned to.",
                "Assign to fields and variables.",
            )
        self._check_fits(node, target, place, kind)
        return [*before, assign(place.text, cast(translated, kind, place.kind))]

    def _check_fits(self, node: ast.stmt, target: ast.expr, place: Place, kind: str) -> None:
        name = self.expressions.title(target)
        if not place.is_writable:
            is_world = place.text.startswith("world_")
            if place.is_given:
                raise self.source.refuse(
                    node, f"{name} cannot be written: a crowd keeps it itself.",
                    "For a value of your own, add a field of another name.",
                )  # fmt: skip
            raise self.source.refuse(
                node, f"{name} cannot be written here.",
                "Shared values would depend on the order of the agents: change them from outside, "
                "between two updates." if is_world else "It is a constant.",
            )  # fmt: skip
        if place.kind != "float" and join(place.kind, kind) != place.kind:
            given = "float" if kind == "either" else kind
            other = f"make it a field of the kind {given}."
            raise self.source.refuse(
                node, f"{name} must be {place.kind}, got {given}.",
                other.capitalize() if self._is_ready_made
                else f"Write {place.kind}(...), or {other}",
            )  # fmt: skip

    def _sent(self, node: ast.Return, value: ast.expr | None) -> list[ast.stmt]:
        if value is None:
            return []
        if isinstance(value, ast.IfExp):
            test, before = self._with_preparation(node, lambda: self.expressions.test(value.test))
            body = self._sent(node, value.body) or [ast.Pass()]
            return [*before, ast.If(test, body, self._sent(node, value.orelse))]
        event = event_named(self.source, self.action.definition.events, value)
        if event is None:
            return []
        if not isinstance(event, str) or event is MISSING:
            raise self.source.refuse(
                node, f"`return {ast.unparse(value)}` must return an event.",
                "Return the name of an event, a str, or None.",
            )  # fmt: skip
        return list(self.decide(event))

    def _with_preparation(
        self, node: ast.stmt, translate: Callable[[], Any]
    ) -> tuple[Any, list[ast.stmt]]:
        """Translate a part of a statement; return it with the statements to run before it."""
        expressions = self.expressions
        expressions.hoisted, expressions.is_risky, expressions.statement = [], False, node
        result = translate()
        before = expressions.hoisted
        if expressions.is_risky:
            self.is_risky = True
            before = [*self._note(), *before]
        return result, before

    def _note(self) -> list[ast.stmt]:
        return noted(self.expressions.place_number)


def noted(place: int) -> list[ast.stmt]:
    """Note the agent and the place in the source: for the error, if one is raised."""
    return ast.parse(f"notes[0, 0] = i\nnotes[0, 1] = {place}").body


def _literal(place: ast.AST, value: Any) -> ast.expr:
    number = int(value) if isinstance(value, int) and isinstance(value, Enum) else value
    return ast.copy_location(ast.Constant(number), place)


def assign(target: str, value: ast.expr) -> ast.stmt:
    """Return an assignment of compiled code."""
    [statement] = ast.parse(f"{target} = 0").body
    assert isinstance(statement, ast.Assign)
    statement.value = value
    return statement


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Attribute):
        return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    return target


def _is_text_or_dots(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and (isinstance(node.value.value, str) or node.value.value is ...)
    )
