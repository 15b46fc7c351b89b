"""Functions of the user's that are called by functions of actions: compiled on their own.

They become functions of plain numbers. What one reads of the agent or the world is handed to it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from attrs import define, field, frozen

from fsmkit.crowd.binding import Binding, Place, identifier
from fsmkit.crowd.expressions import Expressions, cast, join
from fsmkit.crowd.reading import Source
from fsmkit.crowd.statements import Statements


@frozen(eq=False)
class Called:
    """A call of such a function."""

    name: str
    values: list[ast.expr]
    kind: str
    is_risky: bool


@define(eq=False)
class Library:
    """The functions that were needed so far, each once for each way of calling it."""

    texts: dict[str, str] = field(factory=dict)
    _known: dict[Any, tuple[str, list[str], str, bool]] = field(factory=dict)
    _open: list[Any] = field(factory=list)

    def call(self, binding: Binding, source: Source, given: Sequence[tuple[str, Any]]) -> Called:
        """A call of the function with these arguments. Raises SubsetError if it does not fit."""
        node = source.body[0]
        if len(given) != len(source.parameters):
            raise source.refuse(
                node, f"it takes {len(source.parameters)} arguments, and is given {len(given)}.", ""
            )
        kinds = tuple(what if what != "number" else value[1] for what, value in given)
        key = (source.function, kinds)
        if key in self._open:
            raise source.refuse(node, "it calls itself.", "Only what ends for sure is compiled.")
        if key not in self._known:
            self._open.append(key)
            self._known[key] = self._compile(binding, source, kinds)
            self._open.remove(key)
        name, fields, kind, is_risky = self._known[key]
        numbers = [value[0] for what, value in given if what == "number"]
        read = [ast.parse(each, mode="eval").body for each in fields]
        return Called(name, [*numbers, *read], kind, is_risky)

    def _compile(
        self, binding: Binding, source: Source, kinds: tuple[str, ...]
    ) -> tuple[str, list[str], str, bool]:
        name = self._unused(f"{identifier(source.name.strip('<>'))}")
        expressions = _HelperExpressions(source, binding, kinds, self)
        results = _Results(source, expressions)
        body = results.translate()
        numbers = [
            f"{parameter}_" for parameter, kind in zip(source.parameters, kinds, strict=True)
            if kind not in ("agent", "world", "own")
        ]  # fmt: skip
        fields = expressions.fields
        parameters = [*numbers, *(expressions.parameter(each) for each in fields)]
        text = ast.unparse(ast.Module(body, []))
        lines = [f"    {line}" for line in text.splitlines()]
        heading = f"# {source.name}, {source.file}:{source.function.__code__.co_firstlineno}"
        self.texts[name] = "\n".join(
            [heading, "@njit", f"def {name}({', '.join(parameters)}):", *lines]
        )
        return name, list(fields), results.kind, expressions.was_risky

    def _unused(self, name: str) -> str:
        number, unused = 1, f"call_{name}"
        while unused in self.texts:
            number += 1
            unused = f"call_{name}_{number}"
        return unused


class _HelperExpressions(Expressions):
    """The expressions of such a function: its parameters are numbers, or stand for fields."""

    def __init__(
        self, source: Source, binding: Binding, kinds: tuple[str, ...], library: Library
    ) -> None:
        super().__init__(
            source, binding, "", lambda inner, given: library.call(binding, inner, given)
        )
        self.roles = dict(zip(source.parameters, kinds, strict=True))
        self.fields: dict[str, str] = {}
        """What it reads, as the caller has it -> its kind."""
        self.was_risky = False
        for name, kind in self.roles.items():
            if kind not in ("agent", "world", "own"):
                self.locals[name] = kind

    def parameter(self, text: str) -> str:
        """What a field is called inside."""
        return text.removesuffix("[i]") + "_"

    def place(self, node: ast.expr) -> Place | None:
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        role = self.roles.get(node.value.id, "")
        if role not in ("agent", "world", "own") or node.value.id in self.locals:
            return None
        found = getattr(self.binding, role)(node.attr)
        if found is None:
            position = ("agent", "world", "own").index(role)
            raise self.source.refuse(node, *self._unknown(node, position))
        if (
            not found.text.replace(".", "").replace("-", "").isidentifier()
            and "[i]" not in found.text
        ):
            return Place(found.text, found.kind, False)  # a constant
        self.fields[found.text] = found.kind
        return Place(self.parameter(found.text), found.kind, False)

    def typed(self, node: ast.expr) -> Any:
        result = super().typed(node)
        self.was_risky = self.was_risky or self.is_risky
        return result

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.locals:
            return ast.Name(f"{node.id}_"), self.locals[node.id]
        return super()._name(node)

    def _argument(self, node: ast.expr) -> tuple[str, Any]:
        if isinstance(node, ast.Name) and node.id in self.roles and node.id not in self.locals:
            return self.roles[node.id], node
        return "number", self.typed(node)

    def _helper(self, node: ast.Call, called: Any) -> Any:
        call: Any
        call, kind = super()._helper(node, called)
        call.args = [self._inside(each) for each in call.args]
        return call, kind

    def _inside(self, value: ast.expr) -> ast.expr:
        """A field that is handed on has another name here."""
        text = ast.unparse(value)
        if text.endswith("[i]") or text.startswith("world_"):
            self.fields.setdefault(text, "")
            return ast.Name(self.parameter(text))
        return value

    def _random(self, node: ast.Call, called: Any) -> Any:  # noqa: ARG002
        raise self.source.refuse(
            node, "random numbers are drawn in functions of actions only.",
            "Draw it there, and hand it on.",
        )  # fmt: skip


class _Results(Statements):
    """The statements of such a function: it returns a number on every way."""

    def __init__(self, source: Source, expressions: _HelperExpressions) -> None:
        super().__init__(source, expressions, None, lambda _: [], [])
        self.kind = self._kind_of_results(expressions)

    def translate(self) -> list[ast.stmt]:
        self.expressions.prefix = ""
        flow = self._block(self.source.body)
        if not flow.ends:
            raise self.source.refuse(
                self.source.body[-1], "it does not return a number on every way.",
                "End it with `return`.",
            )  # fmt: skip
        return flow.statements

    def _kind_of_results(self, expressions: _HelperExpressions) -> str:
        self.kind = "bool"
        locals_before = dict(expressions.locals)
        self._block(self.source.body)
        expressions.locals = locals_before
        return self.kind

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        if node.value is None:
            raise self.source.refuse(node, "it returns nothing here.", "Return a number.")
        (value, kind), before = self._with_preparation(
            node,
            lambda: self.expressions.typed(node.value),  # type: ignore[arg-type]
        )
        before = [each for each in before if "notes[" not in ast.unparse(each)]
        self.kind = join(self.kind, kind)
        return [*before, ast.Return(cast(value, kind, self.kind))]

    def _assigned(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        if isinstance(target, ast.Attribute):
            raise self.source.refuse(
                node, "it writes to a field.", "Return the value, and assign it where it is called."
            )
        statements = super()._assigned(node, target, value)
        kept = [each for each in statements if "notes[" not in ast.unparse(each)]
        last = kept[-1]
        assert isinstance(last, ast.Assign)
        last.targets = [ast.Name(f"{ast.unparse(last.targets[0])}_", ast.Store())]
        return kept
