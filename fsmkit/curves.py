"""Curves: a number of the game as a worth from 0 to 1, for the scores of a `Utility`.

The five shapes that people write, each a function of the number, with keywords for where it begins
and how it bends. They are the response curves of Dave Mark, "Behavioral Mathematics for Game AI"
(2009), and of Dave Mark and Mike Lewis, "Building a Better Centaur: AI at Massive Scale" (GDC
2015), with bounds in the unit of the number in place of slope and shift. A product of several is
again from 0 to 1; `1 - curve` is its mirror image. NaN stays NaN, so that a `Utility` reports it.

>>> hunger, distance = 0.5, 20.0
>>> quadratic(hunger) * inverse(distance, half=10.0)
0.08333333333333333
"""

from __future__ import annotations

from math import tanh

__all__ = ["inverse", "linear", "logistic", "quadratic", "step"]


def linear(value: float, *, low: float = 0.0, high: float = 1.0) -> float:
    """Return 0 at `low`, 1 at `high`, and evenly in between: (value - low) / (high - low).

    Beyond the bounds it stays 0 or 1. With `low` above `high` it falls. Raises ValueError if they
    are equal.

    >>> linear(30.0, high=120.0), linear(30.0, low=120.0, high=0.0)
    (0.25, 0.75)
    """
    if low == high:
        raise ValueError(f"low and high must be different numbers, got {low!r} for both.")
    share = (value - low) / (high - low)
    return 0.0 if share < 0.0 else min(share, 1.0)  # NaN stays NaN


def quadratic(value: float, *, low: float = 0.0, high: float = 1.0, exponent: float = 2.0) -> float:
    """Return `linear` to the power of `exponent`: little at first, then more and more.

    With an exponent below 1 it is much at first, then less and less. Raises ValueError unless the
    exponent is above 0, and for bounds as `linear` does.

    >>> quadratic(0.5), quadratic(25.0, high=100.0, exponent=0.5)
    (0.25, 0.5)
    """
    if exponent <= 0.0:
        raise ValueError(f"exponent must be above 0, got {exponent!r}.")
    return float(linear(value, low=low, high=high) ** exponent)


def logistic(value: float, *, middle: float = 0.5, steepness: float = 10.0) -> float:
    """Return 1 / (1 + e^(-steepness * (value - middle))): an S, with a half at the `middle`.

    The slope there is a quarter of the `steepness`; below 0 the S falls. It comes near to 0 and 1
    without ever being quite there.

    >>> logistic(0.5), round(logistic(0.8), 3), round(logistic(20.0, middle=30, steepness=-0.2), 3)
    (0.5, 0.953, 0.881)
    """
    return 0.5 + 0.5 * tanh(0.5 * steepness * (value - middle))  # the same, without an overflow


def step(value: float, *, at: float = 0.5) -> float:
    """Return 1 from `at` on, and 0 below.

    >>> step(19.9, at=20.0), step(20.0, at=20.0)
    (0.0, 1.0)
    """
    return 1.0 if value >= at else 0.0 if value < at else value


def inverse(value: float, *, half: float = 1.0) -> float:
    """Return half / (half + value): 1 at 0, a half at `half`, a third at twice that, and so on.

    For distances, prices and ages: what is near counts, and nothing is too far to count at all. Up
    to 0 it is 1. Raises ValueError unless `half` is above 0.

    >>> inverse(0.0), inverse(10.0, half=10.0), inverse(90.0, half=10.0)
    (1.0, 0.5, 0.1)
    """
    if half <= 0.0:
        raise ValueError(f"half must be above 0, got {half!r}.")
    return 1.0 if value <= 0.0 else half / (half + value)
