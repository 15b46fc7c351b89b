"""Readers: which agents may read a field in an update, by the text of the loops.

An agent whose state neither reads a field in an update, nor leads to one that does when it is
entered, does without a new value until somebody else looks.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from attrs import Factory, define, field, frozen

from fsmkit.crowd.compiler.columns import CrowdPlan


@frozen
class Readers:
    states: Mapping[str, frozenset[int]]
    """Column -> the states whose agents may read it in an update; nothing for one not read."""
    by_all: frozenset[str]
    """Columns that agents in any state may read or that functions write."""
    in_events: frozenset[str]
    """Columns that may be read when an event is sent, or agents are started."""

    def of(self, columns: Iterable[str]) -> frozenset[int] | None:
        """Return the states whose agents may read one of these columns; None for all."""
        names = set(columns)
        if names & self.by_all:
            return None
        return frozenset[int]().union(*(self.states.get(name, frozenset()) for name in names))


def readers_of(plan: CrowdPlan) -> Readers:
    return _readers(plan.text, plan.states, tuple(plan.columns.kinds))


@lru_cache(maxsize=16)  # a study has many crowds of one machine
def _readers(text: str, states: tuple[str, ...], columns: tuple[str, ...]) -> Readers:
    module = ast.parse(text)
    functions = {each.name: each for each in module.body if isinstance(each, ast.FunctionDef)}
    update, change = (_Loop.of(functions[name], module, columns) for name in ("update", "change"))
    found: dict[str, set[int]] = {}
    for number in range(len(states)):
        for name in update.read_from(number):
            found.setdefault(name, set()).add(number)
    return Readers(
        {name: frozenset(numbers) for name, numbers in found.items()},
        frozenset(update.at_once | update.written | change.written),
        frozenset(change.read),
    )


@define
class _LoopPart:
    """What a loop does with the agents in one state, before or after they change it."""

    read: set[str] = Factory(set)
    targets: set[int] = Factory(set)
    """The states to which they may change."""


@define
class _Loop(ast.NodeVisitor):
    """Reads a loop: `if s == STATE:` for the states, `to = STATE` for the changes."""

    _columns: frozenset[str]
    _numbers: Mapping[str, int]
    at_once: set[str] = Factory(set)
    """The columns that are read for agents in any state."""
    written: set[str] = Factory(set)
    read: set[str] = Factory(set)
    _decided: dict[int, _LoopPart] = Factory(dict)
    _followed: dict[int, _LoopPart] = Factory(dict)
    """State -> what happens when it is left or entered."""
    _state: int | None = field(default=None, init=False)
    _parts: dict[int, _LoopPart] = field(init=False)

    @classmethod
    def of(cls, loop: ast.FunctionDef, module: ast.Module, columns: Iterable[str]) -> _Loop:
        found = cls(frozenset(columns), _constants(module))
        found._parts = found._decided
        for statement in loop.body:
            found.visit(statement)
        return found

    def read_from(self, state: int) -> set[str]:
        """Return the columns that may be read for an agent that is in a state before an update."""
        decided = self._decided.get(state, _LoopPart())
        read, waiting = set(decided.read), set(decided.targets)
        if waiting:
            waiting.add(state)  # it is left
        reached: set[int] = set()
        while waiting:
            reached.add(number := waiting.pop())
            part = self._followed.get(number, _LoopPart())
            read |= part.read
            waiting |= part.targets - reached
        return read

    def visit_While(self, node: ast.While) -> None:
        """Read the changes that follow a decision."""
        before, self._parts = self._parts, self._followed
        self.generic_visit(node)
        self._parts = before

    def visit_If(self, node: ast.If) -> None:
        number = self._compared(node.test)
        if number is None or self._state is not None:
            self.generic_visit(node)
            return
        self._state = number
        self._visit_all(node.body)
        self._state = None
        self._visit_all(node.orelse)

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(each, ast.Name) and each.id == "to" for each in node.targets):
            names = {each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)}
            known = {self._numbers[name] for name in names if name in self._numbers}
            is_understood = names <= {"STAY", *self._numbers}
            self._part().targets |= known if is_understood else {*self._numbers.values()}
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in self._columns:
            self._use(node.value.id, is_written=not isinstance(node.ctx, ast.Load))
            self.visit(node.slice)
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self._columns:  # the whole column: who knows what becomes of it
            self._use(node.id, is_written=True)

    def _use(self, column: str, *, is_written: bool) -> None:
        if is_written:
            self.written.add(column)
            return
        self.read.add(column)
        if self._state is None:
            self.at_once.add(column)
        else:
            self._part().read.add(column)

    def _part(self) -> _LoopPart:
        return self._parts.setdefault(-1 if self._state is None else self._state, _LoopPart())

    def _compared(self, test: ast.expr) -> int | None:
        """Return the number of STATE in `s == STATE`."""
        match test:
            case ast.Compare(ast.Name("s"), [ast.Eq()], [ast.Name(name)]):
                return self._numbers.get(name)
        return None

    def _visit_all(self, nodes: Iterable[ast.stmt]) -> None:
        visit: Callable[[ast.AST], Any] = self.visit
        for each in nodes:
            visit(each)


def _constants(module: ast.Module) -> dict[str, int]:
    """Return the names of the states in the text and their numbers."""
    found: dict[str, int] = {}
    for each in module.body:
        match each:
            case ast.Assign([ast.Name(name)], ast.Constant(int(number))):
                found[name] = number
    return found
