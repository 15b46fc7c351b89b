"""Names, times and data as they are written on timelines."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from fsmkit.core.parameters import shown
from fsmkit.recording.chronicle import RaisedError, SentEvent, StateVisit
from fsmkit.svg.time_axis import digits_for, seconds_text
from fsmkit.terminal.console import printable, width

DATA_LENGTH: Final = 200


def cut(text: str, columns: int) -> str:
    """`text`, or as much of it as there is room for, with an ellipsis.

    >>> cut("Patrol", 6), cut("Patrol", 4), cut("巡逻", 3)
    ('Patrol', 'Pat…', '巡…')
    """
    if width(text) <= columns:
        return text
    while text and width(text) >= columns:
        text = text[: columns - 1] if len(text) > columns else text[:-1]
    return f"{text}…" if columns > 0 else ""


def data_text(data: object) -> str:
    """`data` for a reader, never too long."""
    try:
        return cut(printable(shown(data)), DATA_LENGTH)
    except Exception:  # a __repr__ of the user's that fails
        return f"<{type(data).__name__}>"


def error_type(raised: RaisedError) -> str:
    """The type of the exception, as in the traceback."""
    return raised.error.partition("\n")[0].partition(":")[0]


@frozen
class Wording:
    """Puts what happened into words; times have as many digits as `span` seconds need."""

    span: float

    def time(self, seconds: float) -> str:
        """A time or a duration."""
        return seconds_text(seconds, digits_for(self.span))

    def visit(self, visit: StateVisit, now: float) -> str:
        """A visit, in some lines."""
        end = now if visit.end is None else visit.end
        until = "now" if visit.end is None else self.time(visit.end)
        lasted = self.time(end - visit.start)
        lines = [visit.state, f"{self.time(visit.start)} to {until}: {lasted}"]
        if visit.event is not None:
            lines.append(f"after {visit.event}{_by(visit.sender)}")
        return "\n".join(map(printable, lines))

    def event(self, sent: SentEvent) -> str:
        """An event and what became of it, in some lines."""
        data = f" with {data_text(sent.data)}" if sent.data is not None else ""
        place = f" in {sent.state}" if sent.state else ""
        lines = [
            f"{sent.event}: {sent.outcome}{place}",
            f"{self.time(sent.time)}{_by(sent.sender)}{data}",
        ]
        return "\n".join(map(printable, lines))

    def error(self, raised: RaisedError) -> str:
        """An error, in some lines."""
        lines = [*raised.error.splitlines(), f"{self.time(raised.time)} in {raised.state}"]
        return "\n".join(map(printable, lines))


def _by(sender: str) -> str:
    return f" from {sender}" if sender else ""
