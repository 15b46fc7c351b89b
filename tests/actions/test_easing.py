"""The easings: their ends, their symmetry, and how they look in between."""

from collections.abc import Callable
from math import isclose

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st

from actions import easing

KINDS = ["quad", "cubic", "quart", "quint", "sine", "expo", "circ", "back", "elastic", "bounce"]
NAMES = ["linear", *(f"ease_{way}_{kind}" for kind in KINDS for way in ("in", "out", "in_out"))]
# 1 - share is exact for these; the jump of expo at 0 lets rounding be seen.
SHARES = st.integers(0, 4096).map(lambda part: part / 4096)


def named(name: str) -> Callable[[float], float]:
    function: Callable[[float], float] = getattr(easing, name)
    return function


def near(a: float, b: float) -> bool:
    return isclose(a, b, abs_tol=1e-9)


def test_the_whole_set_is_there() -> None:
    public = {name for name in vars(easing) if name.startswith("ease_") or name == "linear"}
    assert public == set(NAMES)


@every("name", NAMES)
def test_begins_at_exactly_0_and_ends_at_exactly_1(name: str) -> None:
    ease = named(name)
    assert [ease(0), ease(0.0), ease(1), ease(1.0)] == [0, 0, 1, 1]


@given(st.sampled_from(KINDS), SHARES)
def test_out_is_in_run_backwards(kind: str, share: float) -> None:
    ease_in, ease_out = named(f"ease_in_{kind}"), named(f"ease_out_{kind}")
    assert near(ease_out(share), 1.0 - ease_in(1.0 - share))


@given(st.sampled_from(KINDS), SHARES)
def test_in_out_looks_the_same_from_both_ends(kind: str, share: float) -> None:
    ease = named(f"ease_in_out_{kind}")
    if share != 0.5:
        assert near(ease(share), 1.0 - ease(1.0 - share))


@given(st.sampled_from(["quad", "cubic", "quart", "quint", "sine", "circ"]), SHARES, SHARES)
def test_the_simple_ones_never_go_back(kind: str, a: float, b: float) -> None:
    ease = named(f"ease_in_out_{kind}")
    assert ease(min(a, b)) <= ease(max(a, b)) + 1e-12


@given(st.sampled_from(NAMES), st.floats(0.0, 1.0 - 1e-6))
def test_none_of_them_jumps(name: str, share: float) -> None:
    # The widest jump is the start of expo: a 1024th of the way.
    assert abs(named(name)(share + 1e-6) - named(name)(share)) < 0.0015


@every(
    ("name", "share", "value"),
    [
        ("linear", 0.3, 0.3),
        ("ease_in_quad", 0.3, 0.09),
        ("ease_out_cubic", 0.5, 0.875),
        ("ease_in_out_quart", 0.25, 0.03125),
        ("ease_in_quint", 0.5, 0.03125),
        ("ease_in_sine", 0.5, 0.2928932188134524),
        ("ease_in_expo", 0.5, 0.03125),
        ("ease_in_circ", 0.6, 0.2),
        ("ease_in_back", 0.5, -0.0876975),
        ("ease_in_out_back", 0.25, -0.09968184375),
        ("ease_in_elastic", 0.5, -0.015625),
        ("ease_out_bounce", 0.5, 0.765625),
        ("ease_out_bounce", 2 / 2.75, 1.0),
    ],
)
def test_values_by_the_published_equations(name: str, share: float, value: float) -> None:
    assert named(name)(share) == pytest.approx(value)
