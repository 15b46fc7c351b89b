"""Helpers: the user's functions that functions of actions call, compiled on their own.

They become functions of plain numbers. Fields that they read are passed to them.
"""

from __future__ import annotations

import ast
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit.crowd.compiler.binding import Binding, Place, identifier
from fsmkit.crowd.compiler.expressions import Expressions, Helper, HelperCall
from fsmkit.crowd.compiler.operations import ROLES, Typed, join
from fsmkit.crowd.compiler.statements import Statements
from fsmkit.crowd.source import Source

Key: TypeAlias = tuple[Any, ...]

NOTE: Final = '''
from numba import types
from numba.extending import intrinsic


@intrinsic
def _note(context, notes, place):
    """Note a place, by the address of the notes: passing an array on would count its users."""

    def store(context, builder, signature, values):
        address, number = values
        first = builder.inttoptr(address, number.type.as_pointer())
        builder.store(number, builder.gep(first, [address.type(1)]))
        return context.get_dummy_value()

    return types.void(types.intp, types.int64), store
'''
"""The function with which they note where they may raise, as text for a compiled module."""


@define(eq=False)
class HelperFunctions:
    """The functions that were needed so far, one for each combination of argument kinds."""

    texts: dict[str, str] = field(factory=dict)
    _known: dict[Key, Helper | None] = field(factory=dict)
    """None for one that is being compiled."""

    def compile(self, binding: Binding, source: Source, call: HelperCall) -> Helper:
        """Return the function for this call. Raises SubsetError if it does not fit."""
        expected, given = len(source.parameters), len(call.arguments)
        if given != expected:
            raise source.refuse(
                source.body[0], f"it is called with {given} arguments.", f"Pass {expected}.",
            )  # fmt: skip
        kinds = tuple(each if isinstance(each, str) else each[1] for each in call.arguments)
        key = (source.function, kinds, binding if "own" in kinds else None)
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self._compile(binding, source, kinds, call.places)
        helper = self._known[key]
        if helper is None:
            raise source.refuse(
                source.body[0],
                "it calls itself.",
                "Write it without recursion.",
            )
        return helper

    def _compile(
        self, binding: Binding, source: Source, kinds: tuple[str, ...], places: list[str]
    ) -> Helper:
        expressions = _HelperExpressions(source, binding, kinds, self)
        numbers = [
            expressions.variable(parameter, kind)
            for parameter, kind in zip(source.parameters, kinds, strict=True)
            if kind not in ROLES
        ]
        results = _Results(source, expressions, places)
        text = ast.unparse(ast.Module(results.translate(), []))
        fields = expressions.fields
        name = self._unused(identifier(source.name.strip("<>")), binding)
        notes: list[str] = []
        if results.is_risky:
            self.texts["_note"] = NOTE.strip()
            notes = ["notes", "place"]
        drawn = ["call"] if results.draws else []
        parameters = ", ".join([*numbers, *fields, *drawn, *notes])
        self.texts[name] = "\n".join(
            [
                source.heading,
                "@njit",
                f"def {name}({parameters}):",
                *(f"    {line}" for line in text.splitlines()),
            ]
        )
        return Helper(name, tuple(fields.values()), results.kind, results.is_risky, results.draws)

    def _unused(self, name: str, binding: Binding) -> str:
        number, unused = 1, f"call_{name}"
        while unused in self.texts or binding.columns.is_taken(unused):
            number += 1
            unused = f"call_{name}_{number}"
        return unused


class _HelperExpressions(Expressions):
    """The expressions of such a function: its parameters are numbers, or stand for fields."""

    def __init__(
        self, source: Source, binding: Binding, kinds: tuple[str, ...], helpers: HelperFunctions
    ) -> None:
        super().__init__(
            source, binding, "", lambda inner, call: helpers.compile(binding, inner, call)
        )
        given = dict(zip(source.parameters, kinds, strict=True))
        self.roles = {name: kind for name, kind in given.items() if kind in ROLES}
        self.locals = {name: kind for name, kind in given.items() if kind not in ROLES}
        self.fields: dict[str, Place] = {}
        """Name in here -> the place for the caller."""

    @property
    def notes(self) -> str:
        return "notes"

    def local(self, name: str) -> str:
        return f"{name}_"  # different from fields and functions of compiled code

    def load(self, place: Place) -> Typed:
        self.fields[place.name] = place
        return ast.Name(place.name), place.kind


class _Results(Statements):
    """The statements of such a function: it returns a number on every path.

    Places that may raise are noted, and the caller's place again before it returns.
    """

    returns_at_once = True

    def __init__(self, source: Source, expressions: _HelperExpressions, places: list[str]) -> None:
        super().__init__(source, expressions, None, lambda _: [], places)
        self._kinds: set[str] = set()
        self.draws = False
        """True if it draws random numbers; known after the first translation."""

    @property
    def kind(self) -> str:
        """The kind of the returned number."""
        return join(*self._kinds)

    def translate(self) -> list[ast.stmt]:
        beginning = dict(self.expressions.locals)
        self._flow()  # to know what kind of number it returns, and whether it draws
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
        [kept, again] = ast.parse("result = 0\n_note(notes, place)").body
        assert isinstance(kept, ast.Assign)
        kept.value = translated
        return [*before, kept, again, self._result(ast.Name("result"))]

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
