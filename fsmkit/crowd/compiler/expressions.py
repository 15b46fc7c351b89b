"""Translates the expressions in a function into those of compiled code; in this file: calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from enum import EnumMeta
from functools import reduce
from types import FunctionType
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit.crowd import randomness
from fsmkit.crowd.compiler.arithmetic import ARITY, REFUSED_MATH, RISKY_MATH, SAFE_MATH
from fsmkit.crowd.compiler.binding import ID, SEED, STEP, Binding, Place
from fsmkit.crowd.compiler.lookups import Lookups
from fsmkit.crowd.compiler.methods import instead_of_method
from fsmkit.crowd.compiler.operations import WHOLE, Typed, called, cast, join
from fsmkit.crowd.errors import SubsetError
from fsmkit.crowd.source import MISSING, Source, source_of
from fsmkit.crowd.spawning import spawn

Argument: TypeAlias = "str | Typed"
"""The agent, the world or own, or a number."""

DRAWING: Final[Mapping[Any, tuple[str, ...]]] = {
    randomness.random: (),
    randomness.uniform: ("low", "high"),
    randomness.normal: ("mean", "deviation"),
    randomness.exponential: ("mean",),
}
"""Functions that draw a random number -> their parameters after the agent."""


@frozen(eq=False)
class Helper:
    """A function of the user that functions of actions call, compiled on its own."""

    name: str
    fields: Sequence[Place]
    """The fields that it reads, passed to it after its numbers."""
    kind: str
    is_risky: bool
    """True if it may raise. Then it notes where, and is passed the notes and the caller's place."""
    draws: bool = False
    """True if it draws random numbers. Then it is passed how many were drawn before, and returns
    that number, too, after its result."""


@frozen(eq=False)
class HelperCall:
    """A call of such a function."""

    arguments: Sequence[Argument]
    places: list[str]
    """Places that may raise, by number; more may be added."""


Compile: TypeAlias = Callable[[Source, HelperCall], Helper]


class Expressions(Lookups):
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
        if function is spawn:
            self.refuse(node, "spawn() returns nothing.", "Write it as a statement of its own.")
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            self.refuse(
                node, f"{ast.unparse(node)} passes arguments by name.", "Pass them by position."
            )
        if any(function is each for each in DRAWING):
            return self._random(node, function)
        if (value := self.constant(node)) is not MISSING:  # len(PLACES), max(SPEEDS)
            return self.number(node, value, ast.unparse(node))
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
        if isinstance(function, ast.Attribute) and (role := self.role(function.value)):
            text = ast.unparse(function)
            field = getattr(self.binding, role)(function.attr)
            if field is not None:
                self.refuse(
                    node, f"{text} is no function.",
                    f"Write {text}[...]." if field.is_table else "Leave out the parentheses.",
                )  # fmt: skip
            self.refuse(node, f"{text}() is a method.", instead_of_method(function.attr))
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
        was_risky = self.is_risky
        arguments = [self.role(each) or self.typed(each) for each in node.args]
        try:
            source = source_of(function)
        except SubsetError as error:
            self.refuse(node, f"{ast.unparse(node.func)}() cannot be called here.", str(error))
        missing = len(source.parameters) - len(arguments)
        if missing > 0:
            left_out = list(zip(source.parameters, _defaults(source), strict=True))[-missing:]
            arguments += [
                self.number(node, value, name) for name, value in left_out if value is not MISSING
            ]
        return self.call(source, arguments, node, was_risky=was_risky)

    def call(
        self,
        source: Source,
        arguments: Sequence[Argument],
        node: ast.AST | None = None,
        *,
        was_risky: bool = False,
    ) -> Typed:
        """Translate a call of a function of the user, the expression `node`.

        `was_risky` is True if something before it, in the same statement, may raise.
        """
        helper = self._compile_helper(source, HelperCall(arguments, self.places))
        values = [each[0] for each in arguments if not isinstance(each, str)]
        values += [self.load(place)[0] for place in helper.fields]
        if helper.draws:
            values.append(ast.Name("call"))
        if helper.is_risky:
            self.is_risky = True
            values += [ast.parse(self.notes, mode="eval").body, ast.Constant(self.place_number)]
        result = called(helper.name, *values)
        if not helper.draws:
            return result, helper.kind
        self._check_may_draw(node or self.statement, source.name, was_risky and helper.is_risky)
        return self._drawn_in(result), helper.kind

    def _check_may_draw(self, node: ast.AST, name: str, is_late: bool) -> None:
        if self.binding.is_guard:
            self.refuse(
                node, f"{name}() draws random numbers, but a guard only answers.",
                "Draw in a function of an action, into a field.",
            )  # fmt: skip
        self._check_always_drawn(node, name)
        if is_late:
            self.refuse(
                node, f"{name}() draws, and may raise after something else in the same line may.",
                "Call it into a variable first.",
            )  # fmt: skip

    def _drawn_in(self, call: ast.expr) -> ast.expr:
        """Call a function that draws before the statement, as random numbers are counted."""
        both = self.new_local(f"drawn{self.draws}")
        self.draws += 1
        self.hoisted += ast.parse(f"{both} = {ast.unparse(call)}\ncall = {both}[1]").body
        return ast.Subscript(ast.Name(both), ast.Constant(0))

    def _random(self, node: ast.Call, function: Any) -> Typed:
        name, parameters = function.__name__, self.source.parameters
        if self.binding.is_guard:
            self.refuse(
                node, f"{name}() must be drawn in a function of an action: a guard only answers.",
                "Draw it there, into a field.",
            )  # fmt: skip
        if not node.args or self.role(node.args[0]) != "agent":
            agent = next((each for each in parameters if self.roles.get(each) == "agent"), "agent")
            self.refuse(
                node, f"{name}() takes the agent first.",
                f"Write {name}({', '.join([agent, *DRAWING[function]])}).",
            )  # fmt: skip
        self._check_always_drawn(node, name)
        expected = 1 + len(DRAWING[function])
        if len(node.args) != expected:
            self.refuse(node, f"{name}() has {len(node.args)} arguments.", f"Pass {expected}.")
        given = [self.typed(each) for each in node.args[1:]]
        values = [cast(self.exact(*each), each[1], "float") for each in given]
        return _distributed(name, values, self._draw()), "float"

    def _check_always_drawn(self, node: ast.AST, name: str) -> None:
        if self._conditional:
            self.refuse(
                node, f"{name}() is drawn only in some cases within this expression.",
                "Draw it into a variable first.",
            )  # fmt: skip

    def _draw(self) -> ast.expr:
        """Draw a number before the statement."""
        drawn = ast.Name(self.new_local(f"draw{self.draws}"))
        self.draws += 1
        given = ", ".join(ast.unparse(self.load(each)[0]) for each in (SEED, ID, STEP))
        self.hoisted += ast.parse(f"{drawn.id} = _draw({given}, call)\ncall += 1").body
        return drawn


def _distributed(name: str, values: Sequence[ast.expr], drawn: ast.expr) -> ast.expr:
    """Return the number of a distribution that a drawn number makes."""
    if name == "random":
        return drawn
    if name == "uniform":
        low, high = values
        span = ast.BinOp(ast.BinOp(high, ast.Sub(), low), ast.Mult(), drawn)
        return ast.BinOp(low, ast.Add(), span)
    scaled = ast.BinOp(values[-1], ast.Mult(), called(f"_{name}", drawn))
    return ast.BinOp(values[0], ast.Add(), scaled) if name == "normal" else scaled


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
    if isinstance(function, EnumMeta):
        return (
            f"{name}() makes a member, but fields hold plain numbers.",
            "Write the number itself.",
        )
    if function is len or function is sum:
        return f"{name}() can be taken of constants only.", "Put the number into the world."
    if _is_random(function):
        return (
            f"{name}() would depend on the order of the agents.",
            _drawn_instead(getattr(function, "__name__", "")),
        )
    of_math = getattr(function, "__name__", "")
    if of_math in SAFE_MATH or of_math in RISKY_MATH:
        return f"{name}() cannot be compiled.", f"Write math.{of_math}()."
    callables = (
        "functions of math, abs, min, max, round, int, float, bool, random, uniform, normal, "
        "exponential"
    )
    return (
        f"{name}() cannot be compiled.",
        f"These can be called: {callables}, and functions of your own that are made of the same.",
    )


def _drawn_instead(name: str) -> str:
    if name in ("gauss", "normalvariate", "normal", "standard_normal", "randn"):
        return "Use normal(agent, mean, deviation) of fsmkit.crowd."
    if name in ("expovariate", "exponential", "standard_exponential"):
        return "Use exponential(agent, mean) of fsmkit.crowd."
    return "Use random(agent) or uniform(agent, low, high) of fsmkit.crowd."


def _is_random(function: Any) -> bool:
    """Return True for functions and generators' methods of `random` and `numpy.random`."""
    kinds = type(getattr(function, "__self__", None)).__mro__
    modules = {str(getattr(each, "__module__", "")) for each in (function, *kinds)}
    return any(module == "random" or module.startswith("numpy.random") for module in modules)
