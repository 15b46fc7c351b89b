"""Helpers: functions of the user that functions of actions call, compiled on their own.

They become functions of plain numbers; fields that they read are passed as arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from itertools import chain, count
from textwrap import indent
from typing import Any, ClassVar, Final, TypeAlias

from attrs import define, field

from fsmkit.crowd.agent_functions import FunctionSource
from fsmkit.crowd.compiler.columns import Binding, Operand, identifier
from fsmkit.crowd.compiler.expressions import Argument, Expressions, Helper
from fsmkit.crowd.compiler.operations import ROLES, Typed, join
from fsmkit.crowd.compiler.simple_statements import assign
from fsmkit.crowd.compiler.statements import Statements

HelperKey: TypeAlias = tuple[Any, ...]

NOTE: Final = '''
from numba import types
from numba.extending import intrinsic


@intrinsic
def _note(context, notes, place):
    """Note a place, by the address of the notes: passing the array would count its users."""

    def store(context, builder, signature, values):
        address, number = values
        first = builder.inttoptr(address, number.type.as_pointer())
        builder.store(number, builder.gep(first, [address.type(1)]))
        return context.get_dummy_value()

    return types.void(types.intp, types.int64), store
'''
"""The function by which they note where they may raise, as text for a compiled module."""


@define(eq=False)
class HelperFunctions:
    places: list[str]
    """Places that may raise, by number: the function, the file and the line."""
    texts: dict[str, str] = field(factory=dict)
    _known: dict[HelperKey, Helper | None] = field(factory=dict)
    """None for one that is being compiled."""

    def compile(
        self, binding: Binding, source: FunctionSource, arguments: Sequence[Argument]
    ) -> Helper:
        expected, given = len(source.parameters), len(arguments)
        if given != expected:
            raise source.refuse(
                source.body[0], f"it is called with {given} arguments.", f"Pass {expected}."
            )
        kinds = tuple(each if isinstance(each, str) else each[1] for each in arguments)
        key = (source.function, kinds, binding if "own" in kinds else None)
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self._compile(binding, source, kinds)
        helper = self._known[key]
        if helper is None:
            raise source.refuse(source.body[0], "it calls itself.", "Write it without recursion.")
        return helper

    def _compile(self, binding: Binding, source: FunctionSource, kinds: tuple[str, ...]) -> Helper:
        compile_helper = partial(self.compile, binding)
        expressions = _HelperExpressions(source, binding, "", compile_helper, self.places, kinds)
        numbers = [
            expressions.variable(parameter, kind)
            for parameter, kind in zip(source.parameters, kinds, strict=True)
            if kind not in ROLES
        ]
        results = _Results(expressions)
        text = ast.unparse(ast.Module(results.translate(), []))
        fields = expressions.fields
        called = f"call_{identifier(source.name.strip('<>'))}"
        names = chain([called], (f"{called}_{number}" for number in count(2)))
        taken = binding.columns.is_taken
        name = next(each for each in names if each not in self.texts and not taken(each))
        notes: list[str] = []
        if results.is_risky:
            self.texts["_note"] = NOTE.strip()
            notes = ["notes", "place"]
        drawn = ["call"] if results.draws else []
        parameters = ", ".join([*numbers, *fields, *drawn, *notes])
        heading = f"{source.heading}\n@njit\ndef {name}({parameters}):\n"
        self.texts[name] = heading + indent(text, "    ")
        return Helper(name, tuple(fields.values()), results.kind, results.is_risky, results.draws)


@define(eq=False, slots=False)
class _HelperExpressions(Expressions):
    """The expressions of such a function: its parameters are numbers, or stand for fields."""

    notes: ClassVar = "notes"

    _kinds: tuple[str, ...]
    fields: dict[str, Operand] = field(factory=dict, init=False)
    """Name in this function -> the operand of the caller."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        given = dict(zip(self.source.parameters, self._kinds, strict=True))
        self.roles = {name: kind for name, kind in given.items() if kind in ROLES}
        self.locals = {name: kind for name, kind in given.items() if kind not in ROLES}

    def local(self, name: str) -> str:
        return f"{name}_"  # different from fields and functions of compiled code

    def load(self, operand: Operand) -> Typed:
        self.fields[operand.name] = operand
        return ast.Name(operand.name), operand.kind


@define(eq=False, slots=False)
class _Results(Statements):
    """The statements of such a function, which returns a number on every path.

    Places that may raise are noted, and the place of the caller again before it returns.
    """

    returns_at_once: ClassVar = True

    _kinds: set[str] = field(factory=set, init=False)
    draws: bool = field(default=False, init=False)
    """True if it draws random numbers; known after the first translation."""

    @property
    def kind(self) -> str:
        return join(*self._kinds)

    def translate(self) -> list[ast.stmt]:
        beginning = dict(self.expressions.locals)
        self._flow()  # to learn the kind of its result, and whether it draws
        self.draws = self.expressions.draws > 0
        self.expressions.locals, self.is_risky = beginning, False
        flow = self._flow()
        if not flow.ends:
            raise self.source.refuse(
                self.source.body[-1], "it must return a number on every path.",
                "End it with `return`.",
            )  # fmt: skip
        return flow.statements

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        value = node.value
        if value is None:
            raise self.source.refuse(node, "it returns nothing here.", "Return a number.")
        translated, before = self._with_preparation(node, lambda: self._returned(value))
        if not self.is_risky:
            return [*before, self._result(translated)]
        again = ast.parse("_note(notes, place)").body
        kept = assign("result", translated)
        return [*before, kept, *again, self._result(ast.Name("result"))]

    def _result(self, value: ast.expr) -> ast.stmt:
        return ast.Return(ast.Tuple([value, ast.Name("call")]) if self.draws else value)

    def _returned(self, value: ast.expr) -> ast.expr:
        translated, kind = self.expressions.typed(value)
        self._kinds.add(kind)
        return self.expressions.joined(translated, kind, self.kind)

    def _assigned(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        if isinstance(target, ast.Attribute):
            raise self.source.refuse(
                node, "it writes to a field.", "Return the value, and assign it where it is called."
            )
        return super()._assigned(node, target, value)

    def _note(self) -> list[ast.stmt]:
        return ast.parse(f"_note(notes, {self.expressions.place_number})").body
