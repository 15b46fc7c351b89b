"""The time axis of a timeline: round times, and their text."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, isclose, log10
from typing import Final

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 86400

CLOCK_STEPS: Final = (
    *(10, 20, 30), *(MINUTE * n for n in (1, 2, 5, 10, 20, 30)), *(HOUR * n for n in (1, 2, 6, 12)),
)  # fmt: skip
"""Round steps between 10 seconds and a day."""

SHORTEST: Final = 1e-12
"""The shortest step; a shorter axis has a single mark."""


def ticks(start: float, end: float, most: int) -> list[tuple[float, str]]:
    """Return round times from `start` to `end`, in seconds, about `most`, as numbers and as text.

    >>> ticks(0.0, 20.0, most=5)
    [(0.0, '0 s'), (5.0, '5 s'), (10.0, '10 s'), (15.0, '15 s'), (20.0, '20 s')]
    >>> [text for _, text in ticks(0.0, 0.001, most=3)]
    ['0.0 ms', '0.5 ms', '1.0 ms']
    >>> [text for _, text in ticks(0.0, 10_800.0, most=4)]
    ['0:00', '1:00:00', '2:00:00', '3:00:00']
    """
    step = _step((end - start) / max(1, most - 1))
    if end - start < SHORTEST or start + step == start:
        return [(start, seconds_text(start, 2))]
    first, last = ceil(start / step - 1e-9), floor(end / step + 1e-9)
    return [(n * step, _tick_text(n * step, step, end)) for n in range(first, last + 1)]


def seconds_text(seconds: float, digits: int) -> str:
    """Return `seconds` as text with that many decimals."""
    return f"{seconds:.{digits}f} s"


def digits_for(span: float) -> int:
    """Return the number of decimals that distinguish times within `span` seconds."""
    return 2 if span == 0.0 or span >= 1.0 else min(9, 2 - floor(log10(span)))


def _step(least: float) -> float:
    """Return the smallest round number of seconds >= `least`."""
    return next(step for step in _steps(least) if step >= least or isclose(step, least))


def _steps(least: float) -> Iterator[float]:
    if least < CLOCK_STEPS[0]:
        decade = 10.0 ** floor(log10(max(least, SHORTEST)))
        yield from (decade * n for n in (1, 2, 5, 10))
    yield from CLOCK_STEPS
    decade = DAY * 10.0 ** floor(log10(max(least, DAY) / DAY))
    yield from (decade * n for n in (1, 2, 5, 10))


def _tick_text(time: float, step: float, end: float) -> str:
    if end >= MINUTE:
        return _clock(time, step)
    unit, name = next((unit, name) for unit, name in UNITS if end >= unit or unit == 1e-6)
    return f"{time / unit:.{_digits(step / unit)}f} {name}"


UNITS: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def _clock(time: float, step: float) -> str:
    digits = _digits(step)
    minutes, seconds = divmod(round(time, digits), MINUTE)
    hours, minutes = divmod(int(minutes), 60)
    tail = f"{seconds:0{digits + 3 if digits else 2}.{digits}f}"
    return f"{hours}:{minutes:02}:{tail}" if hours else f"{minutes}:{tail}"


def _digits(step: float) -> int:
    return max(0, -floor(log10(step) + 1e-9))
