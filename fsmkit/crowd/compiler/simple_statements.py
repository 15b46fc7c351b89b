"""Translates simple statements: assignments, calls of `spawn`, and returned events."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from itertools import chain, cycle
from types import EllipsisType
from typing import Any, TypeAlias, TypeGuard

from attrs import define, field

from fsmkit import FsmState
from fsmkit.crowd.action import CrowdAction
from fsmkit.crowd.agent_functions import MISSING, FunctionSource, event_named
from fsmkit.crowd.compiler.columns import Operand
from fsmkit.crowd.compiler.expressions import Expressions
from fsmkit.crowd.compiler.operations import Typed, cast, constant, join, syntax_name
from fsmkit.crowd.spawning import spawn

Decide: TypeAlias = Callable[[str], "Sequence[ast.stmt]"]
"""Returns the statements to run when a function returns this event."""


@define(eq=False, slots=False)
class SimpleStatements:
    expressions: Expressions
    action: Any = None
    decide: Decide = lambda _: ()
    _states: Mapping[str, str] = field(factory=dict)
    """The names of the states -> their constants."""
    source: FunctionSource = field(init=False)
    is_risky: bool = field(default=False, init=False)
    _is_ready_made: bool = field(init=False)
    """True for an action of the library, which the user has only configured."""

    def __attrs_post_init__(self) -> None:
        self.source = self.expressions.source
        self._is_ready_made = not isinstance(self.action, CrowdAction)

    def _plain(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.Pass) or _is_text_or_dots(node):
            return []
        if isinstance(node, ast.AnnAssign):
            return [] if node.value is None else self._assigned(node, node.target, node.value)
        if isinstance(node, ast.AugAssign):
            changed = ast.BinOp(node.target, node.op, node.value)
            return self._assigned(node, node.target, ast.copy_location(changed, node))
        if isinstance(node, ast.Assign):
            return self._assignment(node)
        if isinstance(node, ast.Expr) and self._is_spawn(node.value):
            return self._spawned(node, node.value)
        if isinstance(node, ast.Expr):
            self.expressions.typed(node.value)  # raises a more specific error, if there is one
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
            return self._several(node, node.targets, [node.value])
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            return self._unpacked(node, target.elts, node.value.elts)
        if isinstance(target, ast.Tuple) and (values := self.expressions.members(node.value)):
            return self._unpacked(node, target.elts, [_literal(node, each) for each in values])
        return self._assigned(node, target, node.value)

    def _several(
        self, node: ast.stmt, targets: Sequence[ast.expr], values: Sequence[ast.expr]
    ) -> list[ast.stmt]:
        """Translate `a, b = b, a` and `a = b = 0`: values are computed once, before the first."""
        names = [ast.Name(self.expressions.unused(f"_{i}")) for i in range(len(values))]
        done: list[ast.stmt] = []
        for target, value in chain(zip(names, values, strict=True), zip(targets, cycle(names))):
            done += self._assigned(node, target, value)
        for each in names:
            del self.expressions.locals[each.id]
        return done

    def _unpacked(
        self, node: ast.stmt, targets: Sequence[ast.expr], values: Sequence[ast.expr]
    ) -> list[ast.stmt]:
        if len(targets) != len(values):
            raise self.source.refuse(
                node, f"{len(targets)} targets need as many values, got {len(values)}.",
                "Write a value for each.",
            )  # fmt: skip
        return self._several(node, targets, values)

    def _assigned(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        (translated, kind), before = self._prepared(node, value)
        if isinstance(target, ast.Name):
            if target.id in self.expressions.roles:
                raise self.source.refuse(
                    node, f"{target.id!r} is a parameter.", "Assign to a variable of another name."
                )
            self.expressions.locals[target.id] = kind
            self.expressions.mixed.discard(target.id)
            return [*before, assign(self.expressions.variable(target.id, kind), translated)]
        operand = self.expressions.operand(target)
        if operand is None:
            raise self.source.refuse(
                node,
                f"{ast.unparse(target)} cannot be assigned to.",
                "Assign to fields and variables.",
            )
        self._check_fits(node, target, operand, kind)
        return [*before, assign(operand.text, cast(translated, kind, operand.kind))]

    def _check_fits(self, node: ast.stmt, target: ast.expr, operand: Operand, kind: str) -> None:
        name = self.expressions.title(target)
        if operand.is_given:
            raise self.source.refuse(
                node, f"{name} is read-only: the crowd maintains it.",
                "For a value of your own, add a field of another name.",
            )  # fmt: skip
        if not operand.is_writable:
            is_world = operand.text.startswith("world_")
            raise self.source.refuse(
                node, f"{name} cannot be written here.",
                "Shared values would depend on the order of the agents: change them from outside, "
                "between two updates." if is_world else "It is a constant.",
            )  # fmt: skip
        self._check_kind(node, name, operand.kind, kind)

    def _check_kind(self, node: ast.stmt, what: str, wanted: str, kind: str) -> None:
        if wanted != "float" and join(wanted, kind) != wanted:
            given = "float" if kind == "either" else kind
            other = f"make it a field of the kind {given}."
            raise self.source.refuse(
                node, f"{what} must be {wanted}, got {given}.",
                other.capitalize() if self._is_ready_made else f"Write {wanted}(...), or {other}",
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

    def _prepared(self, node: ast.stmt, value: ast.expr) -> tuple[Typed, list[ast.stmt]]:
        return self._with_preparation(node, lambda: self.expressions.typed(value))

    def _with_preparation(
        self, node: ast.stmt, translate: Callable[[], Any]
    ) -> tuple[Any, list[ast.stmt]]:
        """Translate part of a statement; return it with the statements to run before it."""
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

    # Calls of `spawn`

    def _is_spawn(self, node: ast.expr) -> TypeGuard[ast.Call]:
        return isinstance(node, ast.Call) and self.expressions.outside(node.func) is spawn

    def _spawned(self, node: ast.stmt, call: ast.Call) -> list[ast.stmt]:
        """Return the statements; fields that are not given get their defaults.

        The birth is counted last, so that an error before leaves none. Raises SubsetError.
        """
        start, given = self._start(node, call), self._given(node, call)
        columns = self.expressions.binding.columns
        done: list[ast.stmt] = []
        for name, value in given.items():
            wanted = columns.record.kinds[name].__name__
            (translated, kind), before = self._prepared(node, value)
            self._check_kind(node, f"{name} of the new agent", wanted, kind)
            cell = f"{columns.born(name)}[births[0]]"
            done += [*before, assign(cell, cast(translated, kind, wanted))]
        for name, default in columns.record.defaults.items():
            if name not in given:
                done.append(assign(f"{columns.born(name)}[births[0]]", constant(default)))
        counted = f"born_parent[births[0]] = ids[i]\nborn_start[births[0]] = {self._states[start]}"
        return [*done, *ast.parse(f"{counted}\nbirths[0] += 1").body]

    def _start(self, node: ast.stmt, call: ast.Call) -> str:
        if not self._states:
            raise self.source.refuse(
                node, "spawn() must be called in a function of an action.",
                "Return a number from here, and spawn there.",
            )  # fmt: skip
        agent = call.args[0] if len(call.args) == 1 else None
        if agent is None or self.expressions.role(agent) != "agent":
            raise self.source.refuse(
                node, "spawn() takes the agent, and the rest by name.",
                f"Write spawn({self.source.parameters[0]}, start=..., field=...).",
            )  # fmt: skip
        value = {each.arg: each.value for each in call.keywords}.get("start", ast.Constant(None))
        if isinstance(value, ast.Constant):
            name: Any = value.value
        else:
            meaning = self.expressions.outside(value)
            name = meaning.name if isinstance(meaning, FsmState) else meaning
        if name is None:
            return next(iter(self._states))
        if name is MISSING or not isinstance(name, str):
            raise self.source.refuse(
                node, f"start must be the name of a state, got `{ast.unparse(value)}`.",
                "Write the name itself; where there are several, use if and else.",
            )  # fmt: skip
        if name not in self._states:
            known = ", ".join(map(repr, self._states))
            raise self.source.refuse(
                node, f"there is no state {name!r}.", f"The states are: {known}."
            )
        return name

    def _given(self, node: ast.stmt, call: ast.Call) -> dict[str, ast.expr]:
        record = self.expressions.binding.columns.record
        given: dict[str, ast.expr] = {}
        for each in call.keywords:
            if each.arg is None:
                raise self.source.refuse(
                    node, "spawn() must be given each field by its name.", "Write field=value."
                )
            if each.arg == "start":
                continue
            if each.arg not in record.kinds:
                raise self.source.refuse(
                    node, f"{record.name} has no field {each.arg!r}.",
                    f"Its fields: {', '.join(record.kinds)}.",
                )  # fmt: skip
            given[each.arg] = each.value
        return given


def noted(place: int) -> list[ast.stmt]:
    """Note the agent and the place in the source, for an error that may be raised."""
    return ast.parse(f"notes[0, 0] = i\nnotes[0, 1] = {place}").body


def _literal(place: ast.AST, value: Any) -> ast.expr:
    number = int(value) if isinstance(value, int) and isinstance(value, Enum) else value
    return ast.copy_location(ast.Constant(number), place)


def assign(target: str, value: ast.expr) -> ast.stmt:
    [statement] = ast.parse(f"{target} = 0").body
    assert isinstance(statement, ast.Assign)
    statement.value = value
    return statement


def _is_text_or_dots(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, (str, EllipsisType))
