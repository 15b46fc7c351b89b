"""Levels: round numbers along an axis, and their text."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10


def span_of(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an axis for values from `low` to `high`: 0 is an end if it is near.

    >>> span_of(3.0, 10.0), span_of(90.0, 100.0), span_of(-2.0, -1.0), span_of(0.0, 0.0)
    ((0.0, 10.0), (90.0, 100.0), (-2.0, 0.0), (0.0, 1.0))
    """
    if 0.0 <= low <= high / 2.0:
        low = 0.0
    if low / 2.0 <= high <= 0.0:
        high = 0.0
    if low == high:
        low, high = (low, low + 1.0) if low == 0.0 else (low - abs(low) / 2, low + abs(low) / 2)
    return low, high


def levels(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Return round numbers from `low` to `high`, at most about `most`, and their text.

    >>> levels(0.0, 2000.0, 4)
    [(0.0, '0'), (1000.0, '1,000'), (2000.0, '2,000')]
    >>> [text for _, text in levels(-0.1, 0.15, 6)]
    ['-0.10', '-0.05', '0.00', '0.05', '0.10', '0.15']
    >>> [text for _, text in levels(0.0, 2e-7, 3)]
    ['0', '1e-07', '2e-07']
    """
    gap = (high - low) / max(1, most - 1)
    if not (isfinite(gap) and gap > 0.0):
        return [(low, f"{low:g}")]
    decade = 10.0 ** floor(log10(gap))
    step = next(decade * n for n in (1, 2, 5, 10) if decade * n >= gap * (1.0 - 1e-9))
    if low + step == low or high - step == high:  # closer together than floats are
        return [(low, f"{low:g}")]
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [(n * step, _text(n * step, step)) for n in range(first, last + 1)]


def _text(number: float, step: float) -> str:
    digits = max(0, -floor(log10(step) + 1e-9))
    if digits > 5 or abs(number) >= 1e9:
        return f"{number:.6g}"
    return f"{number + 0.0:,.{digits}f}"
