"""PartReader: reads a machine part by part, so that one that cannot be read hides no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from logging import getLogger
from time import perf_counter
from typing import Any, Final, TypeVar

from fsmkit.core.words.notes import traceback_of
from fsmkit.inspector.reading.values import error_text

PartT = TypeVar("PartT")
OtherT = TypeVar("OtherT")

SLOW: Final = 0.02
"""Seconds for one part of a machine, above which the page says what slows the game down."""

OFTEN: Final = 3
"""Times in a row that a part must be slow: a busy computer is now and then."""

MOST_CAUSES: Final = 100
"""Causes of trouble that are told apart; further ones are not reported."""

_logger: Final = getLogger("fsmkit")


class Reports:
    """Logs each cause of trouble once, however often it occurs, and whatever the message says."""

    def __init__(self) -> None:
        self._known: set[object] = set()

    def report(self, what: str, error: Exception) -> bool:
        """Log that `what` cannot be read; return True if this cause is a new one."""
        cause = what, type(error), _line_of(error)
        if cause in self._known or len(self._known) >= MOST_CAUSES:
            return False
        self._known.add(cause)
        _logger.warning("The inspector cannot read %s: %s", what, error_text(error), exc_info=error)
        return True


class PartReader:
    """Reads the parts of one machine, and reports once what cannot be read or is slow.

    `name` returns the name of the machine, `note` writes a line into its log.
    """

    def __init__(self, name: Callable[[], str], note: Callable[[str], object]) -> None:
        self._name = name
        self._note = note
        self._reports = Reports()
        self._slow: dict[str, list[float]] = {}
        """Part -> how long it took the last times in a row; empty once it has been noted."""

    def rows(
        self, part: str, read: Callable[[], Iterable[PartT]], instead: Callable[[str], PartT]
    ) -> list[PartT]:
        """Return the rows of a part up to one that cannot be read, which gives way to `instead`.

        That is called with the text to show.
        """
        rows: list[PartT] = []
        begun = perf_counter()
        try:
            rows.extend(read())
        except Exception as error:  # from a user's class
            rows.append(instead(self.unreadable(part, error)))
        self._watch_time(part, perf_counter() - begun)
        return rows

    def attempt(self, part: str, read: Callable[[], PartT], instead: OtherT) -> PartT | OtherT:
        """Return what `read` returns, or `instead` and a line in the log if it raises an error."""
        try:
            return read()
        except Exception as error:  # from a user's class
            if self._report(part, error):
                self._note(f"the {part} cannot be read: {error_text(error)}")
            return instead

    def unreadable(self, part: str, error: Exception) -> str:
        """Return the text that is shown in place of a part."""
        self._report(part, error)
        return f"<{part} cannot be read: {error_text(error)}>"

    def _report(self, part: str, error: Exception) -> bool:
        return self._reports.report(f"the {part} of {self._name()!r}", error)

    def _watch_time(self, part: str, taken: float) -> None:
        times = self._slow.setdefault(part, [0.0] * OFTEN)
        if not times:
            return
        times[:] = [*times[1:], taken]
        if min(times) > SLOW:
            times.clear()
            self._note(
                f"reading the {part} of {self._name()} takes {taken * 1000:.0f} ms: "
                "a slow __repr__ slows the game down while it is shown"
            )


def _line_of(error: Exception) -> Any:
    """Return the line that has raised `error`."""
    place = traceback_of(error)
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return None if place is None else (place.tb_frame.f_code.co_filename, place.tb_lineno)
