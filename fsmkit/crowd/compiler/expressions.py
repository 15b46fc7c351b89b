"""Translates the expressions in a function into those of compiled code; in this file: calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import reduce
from types import FunctionType
from typing import Any, TypeAlias

from attrs import frozen

from fsmkit.crowd import randomness
from fsmkit.crowd.compiler.arithmetic import ARITY, REFUSED_MATH, RISKY_MATH, SAFE_MATH
from fsmkit.crowd.compiler.binding import Binding, Place
from fsmkit.crowd.compiler.operations import WHOLE, Operations, Typed, called, cast, join
from fsmkit.crowd.errors import SubsetError
from fsmkit.crowd.source import MISSING, Source, source_of

Argument: TypeAlias = "str | Typed"
"""The agent, the world or own, or a number."""


@frozen(eq=False)
class Helper:
    """A function of the user that functions of actions call, compiled on its own."""

    name: str
    fields: Sequence[Place]
    """The fields that it reads, passed to it after its numbers."""
    kind: str
    is_risky: bool
    """True if it may raise. Then it notes where, and is passed the notes and the caller's place."""


@frozen(eq=False)
class HelperCall:
    """A call of such a function."""

    arguments: Sequence[Argument]
    places: list[str]
    """Places that may raise, by number; more may be added."""


Compile: TypeAlias = Callable[[Source, HelperCall], Helper]


class Expressions(Operations):
    """The expressions of one function; `compile_helper` compiles those that it calls."""

    def __init__(
        self, source: Source, binding: Binding, prefix: str, compile_helper: Compile
    ) -> None:
        super().__init__(source, binding, prefix)
        self._compile_helper = compile_helper
        self.draws = 0
        self.places: list[str] = []
        """Places that may raise, by number: the function, the file and the line."""
        self.statement: ast.stmt = source.body[0]
        """The statement that is being translated."""

    @property
    def notes(self) -> str:
        """The address of the notes, for a function that is called."""
        return "notes.ctypes.data"

    @property
    def place_number(self) -> int:
        """The number of the statement among `places`."""
        place = f"{self.source.name}(), {self.source.place(self.statement)}"
        if place not in self.places:
            self.places.append(place)
        return self.places.index(place)

    def kind(self, node: ast.expr) -> str:
        """Return the kind of an expression, without side effects or random numbers."""
        draws = self.draws
        kind = super().kind(node)
        self.draws = draws
        return kind

    def _call(self, node: ast.Call) -> Typed:
        function = self._function(node)
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            self.refuse(
                node, f"{ast.unparse(node)} passes arguments by name.", "Pass them by position."
            )
        if function is randomness.random or function is randomness.uniform:
            return self._random(node, function)
        module, name = getattr(function, "__module__", ""), getattr(function, "__name__", "")
        if module == "builtins" and (method := getattr(self, f"_call_{name}", None)):
            return method(node)  # type: ignore[no-any-return]
        if module == "math":
            return self._math(node, name)
        if isinstance(function, FunctionType) and module != "random":
            return self._helper(node, function)
        return self.refuse(node, *_refused(node, function))

    def _function(self, node: ast.Call) -> Any:
        """Return the function that is called."""
        function = node.func
        if isinstance(function, ast.Attribute) and self.role(function.value):
            self.refuse(
                node, f"{ast.unparse(function)}() is a method.",
                "To send an event, return it." if function.attr == "send_event"
                else "Write a function that takes the agent.",
            )  # fmt: skip
        found = self.outside(function)
        if found is MISSING:
            self.refuse(
                node, f"there is no function {ast.unparse(function)}().", "Check the spelling."
            )
        return found

    def _arguments(self, node: ast.Call, count: int) -> list[Typed]:
        if len(node.args) != count:
            self.refuse(
                node, f"{ast.unparse(node.func)}() has {len(node.args)} arguments.",
                f"Pass {count}.",
            )  # fmt: skip
        return [self.typed(each) for each in node.args]

    # Built-in functions

    def _call_abs(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        if kind == "bool":
            return cast(value, kind, "int"), "int"
        if kind == "int":
            self.is_risky = True
        return called("_abs" if kind == "int" else "abs", value), kind

    def _call_float(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        return cast(value, kind, "float"), "float"

    def _call_bool(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        return cast(value, kind, "bool"), "bool"

    def _call_int(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        return self._whole("_int", value, kind)

    def _call_round(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        return self._whole("_round", value, kind)

    def _call_min(self, node: ast.Call) -> Typed:
        return self._least("_min", node)

    def _call_max(self, node: ast.Call) -> Typed:
        return self._least("_max", node)

    def _least(self, name: str, node: ast.Call) -> Typed:
        if len(node.args) < 2:
            self.refuse(node, f"{name[1:]}() takes numbers here.", "Pass at least two.")
        typed = [self.typed(each) for each in node.args]
        kind = join(*(kind for _, kind in typed))
        first, *others = (self.joined(*each, kind) for each in typed)
        return reduce(lambda least, other: called(name, least, other), others, first), kind

    def _whole(self, name: str, value: ast.expr, kind: str) -> Typed:
        """Return a number made whole, which may raise."""
        if kind in WHOLE:
            return cast(value, kind, "int"), "int"
        self.is_risky = True
        return called(name, value), "int"

    # Functions of modules, and of the user

    def _math(self, node: ast.Call, name: str) -> Typed:
        if name == "pow" and len(node.args) == 2:
            self.refuse_power(node, node.args[1])
        if name in REFUSED_MATH:
            self.refuse(node, *REFUSED_MATH[name])
        if name not in SAFE_MATH and name not in RISKY_MATH:
            known = ", ".join(sorted({*SAFE_MATH, *RISKY_MATH}))
            self.refuse(node, f"math.{name} cannot be compiled.", f"These of math can be: {known}.")
        typed = self._arguments(node, ARITY.get(name, 1))
        if RISKY_MATH.get(name) == "int":
            return self._whole(f"_{name}", *typed[0])
        values = [cast(*each, "float") for each in typed]
        if name in SAFE_MATH:
            return called(f"math.{name}", *values), SAFE_MATH[name]
        self.is_risky = True
        return called(f"_{name}", *values), "float"

    def _helper(self, node: ast.Call, function: Any) -> Typed:
        arguments = [self.role(each) or self.typed(each) for each in node.args]
        try:
            source = source_of(function)
        except SubsetError as error:
            self.refuse(node, f"{ast.unparse(node.func)}() cannot be called here.", str(error))
        missing = len(source.parameters) - len(arguments)
        if missing > 0:
            left_out = list(zip(source.parameters, _defaults(source), strict=True))[-missing:]
            arguments += [
                self._number(node, value, name) for name, value in left_out if value is not MISSING
            ]
        return self.call(source, arguments)

    def call(self, source: Source, arguments: Sequence[Argument]) -> Typed:
        """Translate a call of a function of the user."""
        helper = self._compile_helper(source, HelperCall(arguments, self.places))
        values = [each[0] for each in arguments if not isinstance(each, str)]
        values += [self.load(place)[0] for place in helper.fields]
        if helper.is_risky:
            self.is_risky = True
            values += [ast.parse(self.notes, mode="eval").body, ast.Constant(self.place_number)]
        return called(helper.name, *values), helper.kind

    def _random(self, node: ast.Call, function: Any) -> Typed:
        name, parameters = function.__name__, self.source.parameters
        if not node.args or self.role(node.args[0]) != "agent":
            agent = parameters[0] if parameters else "agent"
            more = ", low, high" if name == "uniform" else ""
            self.refuse(node, f"{name}() takes the agent first.", f"Write {name}({agent}{more}).")
        if self._conditional:
            self.refuse(
                node, f"{name}() is drawn only in some cases within this expression.",
                "Draw it into a variable first.",
            )  # fmt: skip
        expected = 3 if name == "uniform" else 1
        if len(node.args) != expected:
            self.refuse(node, f"{name}() has {len(node.args)} arguments.", f"Pass {expected}.")
        bounds = [self.typed(each) for each in node.args[1:]]
        drawn = ast.Name(self.new_local(f"draw{self.draws}"))
        self.draws += 1
        self.hoisted += ast.parse(f"{drawn.id} = _draw(seed, ids[i], step, call)\ncall += 1").body
        if not bounds:
            return drawn, "float"
        low, high = (cast(self.exact(*each), each[1], "float") for each in bounds)
        span = ast.BinOp(ast.BinOp(high, ast.Sub(), low), ast.Mult(), drawn)
        return ast.BinOp(low, ast.Add(), span), "float"


def _defaults(source: Source) -> Sequence[Any]:
    """Return the default of each parameter; MISSING for one without."""
    defaults = source.function.__defaults__ or ()
    return [MISSING] * (len(source.parameters) - len(defaults)) + list(defaults)


def _refused(node: ast.Call, function: Any) -> tuple[str, str]:
    """Return why something cannot be called, and what to do instead."""
    name = ast.unparse(node.func)
    if function is print:
        return (
            "compiled code prints nothing.",
            "To print, or to stop in a debugger, make the crowd with engine='python'.",
        )
    if _is_random(function):
        return (
            f"{name}() would depend on the order of the agents.",
            "Use random(agent) or uniform(agent, low, high) of fsmkit.crowd.",
        )
    callables = "functions of math, abs, min, max, round, int, float, bool, random, uniform"
    return (
        f"{name}() cannot be compiled.",
        f"These can be called: {callables}, and functions of your own that are made of the same.",
    )


def _is_random(function: Any) -> bool:
    """Return True for functions and generators' methods of `random` and `numpy.random`."""
    kinds = type(getattr(function, "__self__", None)).__mro__
    modules = {str(getattr(each, "__module__", "")) for each in (function, *kinds)}
    return any(module == "random" or module.startswith("numpy.random") for module in modules)
