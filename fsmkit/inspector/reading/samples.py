"""Samples: what values have been over the last minutes, for plots."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum
from math import isfinite, isnan, nan
from typing import Any, Final

from fsmkit.inspector.reading.value_kinds import components
from fsmkit.inspector.reading.values import text_of

INTERVAL: Final = 1 / 30
"""Seconds between two samples."""

LIMIT: Final = 9_000
"""Samples of a series: five minutes of a value that changes all the time."""

MOST_SENT: Final = 1_500
"""Samples of a series that are sent at once; of more, the least and the greatest of each part."""

MOST_TEXTS: Final = 100
"""Different texts of a series; any other one is shown as the last."""

ROUNDING: Final = 1e-6


class Series:
    """The samples of one value: a number, a few numbers, or one of a few texts.

    While a value stays the same, only the first and the last sample of it are kept.
    """

    def __init__(self, value: object) -> None:
        self.count = len(components(value)) or 1
        self.is_text = not components(value) and not _is_number(value)
        self.texts: list[str] = []
        self._times = array("d")
        self._numbers = [array("d") for _ in range(self.count)]

    def __len__(self) -> int:
        return len(self._times)

    def fits(self, value: object) -> bool:
        """Return True if a value is of the kind that the series has been begun with."""
        if self.is_text or value is None:
            return True
        return (len(components(value)) or 1) == self.count

    def add(self, time: float, value: object) -> None:
        """Add a sample; one that is no number where there were numbers leaves a gap."""
        if self._times and time < self._times[-1]:
            return
        numbers = self._to_numbers(value)
        if len(self) > 1 and self._is_still(numbers, -1) and self._is_still(numbers, -2):
            self._times[-1] = time
            return
        self._times.append(time)
        for series, number in zip(self._numbers, numbers, strict=True):
            series.append(number)
        if len(self) > LIMIT * 1.1:
            for each in (self._times, *self._numbers):
                del each[: len(each) - LIMIT]

    def since(self, time: float) -> dict[str, Any]:
        """Return the samples after `time` for the page."""
        chosen = self._chosen(bisect_right(self._times, time + ROUNDING))
        return {
            "times": [round(self._times[index], 4) for index in chosen],
            "lines": [[_to_json(each[index]) for index in chosen] for each in self._numbers],
            "texts": self.texts if self.is_text else None,
        }

    def _is_still(self, numbers: Sequence[float], index: int) -> bool:
        return all(
            each[index] == number or (isnan(each[index]) and isnan(number))
            for each, number in zip(self._numbers, numbers, strict=True)
        )

    def _to_numbers(self, value: object) -> Sequence[float]:
        if self.is_text:
            return (self._code(value.name if isinstance(value, Enum) else text_of(value)),)
        numbers = components(value) or ((value,) if _is_number(value) else ())
        if len(numbers) != self.count:
            return (nan,) * self.count
        return [_float(each) for each in numbers]

    def _code(self, text: str) -> int:
        if text in self.texts:
            return self.texts.index(text)
        if len(self.texts) == MOST_TEXTS:
            return MOST_TEXTS - 1
        self.texts.append(text)
        return len(self.texts) - 1

    def _chosen(self, begin: int) -> Sequence[int]:
        """Return the indices of samples to send, from `begin` on."""
        count = len(self) - begin
        if count <= MOST_SENT:
            return range(begin, len(self))
        return sorted(set(self._extremes(begin, count)) | {len(self) - 1})

    def _extremes(self, begin: int, count: int) -> Iterator[int]:
        parts = MOST_SENT // (2 * self.count) - 1
        for part in range(parts):
            indices = range(begin + part * count // parts, begin + (part + 1) * count // parts)
            for series in self._numbers:
                yield min(indices, key=series.__getitem__)
                yield max(indices, key=series.__getitem__)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, (bool, Enum))


def _float(number: object) -> float:
    try:
        return float(number)  # type: ignore[arg-type]  # a number
    except OverflowError:
        return nan


def _to_json(number: float) -> float | None:
    return float(f"{number:.6g}") if isfinite(number) else None
