"""The facts that the code of a machine reads: only these count when moments are compared.

A fact such as the previous state counts only if some code reads it. An attribute that an action
always sets on entering, before it reads it, has no influence on the future: its value from the last
visit does not count either. That is read from the source of `on_enter`; if the source
cannot be read, attributes count as remembered.
"""

from __future__ import annotations

import ast
import dis
import inspect
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from attrs import define, field

from fsmkit import FsmAction

DEEPEST: Final = 12
"""How many calls of methods inside each other are followed."""

FACTS: Final = frozenset({"previous_state", "last_event", "event_data", "time", "time_in_state"})
"""Attributes of an `Fsm` that reveal its past."""

OURS: Final = frozenset({"fsmkit", "actions"})


class Reads:
    """The facts that the code seen so far reads."""

    def __init__(self) -> None:
        self.facts: set[str] = set()
        self._seen: set[object] = set()

    def add_function(self, function: FunctionType) -> None:
        if function.__code__ in self._seen or _is_foreign(function.__module__):
            return
        self._seen.add(function.__code__)
        for code in _codes(function.__code__):
            self.facts |= _facts_in(code)
            for name in code.co_names:
                self._add_global(function.__globals__.get(name))

    def add_class(self, kind: type) -> None:
        if kind in self._seen or _is_foreign(kind.__module__):
            return
        self._seen.add(kind)
        for base in kind.__mro__:
            for member in vars(base).values():
                function = getattr(member, "__func__", getattr(member, "fget", member))
                if isinstance(function, FunctionType) and not _is_foreign(base.__module__):
                    self.add_function(function)

    def _add_global(self, value: object) -> None:
        if isinstance(value, FunctionType):
            self.add_function(value)
        elif isinstance(value, type):
            self.add_class(value)
        elif isinstance(value, ModuleType) and not _is_foreign(value.__name__):
            for member in list(vars(value).values()):
                if isinstance(member, FunctionType):
                    self.add_function(member)


def _facts_in(code: CodeType) -> set[str]:
    """Return the facts that code reads as attributes, or names in a string."""
    read = {
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")
    }
    named = {const for const in code.co_consts if isinstance(const, str)} - {"time"}
    return {str(name) for name in FACTS & (read | named)}


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _codes(const)


@cache
def _is_foreign(module: str | None) -> bool:
    """Return True for a module of fsmkit or of the standard library."""
    package = (module or "").partition(".")[0]
    return package in OURS or package in sys.stdlib_module_names - {"__main__"}


@lru_cache(maxsize=1_000)  # a build() may make new classes each time
def set_on_enter(kind: type[FsmAction[Any]]) -> frozenset[str]:
    """Return the attributes that `on_enter` of a class always sets before it reads them.

    >>> from actions import Cooldown, TimedWait
    >>> sorted(set_on_enter(TimedWait)), sorted(set_on_enter(Cooldown))
    (['elapsed', 'length'], [])
    """
    trace = _EntryTrace(kind)
    trace.method("on_enter", kind.__mro__, 0)
    return frozenset(trace.written)


@define
class _EntryTrace:
    """Follows a method without its branches: notes what it surely sets, and what it may read."""

    kind: type
    written: set[str] = field(factory=set)
    read: set[str] = field(factory=set)

    def method(self, name: str, classes: Sequence[type], depth: int) -> None:
        """Follow a method of the first of `classes` that has it, unless that is FsmAction."""
        index = next((i for i, kind in enumerate(classes) if name in vars(kind)), None)
        if index is None or classes[index] is FsmAction or depth > DEEPEST:
            return
        member = vars(classes[index])[name]
        function = member.fget if isinstance(member, property) else member
        tree = _tree(function) if isinstance(function, FunctionType) else None
        if tree is not None and tree.args.args:
            me = tree.args.args[0].arg
            _MethodTrace(self, me, classes[index + 1 :], depth).statements(tree.body)


@define
class _MethodTrace:
    """Follows the body of one method; `me` is its name for the action."""

    trace: _EntryTrace
    me: str
    above: Sequence[type]
    depth: int
    is_sure: bool = True
    """False once it is not certain that a statement is reached."""

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
            case ast.Expr():
                self._children(statement)
            case ast.Return():
                self._children(statement)
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
        """Follow code that may not be reached: it sets nothing for certain, but may read."""
        before, self.is_sure = self.is_sure, False
        leaves = False
        for node in nodes:
            self._expression(node)
            leaves |= any(isinstance(each, ast.Return) for each in ast.walk(node))
        self.is_sure = before and not leaves

    def _assigned(self, target: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._assigned(each)
            return
        name = self._own(target)
        if name is None:
            self._expression(target)
        elif self.is_sure and name not in self.trace.read:
            self.trace.written.add(name)

    def _expression(self, node: ast.AST) -> None:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name) as function):
                for part in (*node.args, *node.keywords):
                    self._expression(part)
                if isinstance(owner, ast.Call) and ast.unparse(owner.func) == "super":
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
        member = inspect.getattr_static(self.trace.kind, name, None)
        if isinstance(member, FunctionType | property):
            self._call(name, self.trace.kind.__mro__)
        elif name not in self.trace.written:
            self.trace.read.add(name)

    def _call(self, name: str, classes: Sequence[type]) -> None:
        written = set(self.trace.written)
        self.trace.method(name, classes, self.depth + 1)
        if not self.is_sure:
            self.trace.written &= written

    def _own(self, node: ast.AST) -> str | None:
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self.me:
                return name
        return None


@lru_cache(maxsize=1_000)
def _tree(function: FunctionType) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    found = tree.body[0] if tree.body else None
    return found if isinstance(found, ast.FunctionDef) else None
