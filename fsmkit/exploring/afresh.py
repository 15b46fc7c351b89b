"""Attributes that an action sets on entering, before it reads them.

What such an attribute was before has no influence on what comes, so two moments that differ only in
what an action still holds from its last visit are the same. It is read from the source of
`on_enter`; what cannot be read counts as remembered.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable
from functools import cache
from types import FunctionType
from typing import Any, Final
from weakref import WeakKeyDictionary

from fsmkit import FsmAction

DEEPEST: Final = 12
"""How many calls of methods inside each other are followed."""


def set_on_enter(kind: type[FsmAction[Any]]) -> frozenset[str]:
    """Return the attributes that `on_enter` of a class always sets before it reads them.

    >>> from actions import Cooldown, TimedWait
    >>> sorted(set_on_enter(TimedWait)), sorted(set_on_enter(Cooldown))
    (['elapsed', 'length'], [])
    """
    if kind not in _KNOWN:
        reading = _Reading(kind)
        reading.method("on_enter", kind.__mro__, 0)
        _KNOWN[kind] = frozenset(reading.written)
    return _KNOWN[kind]


class _Reading:
    """Follows the straight way through a method: what it surely sets, and what it may read."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.written: set[str] = set()
        self.read: set[str] = set()

    def method(self, name: str, classes: Iterable[type], depth: int) -> bool:
        """Follow a method of the first of `classes` that has it; False if it is not known."""
        owners = list(classes)
        for index, owner in enumerate(owners):
            if name in vars(owner):
                member = vars(owner)[name]
                function = member.fget if isinstance(member, property) else member
                if owner is FsmAction or depth > DEEPEST:
                    return True
                return self._function(function, owners[index + 1 :], depth)
        return False

    def _function(self, function: object, above: list[type], depth: int) -> bool:
        tree = _tree(function) if isinstance(function, FunctionType) else None
        if tree is None or not tree.args.args:
            return False
        walk = _Walk(self, tree.args.args[0].arg, above, depth)
        walk.statements(tree.body)
        return True


class _Walk:
    """Follows the body of one method; `me` is what it calls its action."""

    def __init__(self, reading: _Reading, me: str, above: list[type], depth: int) -> None:
        self.reading = reading
        self.me = me
        self.above = above
        self.depth = depth
        self.is_sure = True
        """False from where on it is not sure that a statement is reached."""

    def statements(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                self._expression(value)
                for target in targets:
                    self._assigned(target)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self._expression(value)
                self._assigned(target)
            case ast.Expr(value=value):
                self._expression(value)
            case ast.Return(value=value):
                if value is not None:
                    self._expression(value)
                self.is_sure = False
            case ast.With(items=items, body=body):
                for item in items:
                    self._expression(item.context_expr)
                self.statements(body)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
                self.statements(body)
                self._maybe([*handlers, *orelse, *finalbody])
            case _:
                self._maybe([statement])

    def _maybe(self, nodes: Iterable[ast.AST]) -> None:
        """Follow what may not be reached: nothing of it is surely set, anything may be read."""
        before, self.is_sure = self.is_sure, False
        leaves = False
        for node in nodes:
            self._expression(node)
            leaves |= any(isinstance(each, ast.Return) for each in ast.walk(node))
        self.is_sure = before and not leaves

    def _assigned(self, target: ast.expr) -> None:
        name = self._own(target)
        if name is None:
            self._expression(target)
        elif self.is_sure and name not in self.reading.read:
            self.reading.written.add(name)

    def _expression(self, node: ast.AST) -> None:
        """Note what an expression reads, and follow the methods that it calls."""
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name) as function):
                for part in (*node.args, *node.keywords):
                    self._expression(part)
                if _is_super(owner):
                    self._call(name, self.above)
                elif self._own(function) is not None:
                    self._read(name)
                else:
                    self._expression(owner)
                return
            case ast.IfExp() | ast.BoolOp() | ast.Lambda():
                before, self.is_sure = self.is_sure, False
                self._children(node)
                self.is_sure = before
                return
        attribute = self._own(node)
        if attribute is not None:
            if isinstance(node.ctx, ast.Load) or not self.is_sure:  # type: ignore[attr-defined]
                self._read(attribute)
        else:
            self._children(node)

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            self._expression(child)

    def _read(self, name: str) -> None:
        """Note that an attribute is read: a value, or a method or property to be followed."""
        member = inspect.getattr_static(self.reading.kind, name, None)
        if isinstance(member, FunctionType | property):
            self._call(name, self.reading.kind.__mro__)
        elif name not in self.reading.written:
            self.reading.read.add(name)

    def _call(self, name: str, classes: Iterable[type]) -> None:
        written = set(self.reading.written)
        self.reading.method(name, classes, self.depth + 1)
        if not self.is_sure:
            self.reading.written &= written

    def _own(self, node: ast.AST) -> str | None:
        """Return the name of an attribute of the action itself."""
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self.me:
                return name
        return None


def _is_super(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="super")):
            return True
    return False


@cache
def _tree(function: FunctionType) -> ast.FunctionDef | None:
    """Return the syntax of a function; None if its source is not there."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    found = tree.body[0] if tree.body else None
    return found if isinstance(found, ast.FunctionDef) else None


_KNOWN: Final[WeakKeyDictionary[type, frozenset[str]]] = WeakKeyDictionary()
