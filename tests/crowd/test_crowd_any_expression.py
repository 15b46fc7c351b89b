"""Any expression gives the same bits as Python, or is refused when the crowd is made."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest
from attrs import define, field, frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, SubsetError, Table
from fsmkit.crowd.library import written_function

pytestmark = pytest.mark.slow

Text: TypeAlias = st.SearchStrategy[str]


@define
class Sums:
    x: float = 0.0
    y: float = 0.0
    n: int = 0
    m: int = 0
    b: bool = False
    as_float: float = 0.0
    as_int: int = 0
    as_bool: bool = False
    done: bool = False


@define
class World:
    level: float = 0.7
    row: Table[float] = field(factory=lambda: Table((0.5, -0.0, 2.5)))


def made_of(template: str, *parts: Text) -> Text:
    """Generate expressions: `template` with each `_` replaced."""
    return st.tuples(*parts).map(lambda texts: template.replace("_", "{}").format(*texts))


def one_of_math(names: str, *parts: Text) -> Text:
    return st.sampled_from(names.split()).flatmap(
        lambda name: made_of(f"math.{name}({', '.join('_' for _ in parts)})", *parts)
    )


NUMBERS_MATH = "sqrt sin cos tan asin acos atan exp log log2 log10 fabs degrees radians tanh"


@frozen
class Level:
    """Generate expressions of each kind, up to a depth; recursion would go too deep."""

    floats: Text
    wholes: Text
    truths: Text
    mixed: Text
    """Generate values that are whole numbers on one path and fractions on another."""

    @property
    def numbers(self) -> Text:
        return self.floats | self.wholes | self.truths | self.mixed

    def deeper(self) -> Level:
        """Generate expressions that are composed of these, and these themselves."""
        floats, wholes, truths, mixed = self.floats, self.wholes, self.truths, self.mixed
        numbers = self.numbers
        return Level(
            floats=st.one_of(
                floats,
                *(made_of(f"(_ {op} _)", floats, numbers) for op in ARITHMETIC),
                *(made_of(f"(_ {op} _)", numbers, floats) for op in ARITHMETIC),
                made_of("(_ / _)", numbers, numbers),
                made_of("-_", floats),
                made_of("abs(_)", floats),
                made_of("float(_)", numbers),
                made_of("SPEEDS[_ % 3]", wholes),
                made_of("w.row[_ & 3]", wholes),
                one_of_math(NUMBERS_MATH, numbers),
                one_of_math("atan2 copysign", numbers, numbers),
            ),
            wholes=st.one_of(
                wholes,
                *(made_of(f"(_ {op} _)", wholes, wholes) for op in WHOLE_ARITHMETIC),
                *(made_of(f"(_ {op} _)", truths, truths) for op in WHOLE_ARITHMETIC),
                *(made_of(f"(_ {op} _)", wholes, wholes) for op in ("&", "|", "^")),
                made_of("-_", wholes),
                made_of("~_", wholes),
                made_of("+_", truths),
                made_of("abs(_)", wholes),
                one_of_math("floor ceil trunc", numbers),
                made_of("int(_)", numbers),
                made_of("round(_)", numbers),
                made_of("CELLS[_ & 1][_ % 3]", wholes, wholes),
            ),
            truths=st.one_of(
                truths,
                *(made_of(f"(_ {op} _)", numbers, numbers) for op in COMPARISONS),
                made_of("(_ < _ <= _)", numbers, numbers, numbers),
                made_of("(_ and _)", truths, truths),
                made_of("(_ or _)", truths, truths),
                made_of("(_ & _ ^ _)", truths, truths, truths),
                made_of("(not _)", numbers),
                made_of("bool(_)", numbers),
                made_of("(_ in (0.5, 1, -7.0))", numbers),
                made_of("(_ not in SPEEDS)", numbers),
                made_of("(_ in (0, _, 7))", wholes, wholes),
                made_of("(_ in range(-3, 8))", numbers),
                one_of_math("isnan isinf isfinite", floats),
            ),
            mixed=st.one_of(
                made_of("(_ if _ else _)", numbers, truths, numbers),
                made_of("min(_, _)", numbers, numbers),
                made_of("max(_, _, _)", numbers, numbers, numbers),
                *(made_of(f"(_ {op} _)", mixed, numbers) for op in ARITHMETIC),
                *(made_of(f"(_ {op} _)", numbers, mixed) for op in ARITHMETIC),
                made_of("-_", mixed),
                made_of("abs(_)", mixed),
            ),
        )


SPEEDS = (0.5, -1.25, 7.0)
CELLS = ((1, -2, 3), (0, 5, 2**53))
OUTSIDE = {"SPEEDS": SPEEDS, "CELLS": CELLS}

WHOLE_ARITHMETIC = ("+", "-", "*", "//", "%")
ARITHMETIC = (*WHOLE_ARITHMETIC, "/")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")

FIRST = Level(
    floats=st.sampled_from(
        [
            "a.x",
            "a.y",
            "w.level",
            "math.pi",
            "math.inf",
            "math.nan",
            "0.0",
            "0.1",
            "1.0",
            "2.5",
            "w.time",
            "a.time_in_state",
        ]
    ),
    wholes=st.sampled_from(["a.n", "a.m", "a.id", "0", "1", "2", "7", "1000"]),
    truths=st.sampled_from(["a.b", "True", "False"]),
    mixed=st.sampled_from(["min(a.n, a.x)", "(a.y if a.b else 1)"]),
)
DEEPEST = FIRST.deeper().deeper().deeper()

columns = st.one_of(
    st.tuples(st.just("as_float"), DEEPEST.numbers),
    st.tuples(st.just("as_int"), DEEPEST.wholes),
    st.tuples(st.just("as_bool"), DEEPEST.truths),
)


def machine(expressions: Sequence[tuple[str, str]]) -> CrowdFsm:
    """Make a state for each expression; each comes with the field for its result."""
    built = CrowdFsm("Sums", Sums, World)
    for number, (target, expression) in enumerate(expressions):
        name = f"work_out_{number}"
        lines = [f"def {name}(a, w):", f"    a.{target} = {expression}", "    a.done = True"]
        function = written_function(name, lines)
        function.__globals__.update(OUTSIDE)
        built.add_state(f"S{number}").add_action(CrowdAction(on_update=function))
    return built


def is_compiled(case: tuple[str, str]) -> bool:
    """Return True if it is; other expressions use numbers that are sometimes whole."""
    try:
        Crowd(machine([case]), 1)
    except SubsetError as refused:
        assert "an int on one path and a float on another" in str(refused)  # noqa: PT017
        return False
    return True


def is_swept(case: tuple[str, str]) -> bool:
    """Return True if it can be computed without branches."""
    return "def sweep" in Crowd(machine([case]), 1).source


SPECIAL = [
    0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 0.1, 7.0, -7.0, 5e-324, 1e16, 1e300, -1e300,
    math.inf, -math.inf, math.nan, math.pi, 2.0**53, -(2.0**63),
]  # fmt: skip
WHOLE = [0, 1, -1, 2, -2, 3, -7, 1000, 12345, 2**31, 2**53 + 1, -(2**62), 2**63 - 1, -(2**63)]


def given_columns() -> dict[str, list[Any]]:
    rng = Random(1)
    pairs = [*product(SPECIAL, SPECIAL), *((rng.uniform(-9, 9), rng.gauss()) for _ in range(200))]
    return {
        "x": [x for x, _ in pairs],
        "y": [y for _, y in pairs],
        "n": [rng.choice(WHOLE[: rng.choice([8, 14])]) for _ in pairs],
        "m": [rng.choice(WHOLE[: rng.choice([8, 14])]) for _ in pairs],
        "b": [rng.random() < 0.5 for _ in pairs],
    }


GIVEN = given_columns()


def worked_out(crowd: Crowd, state: str) -> tuple[dict[str, Any], list[str]]:
    """Return the columns of the results, and the first errors."""
    for name, values in GIVEN.items():
        crowd[name] = values
    for name in ("as_float", "as_int", "as_bool", "done"):
        crowd[name] = 0
    crowd.start(state)
    errors: list[str] = []
    try:
        crowd.update(0.1)
    except ExceptionGroup as failed:
        errors = [type(each).__name__ for each in failed.exceptions]
    except (ArithmeticError, ValueError, IndexError) as failed:
        errors = [type(failed).__name__]
    return {name: crowd[name].copy() for name in ("as_float", "as_int", "as_bool", "done")}, errors


def is_too_large(expression: str, i: int) -> bool:
    """Return True if an intermediate whole number exceeds the bits of compiled code."""

    class Agent:
        x, y, n, m, b = (GIVEN[name][i] for name in ("x", "y", "n", "m", "b"))
        id, time_in_state = i, 0.1

    class Shared:
        level, row, time = 0.7, World().row, 0.1

    for part in ast.walk(ast.parse(expression, mode="eval")):
        if isinstance(part, ast.expr):
            try:
                value = eval(ast.unparse(part), {"math": math, "a": Agent, "w": Shared, **OUTSIDE})
            except (ArithmeticError, ValueError, IndexError):
                continue
            if type(value) is int and not -(2**53) <= value <= 2**53:
                return True
    return False


def bits(column: Any) -> list[int]:
    """Return the bits of each number; those of all nans are the same."""
    if column.dtype == np.float64:
        column = np.where(np.isnan(column), 7e77, column)
    return list(column.view(f"i{column.dtype.itemsize}").tolist())


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases=st.lists(columns, min_size=60, max_size=60))
def test_any_expression_gives_pythons_bits(cases: list[tuple[str, str]]) -> None:
    assert_same([case for case in dict.fromkeys(cases) if is_compiled(case)])


@pytest.mark.long
@pytest.mark.usefixtures("always_sweeps")
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases=st.lists(columns, min_size=60, max_size=60))
def test_any_expression_gives_pythons_bits_in_a_sweep(cases: list[tuple[str, str]]) -> None:
    known = [case for case in dict.fromkeys(cases) if is_compiled(case) and is_swept(case)]
    assert_same(known)


def assert_same(known: list[tuple[str, str]]) -> None:
    """Check that both engines get the same bits and errors."""
    built, size = machine(known), len(GIVEN["x"])
    crowds = [Crowd(built, size, engine="python"), Crowd(built, size, engine="compiled")]
    for number, (target, expression) in enumerate(known):
        (one, errors), (other, errors_of_other) = (worked_out(c, f"S{number}") for c in crowds)
        is_done, is_done_compiled = one["done"], other["done"]
        refused = np.flatnonzero(is_done & ~is_done_compiled)
        assert all(is_too_large(expression, i) for i in refused), expression
        assert not (is_done_compiled & ~is_done).any(), expression
        pairs = zip(bits(one[target]), bits(other[target]), strict=True)
        differ = [
            i
            for i, (a, b) in enumerate(pairs)
            if is_done_compiled[i] and a != b and not is_too_large(expression, i)
        ]
        values = [(GIVEN["x"][i], GIVEN["y"][i], GIVEN["n"][i], GIVEN["m"][i]) for i in differ[:1]]
        assert not differ, (expression, values, one[target][differ], other[target][differ])
        if not len(refused) and "OverflowError" not in errors_of_other:
            assert errors == errors_of_other, expression
