"""Translates expressions into compiled code; this file adds calls to operators and lookups."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from enum import EnumMeta
from functools import reduce
from types import FunctionType
from typing import Any, ClassVar, Final, TypeAlias

from attrs import define, field, frozen

from fsmkit.crowd import randomness
from fsmkit.crowd.agent_functions import MISSING, FunctionSource, source_of
from fsmkit.crowd.compiler.arithmetic import ARITY, REFUSED_MATH, RISKY_MATH, SAFE_MATH
from fsmkit.crowd.compiler.columns import ID, SEED, STEP, Operand
from fsmkit.crowd.compiler.lookups import Lookups
from fsmkit.crowd.compiler.operations import WHOLE, Typed, called, cast, join
from fsmkit.crowd.errors import SubsetError
from fsmkit.crowd.spawning import spawn

BY_CROWD: Final = "crowd.{name}() does that between two updates."
COUNTED: Final = (
    "Count between two updates, and read the number as a field: crowd.count() for all agents, "
    "Cells(...).count(into=...) for agents nearby, Places(...) for those at the same place."
)
NEARBY: Final = (
    "A function sees no other agent. Cells(...) and Places(...) write quantities of "
    "neighbours into fields between two updates: read those."
)
BORN: Final = (
    "Call spawn(agent, ...) of fsmkit.crowd in a function of an action, or crowd.add() between two "
    "updates."
)
DYING: Final = (
    "Go to a state that was added with retire=True, or call crowd.remove() between two updates."
)

INSTEAD: Final[Mapping[str, str]] = {
    "send_event": "To send an event, return it.",
    "send": "To send an event, return it.",
    **dict.fromkeys(("count", "counts", "len"), COUNTED),
    **dict.fromkeys(
        ("nearest", "near", "nearby", "nearby_agents", "neighbors", "neighbours", "get_neighbors",
         "agents", "where", "mean", "sum"), NEARBY,
    ),
    **dict.fromkeys(("add", "add_agent", "spawn", "create", "clone", "copy"), BORN),
    **dict.fromkeys(
        ("remove", "remove_agent", "retire", "die", "kill", "delete", "destroy"), DYING
    ),
    **{name: BY_CROWD.format(name=name) for name in ("update", "start", "put", "save", "fsm")},
    **dict.fromkeys(
        ("random", "uniform", "normal", "gauss", "exponential", "choice", "randint"),
        "Call random(agent), uniform, normal or exponential of fsmkit.crowd.",
    ),
}  # fmt: skip
"""Name of a method that agents or the world do not have -> what to write instead."""

Argument: TypeAlias = "str | Typed"
"""Either the agent, the world or own, or a number."""

BUILTINS: Final = frozenset({"abs", "bool", "float", "int", "max", "min", "round"})

DRAWING: Final[Mapping[Any, tuple[str, ...]]] = {
    randomness.random: (),
    randomness.uniform: ("low", "high"),
    randomness.normal: ("mean", "deviation"),
    randomness.exponential: ("mean",),
}
"""Functions that draw a random number -> their parameters after the agent."""


@frozen(eq=False)
class Helper:
    """A function of the user that other functions call, compiled on its own."""

    name: str
    fields: Sequence[Operand]
    """The fields that it reads, passed after its numbers."""
    kind: str
    is_risky: bool
    """True if it may raise: then it gets the notes and the caller's place, and notes its own."""
    draws: bool = False
    """True if it draws random numbers: then it gets and returns the number of draws so far."""


Compile: TypeAlias = Callable[[FunctionSource, Sequence[Argument]], Helper]


@define(eq=False, slots=False)
class Expressions(Lookups):
    notes: ClassVar = "notes.ctypes.data"
    """The address of the notes, for a function that is called."""

    _compile_helper: Compile
    places: list[str]
    """Places that may raise, by number: the function, the file and the line."""
    statement: ast.stmt = field(init=False)
    """The statement that is being translated."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.statement = self.source.body[0]

    @property
    def place_number(self) -> int:
        place = f"{self.source.name}(), {self.source.place(self.statement)}"
        if place not in self.places:
            self.places.append(place)
        return self.places.index(place)

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
        if module == "builtins" and name in BUILTINS:
            return self._builtin(node, name)
        if module == "math":
            return self._math(node, name)
        if isinstance(function, FunctionType) and module != "random":
            return self._helper(node, function)
        return self.refuse(node, *_refused(node, function))

    def _function(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Attribute) and (role := self.role(function.value)):
            text = ast.unparse(function)
            field = getattr(self.binding, role)(function.attr)
            if field is not None:
                self.refuse(
                    node, f"{text} is not a function.",
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

    def _builtin(self, node: ast.Call, name: str) -> Typed:
        if name in {"min", "max"}:
            return self._extreme(node, name)
        [(value, kind)] = self._arguments(node, 1)
        if name in {"int", "round"}:
            return self._whole(f"_{name}", value, kind)
        if name != "abs":
            return cast(value, kind, name), name
        if kind == "bool":
            return cast(value, kind, "int"), "int"
        self.is_risky = self.is_risky or kind == "int"
        return called("_abs" if kind == "int" else "abs", value), kind

    def _extreme(self, node: ast.Call, name: str) -> Typed:
        if len(node.args) < 2:
            self.refuse(node, f"{name}() takes numbers here.", "Pass at least two.")
        typed = [self.typed(each) for each in node.args]
        kind = join(*(kind for _, kind in typed))
        first, *others = (self.joined(*each, kind) for each in typed)
        return reduce(lambda best, other: called(f"_{name}", best, other), others, first), kind

    def _whole(self, name: str, value: ast.expr, kind: str) -> Typed:
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
        defaults = source.function.__defaults__ or ()
        known = dict(zip(source.parameters[::-1], defaults[::-1], strict=False))
        arguments += [
            self.number(node, known[name], name)
            for name in source.parameters[len(arguments) :]
            if name in known
        ]
        return self.call(source, arguments, node, was_risky=was_risky)

    def call(
        self,
        source: FunctionSource,
        arguments: Sequence[Argument],
        node: ast.AST | None = None,
        *,
        was_risky: bool = False,
    ) -> Typed:
        """Translate a call of a function of the user, the expression `node`.

        `was_risky` is True if something before it, in the same statement, may raise.
        """
        helper = self._compile_helper(source, arguments)
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
        self._check_may_draw(node or self.statement, source.name)
        if was_risky and helper.is_risky:
            self.refuse(
                node or self.statement, f"{source.name}() draws, and may raise after something "
                "else in the same line may.", "Call it into a variable first.",
            )  # fmt: skip
        return self._drawn_in(result), helper.kind

    def _check_may_draw(self, node: ast.AST, name: str) -> None:
        if self.binding.is_guard:
            self.refuse(
                node, f"{name}() draws random numbers, but a guard only answers.",
                "Draw in a function of an action, into a field.",
            )  # fmt: skip
        if self._conditional:
            self.refuse(
                node, f"{name}() is drawn only in some cases within this expression.",
                "Draw it into a variable first.",
            )  # fmt: skip

    def _drawn_in(self, call: ast.expr) -> ast.expr:
        """Hoist the call of a function that draws, so that its draws are counted."""
        both = self.new_local(f"drawn{self.draws}")
        self.draws += 1
        self.hoisted += ast.parse(f"{both} = {ast.unparse(call)}\ncall = {both}[1]").body
        return ast.Subscript(ast.Name(both), ast.Constant(0))

    def _random(self, node: ast.Call, function: Any) -> Typed:
        name, parameters = function.__name__, self.source.parameters
        self._check_may_draw(node, name)
        if not node.args or self.role(node.args[0]) != "agent":
            agent = next((each for each in parameters if self.roles.get(each) == "agent"), "agent")
            self.refuse(
                node, f"{name}() takes the agent first.",
                f"Write {name}({', '.join([agent, *DRAWING[function]])}).",
            )  # fmt: skip
        expected = 1 + len(DRAWING[function])
        if len(node.args) != expected:
            self.refuse(node, f"{name}() has {len(node.args)} arguments.", f"Pass {expected}.")
        given = [self.typed(each) for each in node.args[1:]]
        values = [cast(self.exact(*each), each[1], "float") for each in given]
        drawn = ast.Name(self.new_local(f"draw{self.draws}"))
        self.draws += 1
        key = ", ".join(ast.unparse(self.load(each)[0]) for each in (SEED, ID, STEP))
        self.hoisted += ast.parse(f"{drawn.id} = _draw({key}, call)\ncall += 1").body
        return _distributed(name, values, drawn), "float"


def _distributed(name: str, values: Sequence[ast.expr], drawn: ast.expr) -> ast.expr:
    if name == "random":
        return drawn
    if name == "uniform":
        low, high = values
        span = ast.BinOp(ast.BinOp(high, ast.Sub(), low), ast.Mult(), drawn)
        return ast.BinOp(low, ast.Add(), span)
    scaled = ast.BinOp(values[-1], ast.Mult(), called(f"_{name}", drawn))
    return ast.BinOp(values[0], ast.Add(), scaled) if name == "normal" else scaled


def instead_of_method(name: str) -> str:
    """Return advice for a method that neither agents nor the world have.

    >>> instead_of_method("send_event")
    'To send an event, return it.'
    """
    return INSTEAD.get(name, "Write a function that takes the agent.")


def _refused(node: ast.Call, function: Any) -> tuple[str, str]:
    name, own_name = ast.unparse(node.func), getattr(function, "__name__", "")
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
        return f"{name}() works only on constants.", "Put the number into the world."
    if _is_random(function):
        return f"{name}() would depend on the order of the agents.", _drawn_instead(own_name)
    if own_name in SAFE_MATH or own_name in RISKY_MATH:
        return f"{name}() cannot be compiled.", f"Write math.{own_name}()."
    callables = (
        "functions of math, abs, min, max, round, int, float, bool, random, uniform, normal, "
        "exponential"
    )
    return (
        f"{name}() cannot be compiled.",
        f"These can be called: {callables}, and functions of your own made of these.",
    )


def _drawn_instead(name: str) -> str:
    if name in ("gauss", "normalvariate", "normal", "standard_normal", "randn"):
        return "Use normal(agent, mean, deviation) of fsmkit.crowd."
    if name in ("expovariate", "exponential", "standard_exponential"):
        return "Use exponential(agent, mean) of fsmkit.crowd."
    return "Use random(agent) or uniform(agent, low, high) of fsmkit.crowd."


def _is_random(function: Any) -> bool:
    kinds = type(getattr(function, "__self__", None)).__mro__
    modules = {str(getattr(each, "__module__", "")) for each in (function, *kinds)}
    return any(module == "random" or module.startswith("numpy.random") for module in modules)
