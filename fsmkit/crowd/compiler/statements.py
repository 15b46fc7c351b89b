"""Translates the statements of a function into those of compiled code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from attrs import frozen

from fsmkit.crowd.action import CrowdAction
from fsmkit.crowd.compiler.binding import Place
from fsmkit.crowd.compiler.expressions import Expressions
from fsmkit.crowd.compiler.operations import cast, join
from fsmkit.crowd.compiler.syntax_names import syntax_name
from fsmkit.crowd.errors import SubsetError
from fsmkit.crowd.source import MISSING, Source, event_named

Decide: TypeAlias = Callable[[str], "Sequence[ast.stmt]"]
"""Returns the statements to run when a function returns this event."""


class _FlagNeededError(Exception):
    """A function returns in the middle of a branch that may also go on."""


@frozen
class Flow:
    """A block of statements, and its ending."""

    statements: list[ast.stmt]
    ends: bool
    """True if it always returns."""
    may_end: bool
    """True if it may return."""


class Statements:
    """The statements of one function, whose returned events `decide` translates.

    Early returns become branches: statements after `if ...: return` are put into its `else`.
    """

    returns_at_once = False
    """True if a `return` stays a `return`."""

    def __init__(
        self,
        source: Source,
        expressions: Expressions,
        action: Any,
        decide: Decide,
        places: list[str],
    ) -> None:
        self.source = source
        self.expressions = expressions
        self.action = action
        self.decide = decide
        self.has_flag = False
        self.is_risky = False
        expressions.places = places

    def translate(self) -> list[ast.stmt]:
        """Translate the whole function. Raises SubsetError if it cannot be compiled."""
        try:
            return self._translated()
        except SubsetError as error:
            if not self._is_ready_made:
                raise
            raise SubsetError(f"{self.expressions.binding.where}, {error}") from error

    @property
    def _is_ready_made(self) -> bool:
        """True for an action that the user has only configured, not written."""
        return not isinstance(self.action, CrowdAction)

    def _translated(self) -> list[ast.stmt]:
        beginning = dict(self.expressions.locals)
        try:
            return self._block(self.source.body).statements or [ast.Pass()]
        except _FlagNeededError:
            self.has_flag = True
            self.expressions.locals = beginning
            first = _assign(self._flag, ast.Constant(False))
            return [first, *self._block(self.source.body).statements]

    @property
    def _flag(self) -> str:
        return self.expressions.new_local("over")

    def _block(self, statements: Sequence[ast.stmt]) -> Flow:
        done: list[ast.stmt] = []
        may_end = False
        for index, statement in enumerate(statements):
            if isinstance(statement, ast.Return):
                return Flow([*done, *self._return(statement)], True, True)
            if isinstance(statement, ast.If):
                flow = self._if(statement, statements[index + 1 :])
                return Flow([*done, *flow.statements], flow.ends, may_end or flow.may_end)
            done += self._plain(statement)
        return Flow(done, False, may_end)

    def _if(self, node: ast.If, rest: Sequence[ast.stmt]) -> Flow:
        test, before = self._with_preparation(node, lambda: self.expressions.test(node.test))
        known = dict(self.expressions.locals)
        body = self._block(node.body)
        after_body, self.expressions.locals = self.expressions.locals, dict(known)
        orelse = self._block(node.orelse)
        after_else = self.expressions.locals
        if body.ends and orelse.ends:
            return Flow([*before, _if(test, body, orelse)], True, True)
        if body.ends and not (orelse.may_end and rest):
            self.expressions.locals = after_else
            orelse = _then(orelse, self._block(rest))
            return Flow([*before, _if(test, body, orelse)], orelse.ends, True)
        if orelse.ends and not (body.may_end and rest):
            self.expressions.locals = after_body
            body = _then(body, self._block(rest))
            return Flow([*before, _if(test, body, orelse)], body.ends, True)
        if body.ends or orelse.ends:
            self.expressions.locals = after_else if body.ends else after_body
        else:
            self.expressions.locals = _meet(after_body, after_else)
            body = self._made_same(node, body, after_body)
            orelse = self._made_same(node, orelse, after_else)
        branches = _if(test, body, orelse)
        if self.returns_at_once or not rest or not (body.may_end or orelse.may_end):
            following = self._block(rest)
            may_end = body.may_end or orelse.may_end or following.may_end
            return Flow([*before, branches, *following.statements], following.ends, may_end)
        if not self.has_flag:
            raise _FlagNeededError
        following = self._block(rest)
        return Flow(
            [*before, branches, self._unless_over(following.statements)], following.ends, True
        )

    def _made_same(self, node: ast.stmt, branch: Flow, kinds: dict[str, str]) -> Flow:
        """Return a branch whose variables have, at its end, the kinds that they have after it."""
        made: list[ast.stmt] = []
        for name, kind in self.expressions.locals.items():
            if kind != kinds[name]:
                made += self._joined(node, name, kinds[name], kind)
        if made and branch.may_end and not self.returns_at_once:
            # Without a flag no later statement can read them.
            made = [self._unless_over(made)] if self.has_flag else []
        return Flow([*branch.statements, *made], branch.ends, branch.may_end)

    def _joined(self, node: ast.stmt, name: str, kind: str, wanted: str) -> list[ast.stmt]:
        local = self.expressions.local(name)
        joined, before = self._with_preparation(
            node, lambda: self.expressions.joined(ast.Name(local), kind, wanted)
        )
        return [*before, _assign(local, joined)]

    def _unless_over(self, statements: list[ast.stmt]) -> ast.stmt:
        return ast.If(ast.UnaryOp(ast.Not(), ast.Name(self._flag)), statements, [])

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
            target = node.targets[0]
            if len(node.targets) > 1:
                return self._same(node, node.targets, node.value)
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                return self._several(node, target.elts, node.value.elts)
            return self._assigned(node, target, node.value)
        if isinstance(node, ast.Expr):
            self.expressions.typed(node.value)  # raises with the reason of its own, if it has one
            raise self.source.refuse(
                node, f"`{ast.unparse(node)}` has no effect here.",
                "A function reads and writes fields, and may return an event.",
            )  # fmt: skip
        raise self.source.refuse(
            node, f"{syntax_name(node)} cannot be compiled.",
            "Write its steps out; compute values for all agents between two updates."
            if isinstance(node, (ast.For, ast.While))
            else "Use if and else, assignments and return.",
        )  # fmt: skip

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
            return [*before, _assign(self.expressions.local(target.id), translated)]
        place = self.expressions.place(target)
        if place is None:
            raise self.source.refuse(
                node,
                f"{ast.unparse(target)} cannot be assigned to.",
                "Assign to fields and variables.",
            )
        self._check_fits(node, target, place, kind)
        return [*before, _assign(place.text, cast(translated, kind, place.kind))]

    def _check_fits(self, node: ast.stmt, target: ast.expr, place: Place, kind: str) -> None:
        name = self.expressions.title(target)
        if not place.is_writable:
            is_world = place.text.startswith("world_")
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

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        over = [_assign(self._flag, ast.Constant(True))] if self.has_flag else []
        return [*self._sent(node, node.value), *over]

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
            before = [*before, *self._note()]
        return result, before

    def _note(self) -> list[ast.stmt]:
        return noted(self.expressions.place_number)


def noted(place: int) -> list[ast.stmt]:
    """Note the agent and the place in the source: for the error, if one is raised."""
    return ast.parse(f"notes[0, 0] = i\nnotes[0, 1] = {place}").body


def _if(test: ast.expr, body: Flow, orelse: Flow) -> ast.stmt:
    if not body.statements and orelse.statements:
        return ast.If(ast.UnaryOp(ast.Not(), test), orelse.statements, [])
    return ast.If(test, body.statements or [ast.Pass()], orelse.statements)


def _meet(one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """Return the variables that have a value on both paths."""
    return {name: join(kind, other[name]) for name, kind in one.items() if name in other}


def _then(first: Flow, second: Flow) -> Flow:
    return Flow(
        [*first.statements, *second.statements], second.ends, first.may_end or second.may_end
    )


def _assign(target: str, value: ast.expr) -> ast.stmt:
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
