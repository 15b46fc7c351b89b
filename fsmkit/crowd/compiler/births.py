"""Translates a call of `spawn` into statements that note a birth."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, TypeGuard

from attrs import frozen

from fsmkit import FsmState
from fsmkit.crowd.compiler.arithmetic import literal
from fsmkit.crowd.compiler.expressions import Expressions
from fsmkit.crowd.compiler.operations import cast, join
from fsmkit.crowd.source import MISSING
from fsmkit.crowd.spawning import spawn

Prepare: TypeAlias = "Callable[[ast.stmt, Callable[[], Any]], tuple[Any, list[ast.stmt]]]"
"""Translates a part of a statement; returns it with the statements to run before it."""


@frozen(eq=False)
class BirthStatements:
    """The calls of `spawn` in one function; `states` are the constants of the states, by name."""

    expressions: Expressions
    states: Mapping[str, str]
    prepare: Prepare

    def is_call(self, node: ast.expr) -> TypeGuard[ast.Call]:
        """Return True for a call of `spawn`."""
        return isinstance(node, ast.Call) and self.expressions.outside(node.func) is spawn

    def translated(self, node: ast.stmt, call: ast.Call) -> list[ast.stmt]:
        """Return the statements: every field is written, those not given with their defaults.

        The birth counts only at the end: an error in between leaves none. Raises SubsetError.
        """
        start, given = self._start(node, call), self._given(node, call)
        columns = self.expressions.binding.columns
        done: list[ast.stmt] = []
        for name, value in given.items():
            done += self._field(node, name, value)
        for name, default in columns.record.defaults.items():
            if name not in given:
                done += _parsed(f"{columns.born(name)}[births[0]] = {literal(default)}")
        return [
            *done,
            *_parsed("born_parent[births[0]] = ids[i]"),
            *_parsed(f"born_start[births[0]] = {self.states[start]}"),
            *_parsed("births[0] += 1"),
        ]

    def _start(self, node: ast.stmt, call: ast.Call) -> str:
        """Return the name of the state in which the new agent starts."""
        source = self.expressions.source
        if not self.states:
            raise source.refuse(
                node, "spawn() must be called in a function of an action.",
                "Return a number from here, and spawn there.",
            )  # fmt: skip
        agent = call.args[0] if len(call.args) == 1 else None
        if agent is None or self.expressions.role(agent) != "agent":
            raise source.refuse(
                node, "spawn() takes the agent, and the rest by name.",
                f"Write spawn({source.parameters[0]}, start=..., field=...).",
            )  # fmt: skip
        for each in call.keywords:
            if each.arg == "start":
                return self._state(node, each.value)
        return next(iter(self.states))

    def _state(self, node: ast.stmt, value: ast.expr) -> str:
        meaning = (
            value.value if isinstance(value, ast.Constant)
            else self.expressions.outside(value)
        )  # fmt: skip
        name = meaning.name if isinstance(meaning, FsmState) else meaning
        source = self.expressions.source
        if name is None:
            return next(iter(self.states))
        if name is MISSING or not isinstance(name, str):
            raise source.refuse(
                node, f"start must be the name of a state, got `{ast.unparse(value)}`.",
                "Write the name itself; where there are several, use if and else.",
            )  # fmt: skip
        if name not in self.states:
            known = ", ".join(map(repr, self.states))
            raise source.refuse(node, f"there is no state {name!r}.", f"The states are: {known}.")
        return name

    def _given(self, node: ast.stmt, call: ast.Call) -> dict[str, ast.expr]:
        """Return the values of the fields that are given, by name, in their order."""
        record = self.expressions.binding.columns.record
        given: dict[str, ast.expr] = {}
        for each in call.keywords:
            if each.arg is None:
                raise self.expressions.source.refuse(
                    node, "spawn() must be given each field by its name.", "Write field=value."
                )
            if each.arg == "start":
                continue
            if each.arg not in record.kinds:
                raise self.expressions.source.refuse(
                    node, f"{record.name} has no field {each.arg!r}.",
                    f"Its fields: {', '.join(record.kinds)}.",
                )  # fmt: skip
            given[each.arg] = each.value
        return given

    def _field(self, node: ast.stmt, name: str, value: ast.expr) -> Iterator[ast.stmt]:
        columns = self.expressions.binding.columns
        wanted = columns.record.kinds[name].__name__
        (translated, kind), before = self.prepare(node, lambda: self.expressions.typed(value))
        if wanted != "float" and join(wanted, kind) != wanted:
            given = "float" if kind == "either" else kind
            raise self.expressions.source.refuse(
                node, f"{name} of the new agent must be {wanted}, got {given}.",
                f"Write {wanted}(...), or make it a field of the kind {given}.",
            )  # fmt: skip
        yield from before
        [statement] = _parsed(f"{columns.born(name)}[births[0]] = 0")
        assert isinstance(statement, ast.Assign)
        statement.value = cast(translated, kind, wanted)
        yield statement


def _parsed(text: str) -> list[ast.stmt]:
    return ast.parse(text).body
