"""The texts of timelines: times, data, visits, events and errors."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from fsmkit.core.words.parameters import shown
from fsmkit.recording.chronicle import RaisedError, SentEvent, StateVisit
from fsmkit.svg.time_axis import digits_for, seconds_text
from fsmkit.terminal.console import cut, printable

MAX_DATA_COLUMNS: Final = 200


def data_text(data: object) -> str:
    """Return a readable text of `data`, of limited length."""
    try:
        return cut(printable(shown(data)), MAX_DATA_COLUMNS)
    except Exception:  # a user's class may have a failing __repr__
        return f"<{type(data).__name__}>"


def error_type(raised: RaisedError) -> str:
    """Return the type of the exception, as in the traceback."""
    return raised.error.partition("\n")[0].partition(":")[0]


@frozen
class Wording:
    """Describes what happened; times have as many digits as `span` seconds need."""

    span: float

    def time(self, seconds: float) -> str:
        """Return a time or a duration."""
        return seconds_text(seconds, digits_for(self.span))

    def visit(self, visit: StateVisit, now: float) -> str:
        """Describe a visit in several lines."""
        end = now if visit.end is None else visit.end
        until = "now" if visit.end is None else self.time(visit.end)
        lasted = self.time(end - visit.start)
        lines = [visit.state, f"{self.time(visit.start)} to {until}: {lasted}"]
        if visit.event is not None:
            how = "resumed after" if visit.resumed else "after"
            lines.append(f"{how} {visit.event}{_by(visit.sender)}")
        if visit.suspended:
            lines.append(f"{', '.join(visit.suspended)} suspended meanwhile")
        return "\n".join(map(printable, lines))

    def event(self, sent: SentEvent) -> str:
        """Describe an event and its outcome in several lines."""
        data = f" with {data_text(sent.data)}" if sent.data is not None else ""
        place = f" in {sent.state}" if sent.state else ""
        lines = [
            f"{sent.event}: {sent.outcome}{place}",
            f"{self.time(sent.time)}{_by(sent.sender)}{data}",
        ]
        return "\n".join(map(printable, lines))

    def error(self, raised: RaisedError) -> str:
        """Describe an error in several lines."""
        lines = [*raised.error.splitlines(), f"{self.time(raised.time)} in {raised.state}"]
        return "\n".join(map(printable, lines))


def _by(sender: str) -> str:
    return f" from {sender}" if sender else ""
