"""Easing functions: they turn a share of the time into a share of the way.

For `easing=` of every timed action. Robert Penner's equations ("Programming Macromedia Flash MX",
2002), with the names and constants of https://easings.net. Each takes a share from 0 to 1 and maps
0 to exactly 0 and 1 to exactly 1; `back` and `elastic` leave that range in between.

An `ease_out` is its `ease_in` run backwards; an `ease_in_out` is the one and then the other, each
in half the time.

>>> ease_in_quad(0.5), ease_out_quad(0.5), ease_in_out_quad(0.25)
(0.25, 0.75, 0.125)
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp2, pi, sin, sqrt
from typing import Final

OVERSHOOT: Final = 1.70158
"""Makes `back` swing out by a tenth of the way."""

WIDER: Final = 1.525
"""Makes the overshoot of `ease_in_out_back` stronger, as each half has half the way."""


def linear(share: float) -> float:
    """Go evenly.

    >>> linear(0.5)
    0.5
    """
    return share


def ease_in_quad(share: float) -> float:
    """Start slowly: the square.

    >>> ease_in_quad(0.5)
    0.25
    """
    return share**2


def ease_out_quad(share: float) -> float:
    """End slowly: the square.

    >>> ease_out_quad(0.5)
    0.75
    """
    return _out(ease_in_quad, share)


def ease_in_out_quad(share: float) -> float:
    """Start and end slowly: the square.

    >>> ease_in_out_quad(0.25)
    0.125
    """
    return _in_out(ease_in_quad, share)


def ease_in_cubic(share: float) -> float:
    """Start slowly: the third power.

    >>> ease_in_cubic(0.5)
    0.125
    """
    return share**3


def ease_out_cubic(share: float) -> float:
    """End slowly: the third power.

    >>> ease_out_cubic(0.5)
    0.875
    """
    return _out(ease_in_cubic, share)


def ease_in_out_cubic(share: float) -> float:
    """Start and end slowly: the third power.

    >>> round(ease_in_out_cubic(0.25), 3)
    0.062
    """
    return _in_out(ease_in_cubic, share)


def ease_in_quart(share: float) -> float:
    """Start slowly: the fourth power.

    >>> round(ease_in_quart(0.5), 3)
    0.062
    """
    return share**4


def ease_out_quart(share: float) -> float:
    """End slowly: the fourth power.

    >>> round(ease_out_quart(0.5), 3)
    0.938
    """
    return _out(ease_in_quart, share)


def ease_in_out_quart(share: float) -> float:
    """Start and end slowly: the fourth power.

    >>> round(ease_in_out_quart(0.25), 3)
    0.031
    """
    return _in_out(ease_in_quart, share)


def ease_in_quint(share: float) -> float:
    """Start slowly: the fifth power.

    >>> round(ease_in_quint(0.5), 3)
    0.031
    """
    return share**5


def ease_out_quint(share: float) -> float:
    """End slowly: the fifth power.

    >>> round(ease_out_quint(0.5), 3)
    0.969
    """
    return _out(ease_in_quint, share)


def ease_in_out_quint(share: float) -> float:
    """Start and end slowly: the fifth power.

    >>> round(ease_in_out_quint(0.25), 3)
    0.016
    """
    return _in_out(ease_in_quint, share)


def ease_in_sine(share: float) -> float:
    """Start gently: a quarter of a sine wave.

    >>> round(ease_in_sine(0.5), 3)
    0.293
    """
    # 1 - cos(x) would miss 1 by a rounding error.
    return 1.0 - sin((1.0 - share) * pi / 2)


def ease_out_sine(share: float) -> float:
    """End gently: a quarter of a sine wave.

    >>> round(ease_out_sine(0.5), 3)
    0.707
    """
    return _out(ease_in_sine, share)


def ease_in_out_sine(share: float) -> float:
    """Start and end gently: half a sine wave.

    >>> round(ease_in_out_sine(0.25), 3)
    0.146
    """
    return _in_out(ease_in_sine, share)


def ease_in_expo(share: float) -> float:
    """Start very slowly: doubling ten times.

    >>> round(ease_in_expo(0.5), 3)
    0.031
    """
    return exp2(10.0 * share - 10.0) if share > 0.0 else 0.0


def ease_out_expo(share: float) -> float:
    """End very slowly: halving ten times.

    >>> round(ease_out_expo(0.5), 3)
    0.969
    """
    return _out(ease_in_expo, share)


def ease_in_out_expo(share: float) -> float:
    """Start and end very slowly: doubling and then halving ten times.

    >>> round(ease_in_out_expo(0.25), 3)
    0.016
    """
    return _in_out(ease_in_expo, share)


def ease_in_circ(share: float) -> float:
    """Start slowly: a quarter of a circle.

    >>> round(ease_in_circ(0.5), 3)
    0.134
    """
    return 1.0 - sqrt(1.0 - share**2)


def ease_out_circ(share: float) -> float:
    """End slowly: a quarter of a circle.

    >>> round(ease_out_circ(0.5), 3)
    0.866
    """
    return _out(ease_in_circ, share)


def ease_in_out_circ(share: float) -> float:
    """Start and end slowly: two quarters of a circle.

    >>> round(ease_in_out_circ(0.25), 3)
    0.067
    """
    return _in_out(ease_in_circ, share)


def ease_in_back(share: float) -> float:
    """Take a swing back first.

    >>> round(ease_in_back(0.5), 3)
    -0.088
    """
    return _back(share, OVERSHOOT)


def ease_out_back(share: float) -> float:
    """Swing out beyond the end.

    >>> round(ease_out_back(0.5), 3)
    1.088
    """
    return _out(ease_in_back, share)


def ease_in_out_back(share: float) -> float:
    """Take a swing back first, and swing out beyond the end.

    >>> round(ease_in_out_back(0.25), 3)
    -0.1
    """
    return _in_out(lambda half: _back(half, OVERSHOOT * WIDER), share)


def ease_in_elastic(share: float) -> float:
    """Swing with growing strength, as on a rubber band.

    >>> round(ease_in_elastic(0.5), 3)
    -0.016
    """
    return _elastic(share, 0.3)


def ease_out_elastic(share: float) -> float:
    """Swing about the end until at rest, as on a rubber band.

    >>> round(ease_out_elastic(0.5), 3)
    1.016
    """
    return _out(ease_in_elastic, share)


def ease_in_out_elastic(share: float) -> float:
    """Swing at both ends, as on a rubber band.

    >>> round(ease_in_out_elastic(0.25), 3)
    0.012
    """
    return _in_out(lambda half: _elastic(half, 0.45), share)


def ease_in_bounce(share: float) -> float:
    """Bounce higher and higher.

    >>> round(ease_in_bounce(0.5), 3)
    0.234
    """
    return _out(ease_out_bounce, share)


def ease_out_bounce(share: float) -> float:
    """Fall to the end and bounce there, lower and lower.

    >>> round(ease_out_bounce(0.5), 3)
    0.766
    """
    # The first three of four parabolas: the end, the middle and the height there.
    for until, middle, height in (
        (1 / 2.75, 0.0, 0.0),
        (2 / 2.75, 1.5 / 2.75, 0.75),
        (2.5 / 2.75, 2.25 / 2.75, 0.9375),
    ):
        if share < until:
            return 7.5625 * (share - middle) ** 2 + height
    return 7.5625 * (share - 2.625 / 2.75) ** 2 + 0.984375 if share < 1.0 else 1.0


def ease_in_out_bounce(share: float) -> float:
    """Bounce at both ends.

    >>> round(ease_in_out_bounce(0.25), 3)
    0.117
    """
    return _in_out(ease_in_bounce, share)


def _out(ease_in: Callable[[float], float], share: float) -> float:
    return 1.0 - ease_in(1.0 - share)


def _in_out(ease_in: Callable[[float], float], share: float) -> float:
    if share < 0.5:
        return ease_in(2.0 * share) / 2.0
    return 1.0 - ease_in(2.0 - 2.0 * share) / 2.0


def _back(share: float, overshoot: float) -> float:
    return share**2 * ((overshoot + 1.0) * share - overshoot) if share < 1.0 else 1.0


def _elastic(share: float, period: float) -> float:
    if share in (0.0, 1.0):
        return share
    return -exp2(10.0 * share - 10.0) * sin((share - 1.0 - period / 4.0) * 2.0 * pi / period)
