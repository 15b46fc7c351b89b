"""A crowd in the processor and the same one on a card, which do the same and are compared."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fsmkit.crowd import Crowd, CrowdFsm


def failure(error: BaseException) -> Any:
    """Everything that is shown of an error."""
    inner = [failure(each) for each in getattr(error, "exceptions", ())]
    return type(error).__name__, str(error), getattr(error, "__notes__", []), inner


class Pair:
    """Both crowds; `failures` are the errors so far, which both have raised."""

    def __init__(self, machine: CrowdFsm, size: int, *, exact: bool = True, **options: Any) -> None:
        self.here = Crowd(machine, size, **options)
        self.card = Crowd(machine, size, target="cuda", exact=exact, **options)
        self.failures: list[Any] = []

    def both(self, call: Callable[[Crowd], Any]) -> Any:
        """Let both do the same; return the result, after a comparison of everything."""
        results = [self._tried(call, crowd) for crowd in (self.here, self.card)]
        assert results[0] == results[1], results
        if isinstance(results[0], tuple) and results[0][:1] == ("raised",):
            self.failures.append(results[0][1])
        self.compare()
        return results[0]

    def compare(self) -> None:
        here, card = self.here, self.card
        assert (here.time, len(here)) == (card.time, len(card))
        for name, column in here._store.arrays().items():
            rows = card._store.seen("state", name)
            other = rows.taken(rows.columns[name])
            assert column.dtype == other.dtype
            assert bits(column) == bits(other), name

    def _tried(self, call: Callable[[Crowd], Any], crowd: Crowd) -> Any:
        try:
            return call(crowd)
        except Exception as error:
            return "raised", failure(error)


def bits(column: Any) -> Any:
    """The bytes of a column; every NaN is the same."""
    if column.dtype.kind == "f":
        column = np.where(np.isnan(column), np.nan, column)
    return column.tobytes()
