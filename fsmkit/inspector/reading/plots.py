"""Plots: the values of one machine over the last minutes, sampled once a page asks for them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from math import isfinite, isnan, nan
from typing import Any, Final, TypeAlias

from fsmkit.inspector.reading.page_values import components, text_of

ValuePath: TypeAlias = tuple[str, ...]

MOST: Final = 64
"""Series of one machine; the least recently requested one makes room."""

INTERVAL: Final = 1 / 30
"""Seconds between two samples."""

LIMIT: Final = 9_000
"""Samples of a series: five minutes of a value that changes all the time."""

MOST_SENT: Final = 1_500
"""Samples of a series that are sent at once; of more, the extremes of each part."""

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
        if self.is_text or value is None:
            return True
        return (len(components(value)) or 1) == self.count

    def add(self, time: float, value: object) -> None:
        """Add a sample; anything but a number leaves a gap in numbers."""
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


class Plots:
    """Keeps the last minutes of values.

    `read` returns the value at a path, and may raise anything if there is none now; `past` yields
    earlier times and values, as far as they are known. Values at the paths of `always` are sampled
    from the beginning.
    """

    def __init__(
        self,
        read: Callable[[ValuePath], object],
        past: Callable[[ValuePath], Iterable[tuple[float, object]]],
        always: Iterable[ValuePath] = (),
    ) -> None:
        self._read = read
        self._past = past
        self._always = tuple(always)
        self._series: dict[ValuePath, Series | None] = dict.fromkeys(self._always)
        self._last = -INTERVAL

    def take_over(self, before: Plots) -> None:
        """Go on with the series of the plots of an earlier machine."""
        self._series, self._last = before._series, before._last

    def sample(self, time: float) -> None:
        if self._series and not 0.0 <= time - self._last < INTERVAL - ROUNDING:
            self._last = time
            for path in self._series:
                self._sample(path, time)

    def since(self, wanted: Sequence[tuple[ValuePath, float]], now: float) -> list[dict[str, Any]]:
        """Return the samples of each path after a time, and sample these from `now` on."""
        answers = []
        for path, time in wanted:
            if path not in self._series:
                self._begin(path, now)
            self._series[path] = series = self._series.pop(path)  # in the order of use
            if series is not None:
                answers.append({"path": path, **series.since(time)})
        return answers

    def _begin(self, path: ValuePath, now: float) -> None:
        if len(self._series) >= MOST:
            del self._series[next(each for each in self._series if each not in self._always)]
        self._series[path] = None
        for time, value in self._past(path):
            self._add(path, time, value)
        self._sample(path, now)

    def _sample(self, path: ValuePath, time: float) -> None:
        try:
            value = self._read(path)
        except Exception:  # absent or unreadable now, as its row says
            value = None
        self._add(path, time, value)

    def _add(self, path: ValuePath, time: float, value: object) -> None:
        series = self._series[path]
        if value is None and series is None:
            return
        if series is None or not series.fits(value):
            series = self._series[path] = Series(value)
        series.add(time, value)
