"""The one axis: round times and round numbers along it, and their text."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, isclose, isfinite, log10
from typing import Final

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 86400

CLOCK_STEPS: Final = (
    *(10, 20, 30), *(MINUTE * n for n in (1, 2, 5, 10, 20, 30)), *(HOUR * n for n in (1, 2, 6, 12)),
)  # fmt: skip
"""Round steps between 10 seconds and a day."""

UNITS: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))

SHORTEST: Final = 1e-12
"""The shortest step in seconds; a shorter axis has a single mark."""


def ticks(start: float, end: float, most: int) -> list[tuple[float, str]]:
    """Return about `most` round times from `start` to `end`, in seconds, each with its text.

    >>> ticks(0.0, 20.0, most=5)
    [(0.0, '0 s'), (5.0, '5 s'), (10.0, '10 s'), (15.0, '15 s'), (20.0, '20 s')]
    >>> [text for _, text in ticks(0.0, 0.001, most=3)]
    ['0.0 ms', '0.5 ms', '1.0 ms']
    >>> [text for _, text in ticks(0.0, 10_800.0, most=4)]
    ['0:00', '1:00:00', '2:00:00', '3:00:00']
    """
    gap = (end - start) / max(1, most - 1)
    step = next(step for step in _time_steps(gap) if step >= gap or isclose(step, gap))
    if end - start < SHORTEST or start + step == start:
        return [(start, seconds_text(start, 2))]
    return [(time, _time_text(time, step, end)) for time in _multiples(step, start, end)]


def levels(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Return at most about `most` round numbers from `low` to `high`, each with its text.

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
    step = next(round_steps(gap))
    if low + step == low or high - step == high:  # closer together than floats are
        return [(low, f"{low:g}")]
    return [(number, _number_text(number, step)) for number in _multiples(step, low, high)]


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


def round_steps(least: float) -> Iterator[float]:
    """Yield 1, 2, 5, 10, 20 and so on, or fractions of these, from `least` > 0 on, without end.

    >>> from itertools import islice
    >>> [*islice(round_steps(0.3), 4)]
    [0.5, 1.0, 2.0, 5.0]
    """
    exponent = floor(log10(least))
    while True:
        steps = (digit * 10.0**exponent for digit in (1, 2, 5))
        yield from (step for step in steps if step >= least * (1.0 - 1e-9))
        exponent += 1


def seconds_text(seconds: float, digits: int) -> str:
    return f"{seconds:.{digits}f} s"


def digits_for(span: float) -> int:
    """Return the number of decimals that distinguish times within `span` seconds."""
    return 2 if span == 0.0 or span >= 1.0 else min(9, 2 - floor(log10(span)))


def _multiples(step: float, low: float, high: float) -> Iterator[float]:
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return (n * step for n in range(first, last + 1))


def _time_steps(least: float) -> Iterator[float]:
    if least < CLOCK_STEPS[0]:
        yield next(round_steps(max(least, SHORTEST)))
    yield from CLOCK_STEPS
    yield DAY * next(round_steps(max(least, DAY) / DAY))


def _time_text(time: float, step: float, end: float) -> str:
    if end >= MINUTE:
        return _clock(time, step)
    unit, name = next((unit, name) for unit, name in UNITS if end >= unit or unit == 1e-6)
    return f"{time / unit:.{_decimals(step / unit)}f} {name}"


def _clock(time: float, step: float) -> str:
    digits = _decimals(step)
    minutes, seconds = divmod(round(time, digits), MINUTE)
    hours, minutes = divmod(int(minutes), 60)
    tail = f"{seconds:0{digits + 3 if digits else 2}.{digits}f}"
    return f"{hours}:{minutes:02}:{tail}" if hours else f"{minutes}:{tail}"


def _number_text(number: float, step: float) -> str:
    digits = _decimals(step)
    if digits > 5 or abs(number) >= 1e9:
        return f"{number:.6g}"
    return f"{number + 0.0:,.{digits}f}"


def _decimals(step: float) -> int:
    return max(0, -floor(log10(step) + 1e-9))
