"""Compiled arithmetic gives the same bits as Python, and raises where Python raises."""

from __future__ import annotations

import math
import random as standard_random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm
from fsmkit.crowd.library import written_function

FLOATS = [
    "a.x + a.y - a.x * a.y", "a.x / a.y", "a.x // a.y", "a.x % a.y", "a.n / a.m", "-a.x + 0.1",
    "a.x * a.n - a.m", "a.x // -0.3 + a.y % 0.7", "abs(a.x) - abs(a.y)", "a.x * a.x - a.y / 3",
    "min(a.x, a.y)", "max(a.x, a.y, 0.5)", "min(a.n, a.x, 2)", "a.x if a.b else a.y",
    "a.x if a.x < a.y else 1.5", "(a.x > 0) * a.y + True", "float(a.n) / 7 + float(a.b)",
    "math.sqrt(a.x)", "math.sin(a.x)", "math.cos(a.x)", "math.tan(a.x)", "math.asin(a.x)",
    "math.acos(a.x)", "math.atan(a.x)", "math.atan2(a.x, a.y)", "math.exp(a.x)", "math.log(a.x)",
    "math.fabs(a.x) + math.copysign(a.x, a.y)", "math.sqrt(a.n) + math.pi * math.tau / math.e",
    "w.level * a.x + own.share - own.most", "1.0 / (a.x - a.x)", "math.inf if a.b else -math.inf",
]  # fmt: skip

WHOLE = [
    "a.n + a.m * 3 - 7", "a.n // a.m", "a.n % a.m", "-a.n // 3 + -a.n % 3", "abs(a.n) - abs(a.b)",
    "~a.n & 7 | a.m ^ 3", "-a.b + a.b", "(a.x > 0) + (a.y > 0) * 2", "min(a.n, a.m, 3)",
    "max(a.b, a.n)", "round(a.z)", "int(a.z)", "math.floor(a.z)", "math.ceil(a.z)",
    "math.trunc(a.z) + math.floor(a.n)", "int(a.b) + round(a.n)", "int(a.x)", "a.n if a.b else a.m",
]  # fmt: skip

TRUTHS = [
    "a.x < a.y", "a.x == a.y", "a.x != a.n", "0 < a.x <= a.y < 3", "a.n >= a.m", "a.b == a.n",
    "a.b and a.x > 0 or a.n == 1", "not a.x", "not (a.b or a.x < a.y)", "bool(a.x)", "bool(a.n)",
    "a.b & (a.x > 0)", "a.b | (a.x > 0)", "a.b ^ (a.n > 0)", "math.isnan(a.x) or math.isinf(a.y)",
    "math.isfinite(a.x)", "True if a.x > a.y else a.b",
]  # fmt: skip

HEAVY = ["//", "%", "int(a", "round(a.z", *(f"math.{name}(" for name in (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "floor", "ceil", "trunc",
))]  # fmt: skip
"""Operations that no loop without branches has."""

LIGHT = {
    target: [each for each in expressions if not any(part in each for part in HEAVY)]
    for target, expressions in (("as_float", FLOATS), ("as_int", WHOLE), ("as_bool", TRUTHS))
}

SPECIAL = [
    0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 0.1, 7.0, -7.0, 5e-324, 1e16, 1e300, -1e300,
    math.inf, -math.inf, math.nan, math.pi,
]  # fmt: skip


@define
class Sums:
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    n: int = 0
    m: int = 0
    b: bool = False
    as_float: float = 0.0
    as_int: int = 0
    as_bool: bool = False


@define
class Level:
    level: float = 0.7


def function_for(number: int, target: str, expression: str) -> Callable[..., Any]:
    name = f"work_out_{number}"
    return written_function(name, [f"def {name}(a, w, own):", f"    a.{target} = {expression}"])


def machine(expressions: dict[str, list[str]]) -> CrowdFsm:
    """Make a state for each expression; the expressions are given by the field of the result."""
    built = CrowdFsm("Sums", Sums, Level)
    for target, expression in ((target, e) for target, each in expressions.items() for e in each):
        function = function_for(len(built.states), target, expression)
        built.add_state(expression).add_action(
            CrowdAction(on_update=function, parameters={"share": 0.3, "most": "world.level"})
        )
    return built


def columns() -> dict[str, Any]:
    rng = standard_random.Random(1)
    pairs = [*product(SPECIAL, SPECIAL), *((rng.uniform(-9, 9), rng.gauss()) for _ in range(100))]
    size = range(len(pairs))
    return {
        "x": [x for x, _ in pairs],
        "y": [y for _, y in pairs],
        "z": [rng.choice([0.5, 1.5, -0.5, -2.5, 3.49, -7.0, 1e15, -0.0]) for _ in size],
        "n": [rng.choice([0, 1, -1, 2, -7, 12345]) for _ in size],
        "m": [rng.choice([0, 1, -1, 3, -3, 1000]) for _ in size],
        "b": [rng.random() < 0.5 for _ in size],
    }


def worked_out(crowd: Any, state: str, given: dict[str, Any]) -> tuple[Any, ...]:
    """Return the bits of the results, and True if an agent failed."""
    for name, values in given.items():
        crowd[name] = values
    for name in ("as_float", "as_int", "as_bool"):
        crowd[name] = 0
    crowd.start(state)
    failed = 0
    try:
        crowd.update(0.1)
    except ExceptionGroup as errors:
        failed = int(str(errors).partition(" ")[0])
    numbers = np.nan_to_num(crowd["as_float"], nan=-12345.0)  # which nan it is, is undefined
    return failed, numbers.tobytes(), crowd["as_int"].tobytes(), crowd["as_bool"].tobytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "expressions"),
    [
        ("float64", {"as_float": FLOATS, "as_int": WHOLE, "as_bool": TRUTHS}),
        ("float32", {"as_float": FLOATS[:12]}),
    ],
    ids=["float64", "float32"],
)
def test_compiled_arithmetic_is_pythons(dtype: Any, expressions: dict[str, list[str]]) -> None:
    assert_same(dtype, machine(expressions))


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps")
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.long)])
def test_swept_arithmetic_is_pythons(dtype: Any) -> None:
    built = machine(LIGHT)
    assert "def sweep" in Crowd(built, 1).source
    assert_same(dtype, built)


def assert_same(dtype: Any, built: CrowdFsm) -> None:
    """Check that both engines get the same bits and failures, in every state."""
    given = columns()
    with np.errstate(over="ignore"):
        crowds = [
            Crowd(built, len(given["x"]), engine=engine, dtype=dtype)
            for engine in ("python", "compiled")
        ]
        for state in built.states:
            interpreted, compiled = (worked_out(crowd, state, given) for crowd in crowds)
            assert (state, compiled) == (state, interpreted)
