"""The curves for scores: bounds, directions, and what goes through them."""

from collections.abc import Callable
from math import exp, inf, isclose, isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmkit import curves

NUMBERS = st.floats(-1e6, 1e6)
CURVES: dict[str, Callable[[float], float]] = {
    "linear": lambda value: curves.linear(value, low=-3.0, high=5.0),
    "falling": lambda value: curves.linear(value, low=5.0, high=-3.0),
    "quadratic": lambda value: curves.quadratic(value, high=4.0),
    "root": lambda value: curves.quadratic(value, high=4.0, exponent=0.5),
    "logistic": lambda value: curves.logistic(value, middle=2.0, steepness=3.0),
    "falling logistic": lambda value: curves.logistic(value, middle=2.0, steepness=-3.0),
    "step": lambda value: curves.step(value, at=2.0),
    "inverse": lambda value: curves.inverse(value, half=2.0),
}
FALLING = {"falling", "falling logistic", "inverse"}


@pytest.mark.slow
@pytest.mark.parametrize("name", CURVES)
@given(values=st.lists(NUMBERS, min_size=2, max_size=2))
def test_each_stays_between_0_and_1_and_goes_one_way(name: str, values: list[float]) -> None:
    low, high = map(CURVES[name], sorted(values))
    assert 0.0 <= low <= 1.0
    assert 0.0 <= high <= 1.0
    assert low >= high if name in FALLING else low <= high


@pytest.mark.parametrize("name", CURVES)
def test_infinity_is_the_end_and_nan_stays_nan(name: str) -> None:
    ends = CURVES[name](-inf), CURVES[name](inf)
    assert ends == ((1.0, 0.0) if name in FALLING else (0.0, 1.0))
    assert isnan(CURVES[name](nan))


@pytest.mark.slow
@given(value=st.floats(-30.0, 30.0), middle=st.floats(-3.0, 3.0), steepness=st.floats(-9.0, 9.0))
def test_the_logistic_curve_is_what_its_formula_says(
    value: float, middle: float, steepness: float
) -> None:
    by_formula = 1.0 / (1.0 + exp(-steepness * (value - middle)))
    found = curves.logistic(value, middle=middle, steepness=steepness)
    assert isclose(found, by_formula, abs_tol=1e-12)


def test_the_logistic_curve_has_no_overflow() -> None:
    assert curves.logistic(-1e308, steepness=1e3) == 0.0


WRONG: dict[str, tuple[Callable[[], float], str]] = {
    "equal bounds": (
        lambda: curves.linear(1.0, low=2.0, high=2.0),
        "low and high must be different numbers, got 2.0 for both.",
    ),
    "an exponent of 0": (
        lambda: curves.quadratic(1.0, exponent=0.0),
        "exponent must be above 0, got 0.0.",
    ),
    "a negative half": (
        lambda: curves.inverse(1.0, half=-1.0),
        "half must be above 0, got -1.0.",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_makes_no_curve_is_refused(what: str) -> None:
    make, message = WRONG[what]
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the message follows
        make()
    assert str(raised.value) == message
