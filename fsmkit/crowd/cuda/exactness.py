"""Exactness: finds the functions of a machine whose results on a card differ in the last bit."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

from fsmkit.core.words.quoting import quote
from fsmkit.crowd.agent_functions import FunctionSource, source_of
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.errors import SubsetError
from fsmkit.crowd.guard import guard_of
from fsmkit.crowd.randomness import exponential, normal
from fsmkit.introspection import walk

INEXACT_MATH: Final = frozenset(
    {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "log2", "log10", "tanh"}
)
"""Functions of `math` that libraries round differently.

CUDA gives bounds of 1 to 2 units in the last place for them ("CUDA C++ Programming Guide",
Mathematical Functions). Addition, multiplication, division and `sqrt` are rounded correctly, as
IEEE 754 asks for; `fabs`, `copysign`, `floor`, `ceil`, `trunc` and the remainder are exact.
"""

INEXACT: Final = {
    **{getattr(math, name): f"math.{name}" for name in INEXACT_MATH},
    normal: "normal(), by its logarithm,",
    exponential: "exponential(), by its logarithm,",
}
"""Inexact functions -> their names in messages."""


def check_exactness(layout: Layout) -> None:
    seen: set[Any] = set()
    for where, function in _functions(layout):
        for source, node, name in _inexact_calls(function, seen):
            error = source.refuse(
                node, f"{name} is rounded differently on a GPU.",
                'Write it without, or make the crowd with exact=False: then target="cuda" gives '
                "nearly the same results, no longer the same bits.",
            )  # fmt: skip
            raise SubsetError(f"{where}: {error}")


def _functions(layout: Layout) -> Iterator[tuple[str, Any]]:
    for (state, index), binding in layout.bindings.items():
        for phase, function in binding.action.definition.functions.items():
            yield f"{state}, actions[{index}] {phase}", function
    for owner, event, _, transition in walk.transitions(layout.machine):
        guard = guard_of(transition)
        if guard is not None:
            yield f"{owner}, transition {quote(event)}", guard.function


def _inexact_calls(function: Any, seen: set[Any]) -> Iterator[tuple[FunctionSource, ast.Call, str]]:
    if function in seen:
        return
    seen.add(function)
    source = source_of(function)
    nodes = (part for statement in source.body for part in ast.walk(statement))
    for node in (each for each in nodes if isinstance(each, ast.Call)):
        called = source.value(node.func)
        name = next((name for each, name in INEXACT.items() if each is called), None)
        if name is not None:
            yield source, node, name
        elif isinstance(called, FunctionType):
            yield from _inexact_calls(called, seen)
