"""Buffers: arrays that are kept between the steps.

An array of some hundred kilobytes that is made anew in each step comes from the system and goes
back to it, page by page: with 100,000 agents that took longer than many an evaluation.
"""

from __future__ import annotations

from math import prod
from typing import Any

from fsmkit.crowd.packages import np


class Buffers:
    """Arrays by name, each as large as it was ever needed.

    >>> buffers = Buffers()
    >>> first = buffers.array("x", (2, 3))
    >>> first.shape, first.dtype.name, np.shares_memory(first, buffers.array("x", 4))
    ((2, 3), 'int64', True)
    """

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}
        self._views: dict[str, Any] = {}
        """The beginnings that were asked for last."""
        self._parts: dict[int, Buffers] = {}

    def array(self, name: str, shape: int | tuple[int, ...], dtype: Any = np.int64) -> Any:
        """Return an array with any content; it is valid until this name is asked for again."""
        wanted = (shape,) if isinstance(shape, int) else shape
        view = self._views.get(name)
        if view is not None and view.shape == wanted and view.dtype == dtype:
            return view
        size, kept = prod(wanted), self._kept.get(name)
        if kept is None or kept.size < size or kept.dtype != dtype:
            # Some spare room, for a crowd that grows.
            kept = self._kept[name] = np.empty(size + size // 8, dtype)
        view = self._views[name] = kept[:size].reshape(wanted)
        return view

    def part(self, number: int) -> Buffers:
        """Return buffers of their own, for results that are needed at the same time."""
        return self._parts.setdefault(number, Buffers())
