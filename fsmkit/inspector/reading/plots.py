"""Plots: the series of the values of one machine, sampled from the time they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

from fsmkit.inspector.reading.samples import INTERVAL, ROUNDING, Series

Path: TypeAlias = tuple[str, ...]

MOST: Final = 64
"""Series of one machine; the one asked for least recently makes room."""


class Plots:
    """Keeps the last minutes of values.

    `read` returns the value at a path, and may raise anything if there is none now; `past` yields
    the times and values that are known of the time before. Values at the paths of `always` are
    kept from the beginning.
    """

    def __init__(
        self,
        read: Callable[[Path], object],
        past: Callable[[Path], Iterable[tuple[float, object]]],
        always: Iterable[Path] = (),
    ) -> None:
        self._read = read
        self._past = past
        self._always = tuple(always)
        self._series: dict[Path, Series | None] = dict.fromkeys(self._always)
        self._last = -INTERVAL

    def sample(self, time: float) -> None:
        """Take the values if that is due at `time`."""
        if self._series and not 0.0 <= time - self._last < INTERVAL - ROUNDING:
            self._last = time
            for path in self._series:
                self._sample(path, time)

    def since(self, wanted: Sequence[tuple[Path, float]], now: float) -> list[dict[str, Any]]:
        """Return the samples of each path after a time, and sample these from `now` on."""
        answers = []
        for path, time in wanted:
            if path not in self._series:
                self._begin(path, now)
            self._series[path] = series = self._series.pop(path)  # the order is that of use
            if series is not None:
                answers.append({"path": path, **series.since(time)})
        return answers

    def _begin(self, path: Path, now: float) -> None:
        if len(self._series) >= MOST:
            del self._series[next(each for each in self._series if each not in self._always)]
        self._series[path] = None
        for time, value in self._past(path):
            self._add(path, time, value)
        self._sample(path, now)

    def _sample(self, path: Path, time: float) -> None:
        try:
            value = self._read(path)
        except Exception:  # it is not there now, or cannot be read, which its row says
            value = None
        self._add(path, time, value)

    def _add(self, path: Path, time: float, value: object) -> None:
        series = self._series[path]
        if value is None and series is None:
            return
        if series is None or not series.fits(value):
            series = self._series[path] = Series(value)
        series.add(time, value)
